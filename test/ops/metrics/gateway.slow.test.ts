import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { createGateway } from "../../../src/app/gateway.js";
import { parse } from "../../../src/config/load.js";
import { silentLog } from "../../../src/core/log.js";

/** Starts a complete gateway without internet sources; resolves with its URL. */
async function gateway(metrics: object): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "hourgate-metrics-"));
  const { settings } = parse(
    JSON.stringify({
      data_dir: join(folder, "data"),
      http: { host: "127.0.0.1", port: 0 },
      owner: { key: `hg_live_${"t".repeat(43)}`, password: "a good password" },
      market: { sources: [] },
      weather: { sources: [] },
      mqtt: { broker: { enabled: false } },
      node_red: { enabled: false },
      metrics,
    }),
  );
  const running = createGateway(settings, { log: silentLog, sampledLoads: 2 });
  onTestFinished(async () => {
    await running.stop();
    rmSync(folder, { recursive: true, force: true });
  });
  await running.start();
  return `http://127.0.0.1:${running.ports.http}`;
}

it("serves the metrics of the gateway when enabled", async () => {
  const url = await gateway({ enabled: true });
  const status = (await (await fetch(`${url}/v1/status`)).json()) as { components: { name: string }[] };
  const text = await (await fetch(`${url}/metrics`)).text();
  const components = [...text.matchAll(/^hourgate_component_state\{component="(\w+)"\} [012]$/gm)];
  expect(components.map(([, name]) => name).sort()).toEqual(status.components.map(({ name }) => name).sort());
  expect(text).toMatch(/^hourgate_ready 1$/m);
  expect(text).toMatch(/^hourgate_price_horizon_hours 0$/m);
  expect(text).toMatch(/^hourgate_http_requests_total\{method="GET",route="\/v1\/status",status="2xx"\} 1$/m);
});

it("is disabled by default", async () => {
  const url = await gateway({});
  expect((await fetch(`${url}/metrics`)).status).toBe(404);
});
