import { mkdtempSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createGateway } from "../../src/app/gateway.js";
import { parse } from "../../src/config/load.js";
import { createLog } from "../../src/core/log.js";
import { serve } from "../../src/ops/commands/serve.js";
import {
  hasPostgres,
  POSTGRES_PASSWORD,
  type PostgresServer,
  postgresServer,
} from "../store/postgres-server.js";
import { eventually } from "../support/eventually.js";
import { runCommand } from "../support/run-command.js";

const KEY = `hg_live_${"p".repeat(43)}`;
const HEADERS = { "X-API-Key": KEY, "Content-Type": "application/json" };

describe.skipIf(!hasPostgres())("a gateway with its data in PostgreSQL", () => {
  const folder = mkdtempSync(join(tmpdir(), "hourgate-e2e-postgres-"));
  let server: PostgresServer;
  beforeAll(async () => {
    server = await postgresServer();
    await server.start();
    writeFileSync(join(folder, "url"), server.url);
  });
  afterAll(async () => {
    await server.remove();
    await rm(folder, { recursive: true, force: true });
  });

  const configuration = (shard: number, dataDir = "data") =>
    [
      `data_dir: ${join(folder, dataDir)}`,
      `store: { postgres: { url: "${server.url}", shard: ${shard} } }`,
      "http: { host: 127.0.0.1, port: 0 }",
      `owner: { email: owner@example.org, password: correct horse battery, key: ${KEY} }`,
      "market: { sources: [] }",
      "weather: { sources: [] }",
      "mqtt: { broker: { enabled: false } }",
      "node_red: { enabled: false }",
      "",
    ].join("\n");
  const lines: string[] = [];
  const log = createLog(
    { level: "trace", format: "json" },
    { write: (line: string) => void lines.push(line) },
  );
  const running = async (shard: number, dataDir?: string) => {
    const gateway = createGateway(parse(configuration(shard, dataDir)).settings, { log, sampledLoads: 2 });
    await gateway.start();
    const url = `http://127.0.0.1:${gateway.ports.http}`;
    const ask = async (path: string, body?: object, key = KEY) => {
      const init = body && { method: "POST", body: JSON.stringify(body) };
      return (await fetch(url + path, { headers: { ...HEADERS, "X-API-Key": key }, ...init })).json();
    };
    return { gateway, ask };
  };
  const run = async (shard: number, ...typed: string[]) => {
    const config = join(folder, `shard-${shard}.yaml`);
    writeFileSync(config, configuration(shard));
    return runCommand([...typed, "--config", config]);
  };

  it("finds everything again after a restart with another data folder, and moves to a folder and back", async () => {
    const account = JSON.parse(
      (await run(0, "account", "create", "anna@example.org", "--confirmed", "--json")).out,
    );
    const first = await running(0);
    const at = new Date(Math.floor(Date.now() / 1000) * 1000 - 60_000).toISOString();
    await first.ask("/v1/plant/telemetry", { timestamp: at, battery: { soc_pct: 61 } });
    const status = JSON.stringify(await first.ask("/v1/status"));
    expect(status).toContain(`Data is stored in PostgreSQL at 127.0.0.1:${server.port}/postgres, shard 0.`);
    // Through the socket of the gateway: the command does not open the shard.
    expect((await run(0, "account", "list")).out).toContain("anna@example.org");
    await first.gateway.stop();

    const second = await running(0, "elsewhere");
    const refused = await run(0, "store", "copy", "--to", join(folder, "copy"));
    expect(refused).toMatchObject({ code: 1, error: expect.stringContaining("a gateway serves it") });
    const { access } = await second.ask("/v1/plant/device-schedules", undefined, account.key);
    await second.gateway.stop();
    expect(access.tier).toBe("community");

    const telemetry = (await run(0, "export", "telemetry")).out;
    expect(telemetry).toContain("home,soc_pct,61");
    const copied = await run(0, "store", "copy", "--to", join(folder, "copy"));
    expect(copied).toMatchObject({ code: 0, error: "" });
    expect(await run(1, "store", "copy", "--from", join(folder, "copy"))).toMatchObject({
      code: 0,
      error: "",
    });
    expect((await run(1, "export", "telemetry")).out).toBe(telemetry);
    const accounts = JSON.parse((await run(1, "account", "list", "--json")).out).accounts;
    expect(accounts.map(({ id }: { id: string }) => id)).toContain(account.id);
    const again = await run(1, "store", "copy", "--from", join(folder, "copy"));
    expect(again).toMatchObject({
      code: 1,
      error: expect.stringContaining("There is already data in shard 1"),
    });

    const doctor = await run(0, "doctor", "--json");
    expect(doctor.out).toContain(`127.0.0.1:${server.port}/postgres answers (version `);
    for (const text of [status, lines.join(""), copied.out, again.error, doctor.out])
      expect(text).not.toContain(POSTGRES_PASSWORD);
  });

  it("ends with an error when another gateway has taken over", async () => {
    const errors: string[] = [];
    const ports: (() => number | undefined)[] = [];
    const ended = serve(parse(configuration(2)).settings, {
      createGateway: (settings, options) => {
        const gateway = createGateway(settings, { ...options, log, sampledLoads: 2 });
        ports.push(() => gateway.ports.http);
        return gateway;
      },
      signals: { on: () => {}, off: () => {} },
      terminal: { environment: {}, out: () => {}, error: (line) => errors.push(line) },
    });
    await eventually(() => expect(ports[0]?.()).toBeDefined());
    const other = await running(2, "elsewhere");
    const url = `http://127.0.0.1:${ports[0]!()}/v1/plant/telemetry`;
    const body = JSON.stringify({ battery: { soc_pct: 50 } });
    expect((await fetch(url, { method: "POST", headers: HEADERS, body })).ok).toBe(false);
    expect(await ended).toBe(1);
    expect(errors.join()).toContain("hourgate ends: Another process took over shard 2");
    await other.gateway.stop();
  });
});
