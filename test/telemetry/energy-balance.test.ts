import { describe, expect, it } from "vitest";
import { parsePlant } from "../../src/config/plant.js";
import { SiteRuntimes } from "../../src/config/site-runtimes.js";
import { createBus } from "../../src/core/bus.js";
import type { ComponentSentence } from "../../src/core/domain/component-sentence.js";
import type { LiveState, Reading } from "../../src/core/domain/sample.js";
import { BalanceMonitor } from "../../src/telemetry/balance-monitor.js";
import { powerBalance } from "../../src/telemetry/energy-balance.js";
import { manualClock } from "../support/manual-clock.js";

const MINUTE_MS = 60_000;
const START = new Date("2026-05-04T08:00:00Z");

/** A home with PV, battery, a wallbox and a boiler that is planned. */
function plantWith(telemetry: object = {}, topics: object[] = []) {
  const parsed = parsePlant(
    {
      id: "home",
      battery: { capacity_kwh: 10 },
      pv: [{ peak_kw: 6 }],
      slots: [
        { slot: 1, kind: "wallbox" },
        { slot: 2, kind: "boiler", power_kw: 2, energy_kwh: 4 },
      ],
      telemetry,
    },
    topics,
  );
  if ("findings" in parsed) throw new Error(JSON.stringify(parsed.findings));
  return parsed.plant;
}

type Powers = Partial<Record<Reading, number>>;
const balanceOf = (plant: ReturnType<typeof plantWith>, powers: Powers) =>
  powerBalance(plant, (reading) => powers[reading]);

describe("powerBalance", () => {
  // PV 0.78 and household 0.6 kW; the battery takes the rest.
  const sunny = { pv_power_kw: 0.78, battery_power_kw: 0.18 };

  it("has no import where PV serves home and battery", () => {
    const { gridKw, loadKw } = balanceOf(plantWith(), { ...sunny, load_power_kw: 0.6 });
    expect(loadKw).toBe(0.6);
    expect(gridKw).toBeCloseTo(0, 9);
  });

  it("counts a device once, whether the load contains it or not", () => {
    // 0.6 kW household, 7 kW car, 2 kW boiler: 9.6 kW, of which 9 kW from the grid.
    const devices = { slot_1_power_kw: 7, slot_2_power_kw: 2 };
    const all = { loadKw: 9.6, householdKw: 0.6, vehicleKw: 7, gridKw: 9 };
    for (const [load, without] of [
      [9.6, []],
      [2.6, [1]],
      [0.6, [1, 2]],
    ] as const) {
      const plant = plantWith({ load_without: without });
      const balance = balanceOf(plant, { ...sunny, ...devices, load_power_kw: load });
      for (const [name, kw] of Object.entries(all))
        expect(balance[name as keyof typeof all]).toBeCloseTo(kw, 9);
    }
    const byGrid = balanceOf(plantWith(), { ...sunny, ...devices, grid_power_kw: 9 });
    for (const [name, kw] of Object.entries(all)) expect(byGrid[name as keyof typeof all]).toBeCloseTo(kw, 9);
  });

  it("believes the grid, and says by how much the load as read differs", () => {
    const { loadKw, gapKw } = balanceOf(plantWith(), { ...sunny, grid_power_kw: 0.5, load_power_kw: 0.6 });
    expect(loadKw).toBeCloseTo(1.1, 9);
    expect(gapKw).toBeCloseTo(0.5, 9);
  });

  it("takes the wallboxes out of evcc's homePower without a setting", () => {
    const topics = [{ topic: "evcc/site/homePower", field: "load_power_kw", scale: 0.001 }];
    expect(plantWith({}, topics).telemetry.load_without).toEqual([1]);
    expect(plantWith({ load_without: [] }, topics).telemetry.load_without).toEqual([]);
    expect(plantWith().telemetry.load_without).toEqual([]);
  });
});

describe("BalanceMonitor", () => {
  async function watched(plant = plantWith()) {
    const bus = createBus();
    const clock = manualClock(START);
    const live: LiveState = {};
    const said: (readonly ComponentSentence[])[] = [];
    const monitor = new BalanceMonitor({
      bus,
      clock,
      sites: new SiteRuntimes(bus, [{ id: "home", accountId: "owner", plant }]),
      telemetry: { live: () => live },
      freshness: { staleMinutes: 15, lostMinutes: 120 },
      components: { report: (_name, _state, detail) => said.push(detail), remove: () => said.push([]) },
    });
    await monitor.start();
    /** The readings of some minutes, each minute. */
    const run = async (minutes: number, powers: (minute: number) => Powers) => {
      for (let minute = 0; minute < minutes; minute++) {
        const now = new Date(clock.now().getTime() + MINUTE_MS);
        await clock.set(now);
        const values = powers(minute);
        for (const [name, value] of Object.entries(values))
          live[name as Reading] = { value: value!, at: now };
        bus.emit("telemetry.received", { siteId: "home", sample: { at: now, values } });
      }
    };
    return { run, said };
  }

  it("says what does not add up after five minutes, and that a sign may be reversed", async () => {
    const { run, said } = await watched();
    const powers = { pv_power_kw: 0.8, grid_power_kw: 0.5, load_power_kw: 0.1, battery_power_kw: 0.2 };
    await run(5, () => powers);
    expect(said).toEqual([]);
    await run(2, () => powers);
    expect(said.at(-1)).toEqual([
      { code: "balance_open", pvKw: 0.8, gridKw: 0.5, homeKw: 0.1, batteryKw: 0.2, reversed: "grid" },
    ]);
    await run(1, () => ({ ...powers, grid_power_kw: -0.5 }));
    expect(said.at(-1)).toEqual([]);
  });

  it("proposes the setting that fits, by the power of the grid or its counters", async () => {
    for (const isCounted of [false, true]) {
      const { run, said } = await watched();
      let importKwh = 100;
      // The load as read has no car in it, and the settings say that it contains everything.
      await run(5 * 60, (minute) => {
        const carKw = minute < 240 ? 3.7 : 0;
        importKwh += (0.4 + carKw) / 60;
        return {
          pv_power_kw: 0,
          battery_power_kw: 0,
          load_power_kw: 0.4,
          slot_1_power_kw: carKw,
          ...(isCounted ? { import_kwh: importKwh } : { grid_power_kw: 0.4 + carKw }),
        };
      });
      expect(said.at(-1)).toContainEqual({
        code: "load_contains",
        slots: "1",
        isContained: false,
        setting: "[1]",
      });
      const right = await watched(plantWith({ load_without: [1] }));
      await right.run(5 * 60, () => ({
        pv_power_kw: 0,
        battery_power_kw: 0,
        load_power_kw: 0.4,
        slot_1_power_kw: 3.7,
        grid_power_kw: 4.1,
      }));
      expect(right.said).toEqual([]);
    }
  });
});
