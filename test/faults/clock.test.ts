import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { LevelSeries } from "../../src/store/level-series.js";
import { SampleArchive } from "../../src/store/sample-archive.js";
import { call, type GatewayProcess } from "../e2e/gateway-process.js";
import { device, started, temporaryFolder, testSite } from "./support/gateway.js";
import { canSetClock, SettableClock } from "./support/set-clock.js";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** A clock change is detected within seconds. */
const POLLING = { timeout: 20_000, interval: 200 };
const NOW = new Date("2026-01-15T10:05:20Z");
/** End of the published prices. */
const PRICES_UNTIL = Date.parse("2026-01-16T23:00:00Z");

/** Records the HTTP statuses and MQTT messages of a gateway. */
async function observer(gateway: GatewayProcess) {
  const mirrored = new Map<string, string>();
  const client = await device(gateway);
  client.on("message", (topic, payload) => mirrored.set(topic, payload.toString()));
  await client.subscribeAsync("hourgate/home/#", { qos: 1 });
  const statuses = new Set<number>();
  const ask = async (path: string, body?: unknown) => {
    const answer = await call(gateway, path, body === undefined ? {} : { body });
    statuses.add(answer.status);
    return answer;
  };
  /** The times shown on HTTP and MQTT. */
  const shown = async () => ({
    plan: (await ask("/v1/decision/hours-demand", {})).json.issued_at,
    forecast: (await ask("/v1/forecast")).json.prices[0].start,
    mirroredPlan: JSON.parse(mirrored.get("hourgate/home/plan") ?? "{}").issued_at,
    mirroredForecast: JSON.parse(mirrored.get("hourgate/home/forecast") ?? "{}").prices?.[0].start,
  });
  return { ask, shown, statuses };
}

/** Whether all shown times are current: plans of this quarter-hour, forecasts from this hour on. */
function isOf(now: Date, shown: Record<string, string | undefined>): Record<string, boolean> {
  return Object.fromEntries(
    Object.entries(shown).map(([what, text]) => {
      const ageMs = now.getTime() - Date.parse(text ?? "");
      return [what, ageMs > -2_000 && ageMs < (/forecast/i.test(what) ? HOUR_MS : 15 * MINUTE_MS) + 2_000];
    }),
  );
}
const ALL = { plan: true, forecast: true, mirroredPlan: true, mirroredForecast: true };

function processorSeconds(gateway: GatewayProcess): number {
  const pid = /"pid":(\d+)/.exec(gateway.output())?.[1];
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]!.split(" ");
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

/** The stored values of a reading in a data folder, in order of time. */
async function heldIn(data: string): Promise<number[]> {
  const database = await LevelSeries.open(join(data, "series"));
  const samples = await SampleArchive.open(database);
  const held = await samples.range("home", "pv_power_kw", new Date(0), new Date(1e13));
  await samples.close();
  await database.close();
  return held.map(({ value }) => value);
}

describe.skipIf(!canSetClock())("a system clock that is changed while the gateway runs", () => {
  it("forward, back and by centuries: all outputs follow within seconds, no stored data is lost", async () => {
    const clock = new SettableClock(temporaryFolder(), NOW);
    const { config, data } = testSite({
      clock: { start: null },
      quotas: { professional: { decision: 1e6, telemetry: 1e6 } },
    });
    let gateway = await started(config, clock.environment);
    let seen = await observer(gateway);
    // Ten samples in one quarter-hour, which thinning would reduce to one.
    const old = Array.from({ length: 10 }, (_, index) => ({
      timestamp: new Date(NOW.getTime() - 10 * 24 * HOUR_MS + index * MINUTE_MS).toISOString(),
      pv_power_kw: index,
    }));
    expect((await seen.ask("/v1/plant/telemetry", { samples: old })).json.accepted).toBe(10);
    const request = { slot_id: "1", energy_kwh: 7, window_start_hour: 18, window_end_hour: 6 };
    await seen.ask("/v1/decision/windows", request);

    let soc = 40;
    await seen.ask("/v1/plant/telemetry", { soc_pct: soc });
    const follows = async (to: string) => {
      clock.set(new Date(to));
      // Checked before any request that would trigger planning.
      await expect
        .poll(async () => ({ to, ...isOf(clock.now(), await seen.shown()) }), POLLING)
        .toEqual({ to, ...ALL });
      // The previous reading may have a later timestamp from a clock that was ahead: the new reading counts.
      const { latest } = (await seen.ask("/v1/plant/telemetry", { soc_pct: ++soc })).json;
      expect([to, latest.soc_pct]).toEqual([to, soc]);
      const { json: plan } = await seen.ask("/v1/decision/hours-demand", {});
      expect([to, plan.soc_age_minutes, plan.discharge_reason]).toEqual([
        to,
        0,
        expect.not.stringMatching("lost"),
      ]);
      expect((await seen.ask("/health")).status).toBe(200);
    };
    /** Prices and requests are unchanged. */
    const holdsAll = async () => {
      const { json: forecast } = await seen.ask("/v1/forecast");
      const published = forecast.prices.filter((price: { source: string }) => price.source === "day_ahead");
      expect(published).toHaveLength((PRICES_UNTIL - Date.parse(forecast.prices[0].start)) / HOUR_MS);
      const { recipes } = (await seen.ask("/v1/plant/device-schedules")).json;
      expect(recipes[0]).toMatchObject({ slot_id: "1", origin: "request" });
    };
    const cpuSeconds = processorSeconds(gateway);
    const began = performance.now();
    await follows("2026-01-15T13:05:20Z");
    await holdsAll();
    await follows("2026-01-15T12:05:20Z");
    await holdsAll();
    await follows("2099-06-01T12:05:20Z");
    await follows("2026-01-15T12:06:20Z");
    await holdsAll();
    await follows("1970-01-02T12:05:20Z");
    await follows("2026-01-15T12:07:20Z");
    await holdsAll();
    // A busy loop would use nearly one core.
    expect((1000 * (processorSeconds(gateway) - cpuSeconds)) / (performance.now() - began)).toBeLessThan(0.6);
    expect([...seen.statuses]).toEqual([200]);
    expect(await gateway.end("SIGTERM")).toBe(0);

    // A machine without a real-time clock starts at an arbitrary time and is corrected once the network is available.
    clock.set(new Date("2099-06-01T12:05:20Z"));
    gateway = await started(config, clock.environment);
    seen = await observer(gateway);
    await seen.ask("/v1/plant/telemetry", { soc_pct: 90 });
    await follows("2026-01-15T12:08:20Z");
    await holdsAll();
    expect([...seen.statuses]).toEqual([200]);
    expect(await gateway.end("SIGTERM")).toBe(0);
    expect(await heldIn(data)).toEqual(old.map(({ pv_power_kw }) => pv_power_kw));
  }, 120_000);
});
