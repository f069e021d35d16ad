import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { runCommand } from "../support/run-command.js";
import { COMMAND, call, sandbox, startGateway } from "./gateway-process.js";

const HOUR_MS = 3_600_000;
const FROM = Date.parse("2025-11-01T00:00:00Z");

/** Runs a built command as a separate process: once for each kind of command; what else it says is asked in this process. */
function hourgate(...typed: string[]): Promise<{ code: number | null; out: string; error: string }> {
  const child = spawn(process.execPath, [COMMAND, ...typed], { stdio: ["ignore", "pipe", "pipe"] });
  let out = "";
  let error = "";
  child.stdout.on("data", (chunk: Buffer) => {
    out += chunk.toString();
  });
  child.stderr.on("data", (chunk: Buffer) => {
    error += chunk.toString();
  });
  return new Promise((ended) =>
    child.once("close", (code) => ended({ code, out: out.trim(), error: error.trim() })),
  );
}

function testSite(settings: Record<string, unknown> = {}) {
  const box = sandbox({ market: { sources: [{ type: "awattar", enabled: false }] }, ...settings });
  onTestFinished(() => box.remove());
  const file = (name: string, lines: readonly string[]) => {
    writeFileSync(join(box.folder, name), `${lines.join("\n")}\n`);
    return join(box.folder, name);
  };
  return { ...box, file };
}

/** Hourly prices of forty days, low at night and high by day. */
const priceLines = [
  "start_utc,eur_per_mwh",
  ...Array.from({ length: 40 * 24 }, (_, hour) => {
    const start = new Date(FROM + hour * HOUR_MS).toISOString();
    return `${start},${hour % 24 < 6 ? 50 : 300}`;
  }),
];
const loadLines = [
  "start_utc,import_kwh",
  ...Array.from({ length: 40 * 96 }, (_, quarter) => {
    const start = new Date(FROM + quarter * 900_000).toISOString();
    return `${start},${quarter % 96 === 76 ? 0.6 : 0.1}`;
  }),
];

describe("hourgate import prices, backtest", () => {
  it("imports prices and replays a site with them", async () => {
    const { config, file } = testSite();
    const prices = file("prices.csv", priceLines);
    const load = file("load.csv", loadLines);
    const nothing = await runCommand(["backtest", "--config", config]);
    expect(nothing).toMatchObject({ code: 1, out: "" });
    expect(nothing.error).toContain("No prices are stored");

    const imported = await hourgate("import", "prices", prices, "--config", config, "--json");
    expect(imported).toMatchObject({ code: 0, error: "" });
    expect(JSON.parse(imported.out)).toMatchObject({ prices: 960, imported: 960, problems: [] });
    const again = await runCommand(["import", "prices", prices, "--config", config]);
    expect(again.out).toContain("960 prices from 2025-11-01T00:00:00.000Z");
    expect(again.out).toContain("0 of them new");

    const period = ["--from", "2025-12-01", "--to", "2025-12-02"];
    const asJson = await hourgate("backtest", "-c", config, "--load", load, ...period, "--json");
    expect(asJson).toMatchObject({ code: 0, error: "" });
    const report = JSON.parse(asJson.out);
    expect(report).toMatchObject({
      schema: "backtest_v1",
      site: "home",
      start: "2025-12-01T00:00:00+01:00",
      end: "2025-12-02T00:00:00+01:00",
      days: 1,
      hours_without_price: 0,
      load_hours_estimated: 0,
    });
    expect(report.load_kwh).toBeCloseTo(10.1, 6);
    expect(report.captured_pct).toBeGreaterThan(90);
    expect(report.perfect_foresight.cost_eur).toBeLessThanOrEqual(report.planned.cost_eur + 1e-4);
    expect(report.planned.cost_eur).toBeLessThan(report.unsteered.cost_eur);

    const table = await runCommand(["backtest", "-c", config, "--load", load, ...period, "--prices", prices]);
    expect(table).toMatchObject({ code: 0, error: "" });
    expect(table.out).toContain("Prices: file prices.csv");
    expect(table.out).toMatch(/perfect foresight +\d+\.\d\d +\d+\.\d\d/);
    expect(table.out).toContain(
      `hourgate reached ${report.captured_pct.toFixed(1)} % of the possible saving`,
    );
  });
});

describe("the data folder while the gateway runs", () => {
  it("is not modified, with a sentence that says what to do; the telemetry can be read then and afterwards", async () => {
    const { config, file } = testSite({ clock: { start: "2025-12-05T12:00:00Z", speed: 0 } });
    const prices = file("prices.csv", priceLines);
    const gateway = await startGateway(config);
    const samples = [
      { timestamp: "2025-12-05T10:00:00Z", import_kwh: 100.5, soc_pct: 40 },
      { timestamp: "2025-12-05T10:15:00.250Z", import_kwh: 100.75 },
      { timestamp: "2025-12-05T11:00:00Z", soc_pct: 42 },
    ];
    expect((await call(gateway, "/v1/plant/telemetry", { body: { samples } })).json.accepted).toBe(3);

    const refused = await runCommand(["import", "prices", prices, "--config", config]);
    expect(refused).toMatchObject({ code: 1, out: "" });
    expect(refused.error).toMatch(/^A gateway is running on .*: stop it and import again/);
    const whileRunning = await hourgate("export", "telemetry", "--config", config);
    const period = ["--from", "2025-12-01", "--to", "2025-12-02"];
    const besides = await runCommand(["backtest", "-c", config, "--prices", prices, ...period, "--json"]);
    expect(besides.code).toBe(0);
    expect(besides.error).toMatch(/^A gateway is running on .* left out here/);
    expect(JSON.parse(besides.out).days).toBe(1);
    expect(await gateway.end("SIGTERM")).toBe(0);

    const exported = await runCommand(["export", "telemetry", "--config", config]);
    expect(exported).toMatchObject({ code: 0, error: "" });
    expect(whileRunning).toEqual(exported);
    expect(exported.out.split("\n")).toEqual([
      "timestamp,site,field,value",
      "2025-12-05T10:00:00Z,home,soc_pct,40",
      "2025-12-05T10:00:00Z,home,import_kwh,100.5",
      "2025-12-05T10:15:00.250Z,home,import_kwh,100.75",
      "2025-12-05T11:00:00Z,home,soc_pct,42",
    ]);
    const hour = ["--from", "2025-12-05T11:10+01:00", "--to", "2025-12-05T12:00+01:00"];
    const part = await runCommand(["export", "telemetry", "--config", config, ...hour]);
    expect(part.out.split("\n").slice(1)).toEqual(["2025-12-05T10:15:00.250Z,home,import_kwh,100.75"]);
  });

  it("uses the learnt load profile in the plan", async () => {
    // Of six days: the price model is not trained.
    const prices = testSite().file("prices.csv", [priceLines[0]!, ...priceLines.slice(-6 * 24)]);
    const { config } = testSite({
      clock: { start: "2025-12-05T12:00:00Z", speed: 0 },
      market: { sources: [{ type: "file", path: prices }] },
    });
    const gateway = await startGateway(config);
    // Three weeks with a load of 1 kWh per hour, three times the configured one.
    const first = Date.parse("2025-11-14T00:00:00Z");
    const samples = Array.from({ length: 21 * 24 + 1 }, (_, hour) => ({
      timestamp: new Date(first + hour * HOUR_MS).toISOString(),
      import_kwh: 500 + hour,
    }));
    expect((await call(gateway, "/v1/plant/telemetry", { body: { samples } })).json.accepted).toBe(505);
    const body = { battery: { soc_pct: 50 } };
    const plan = async (running: typeof gateway) =>
      (await call(running, "/v1/decision/hours-demand", { body })).json.day_plan[2].load_kwh as number;
    expect(await plan(gateway)).toBeLessThan(12);
    expect(await gateway.end("SIGTERM")).toBe(0);

    const restarted = await startGateway(config);
    // The load profile is learnt in the background after the start.
    await expect.poll(() => plan(restarted), { timeout: 10_000 }).toBeGreaterThan(21);
    expect(await restarted.end("SIGTERM")).toBe(0);
  });
});
