import { describe, expect, it } from "vitest";
import { stringify } from "yaml";
import { parse } from "../../../src/config/load.js";
import { DAY_MS, HOUR_MS } from "../../../src/core/domain/interval.js";
import type { Sample } from "../../../src/core/domain/sample.js";
import { instantOf, localTime } from "../../../src/core/time/zone.js";
import { PriceSeries } from "../../../src/forecast/market/price-series.js";
import { Ledger } from "../../../src/money/ledger/ledger.js";
import { totalOf } from "../../../src/money/ledger/totals.js";
import type { HomeCommands } from "../../../src/ops/demo/home.js";
import { DemoRun } from "../../../src/ops/demo/run.js";
import { CAR, createScenario, demoSettings } from "../../../src/ops/demo/scenario.js";
import { temporaryStore } from "../../store/support/folder.js";
import { manualClock } from "../../support/manual-clock.js";

const SEED = 5;
const DAYS = 4;
/** Of readings of the uncontrolled home: the least that show its usual hours. */
const DAYS_BEFORE = 8;
/** Thursday to Sunday. */
const [FIRST, LAST] = ["2026-05-07", "2026-05-10"];
const scenario = createScenario(7, SEED, instantOf(FIRST!, 0, "Europe/Vienna"));
const { plants } = parse(
  stringify(
    demoSettings(scenario, {
      folder: "/tmp",
      speed: 300,
      httpPort: 0,
      mqttPort: 0,
      key: `hg_live_${"a".repeat(43)}`,
      password: "a password of the owner",
    }),
  ),
).settings;
const site = { id: "home", accountId: "owner", plant: plants[0]! };

/** The home of the demonstration, controlled by the clock: the car charges after midnight, what it used on Friday on Sunday, and the boiler heats at noon. */
async function livedThrough(run: DemoRun): Promise<Sample[]> {
  const samples = run
    .history()
    .slice(-DAYS_BEFORE * 96)
    .map(({ timestamp, ...values }): Sample => {
      return { at: new Date(String(timestamp)), values: values as Sample["values"] };
    });
  const commands: HomeCommands = { carLimitPct: CAR.targetPct };
  const until = new Date(scenario.start.getTime() + DAYS * DAY_MS);
  let plugged: number | undefined;
  await run.follow({
    link: {
      commands,
      refused: 0,
      report: async (home, at) => {
        const { ev_connected, ...values } = home.readings();
        // A plug is reported when it changes.
        const hasChanged = plugged !== ev_connected;
        plugged = ev_connected;
        samples.push({ at, values: { ...values, ...(hasChanged && { ev_connected }) } });
        const { hour, weekday } = localTime(at, site.plant.timezone);
        commands.wallboxOn = weekday < 6 ? hour >= 1 && hour < 5 : weekday === 7 && hour >= 12 && hour < 16;
        commands.boilerOn = hour >= 11 && hour < 14;
        commands.dischargeCapKw = commands.wallboxOn ? 0 : 5;
      },
    },
    until,
    reportMinutes: 5,
    now: () => new Date(until.getTime() + HOUR_MS),
    pause: async () => false,
    onDay: () => {},
  });
  return samples;
}

describe("the ledger of the demonstration", () => {
  it("saves what the home saves beside its uncontrolled twin, with a car that charges after midnight and on Sunday", async () => {
    const run = new DemoRun(scenario, SEED);
    const { store } = await temporaryStore();
    await store.samples.append(site.id, await livedThrough(run));
    const hourly = scenario.quarters.filter(({ start }) => start.getTime() % HOUR_MS === 0);
    const series = PriceSeries.of(
      hourly.map(({ start, eurPerMwh }) => ({ start, minutes: 60 as const, eurPerMwh })),
    );
    const clock = manualClock(new Date(scenario.start.getTime() + DAYS * DAY_MS + 2 * HOUR_MS));
    const ledger = new Ledger({ ...store, clock, series: () => series });
    await ledger.installed(site.id, FIRST);
    const days = await ledger.days(site, FIRST, LAST);
    const { costEur, savedEur } = totalOf(days);
    const { controlledCt, uncontrolledCt, storedCt } = run.summary;
    expect(costEur! * 100).toBeCloseTo(controlledCt, 0);
    const savedCt = uncontrolledCt - controlledCt + storedCt;
    expect(savedCt).toBeGreaterThan(200);
    expect(Math.abs(savedEur! * 100 - savedCt)).toBeLessThan(0.01 * savedCt);
    for (const day of days)
      expect(day.perfectEur!).toBeLessThanOrEqual(Math.min(day.costEur!, day.uncontrolledEur!));
  });
});
