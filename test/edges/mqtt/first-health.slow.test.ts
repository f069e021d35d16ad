import { mkdtempSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { createGateway } from "../../../src/app/gateway.js";
import { parse } from "../../../src/config/load.js";
import { silentLog } from "../../../src/core/log.js";
import { freePort } from "./mosquitto.js";

it("reports ok only after the broker accepts connections", async () => {
  const folder = mkdtempSync(join(tmpdir(), "hourgate-health-"));
  const [httpPort, brokerPort] = [await freePort(), await freePort()];
  const { settings } = parse(
    JSON.stringify({
      data_dir: join(folder, "data"),
      http: { host: "127.0.0.1", port: httpPort },
      owner: { key: `hg_live_${"t".repeat(43)}`, password: "a good password" },
      market: { sources: [] },
      weather: { sources: [] },
      mqtt: { broker: { host: "127.0.0.1", port: brokerPort } },
      node_red: { enabled: false },
    }),
  );
  const gateway = createGateway(settings, { log: silentLog, sampledLoads: 2 });
  onTestFinished(async () => {
    await gateway.stop();
    rmSync(folder, { recursive: true, force: true });
  });
  const started = gateway.start();
  const seen: unknown[] = [];
  while (seen.at(-1) !== "ok") {
    // Refused until the server listens.
    const answer = await fetch(`http://127.0.0.1:${httpPort}/health`).catch(() => undefined);
    if (answer !== undefined) {
      const { component } = (await answer.json()) as { component?: string };
      seen.push(component === "broker" ? component : "ok");
    }
  }
  const isOpen = await new Promise<boolean>((resolve) => {
    const socket = connect(brokerPort, "127.0.0.1", () => resolve(true)).on("error", () => resolve(false));
    onTestFinished(() => void socket.destroy());
  });
  expect(isOpen).toBe(true);
  await started;
});
