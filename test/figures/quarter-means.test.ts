import { expect, it } from "vitest";
import type { TimedValue } from "../../src/core/domain/counter.js";
import type { Reading, Sample } from "../../src/core/domain/sample.js";
import { slotsApart } from "../../src/core/domain/slots-apart.js";
import { PriceSeries } from "../../src/forecast/market/price-series.js";
import { Ledger } from "../../src/money/ledger/ledger.js";
import { totalOf } from "../../src/money/ledger/totals.js";
import { measuredLoad } from "../../src/telemetry/measured-load.js";
import { temporaryStore } from "../store/support/folder.js";
import { manualClock } from "../support/manual-clock.js";
import { DAYS, type HomeKind, QUARTER_MS, START_MS, seededHome, spotCt, worthCt } from "./seeded-home.js";

const HOMES: HomeKind[] = [
  { seed: 0, pv: true, battery: true, car: true, boiler: true, measured: "inverter" },
  { seed: 5, pv: true, battery: false, car: true, boiler: true, measured: "evcc" },
];
const END_MS = START_MS + DAYS * 96 * QUARTER_MS;
const series = PriceSeries.of(
  Array.from({ length: (DAYS + 1) * 24 }, (_, hour) => ({
    start: new Date(START_MS + hour * 4 * QUARTER_MS),
    minutes: 60 as const,
    eurPerMwh: spotCt(hour * 4) * 10,
  })),
);
const isOfInterval = (reading: string) => reading.endsWith("power_kw") || reading === "ev_connected";

/** The same readings from a home that reports each quarter-hour at its end: means of powers, and where the car was. */
function atTheEnd(samples: readonly Sample[], without: readonly Reading[]): Sample[] {
  return samples.map(({ at, values }, t) => {
    const of = (from: Sample["values"], isPart: (reading: string) => boolean) =>
      Object.entries(from).filter(([name]) => isPart(name) && !without.includes(name as Reading));
    const before = samples[t - 1]?.values ?? {};
    return {
      at,
      values: Object.fromEntries([...of(values, (name) => !isOfInterval(name)), ...of(before, isOfInterval)]),
    };
  });
}

it.each([
  { home: HOMES[0]!, without: ["slot_2_energy_kwh"] as const, by: "powers alone" },
  { home: HOMES[1]!, without: [], by: "powers and counters" },
])(
  "home $home.seed that reports each quarter-hour at its end saves by its $by what it saves beside its twin",
  async (of) => {
    const home = seededHome(of.home);
    const site = { id: home.plant.id, accountId: "owner", plant: home.plant };
    const { store } = await temporaryStore();
    await store.samples.append(site.id, atTheEnd(home.samples, of.without));
    const clock = manualClock(new Date(END_MS + 8 * QUARTER_MS));
    const ledger = new Ledger({ ...store, clock, series: () => series });
    const days = await ledger.days(site, "2026-05-04", "2026-05-06");
    for (const [index, { costEur }] of home.days.entries())
      expect(days[index]!.costEur!).toBeCloseTo(costEur, 2);
    const stored = of.home.battery ? ((home.endKwh - home.twinEndKwh) * worthCt()) / 100 : 0;
    const truly = home.days.reduce((sum, day) => sum + day.uncontrolledEur - day.costEur, stored);
    expect(Math.abs(totalOf(days).savedEur! / truly - 1)).toBeLessThan(0.01);
    // The car of the second night by quarter-hour, as it was.
    const { slots } = (await ledger.quarters(site.id, "2026-05-05"))!;
    for (const [t, { carKw }] of home.quarters.slice(96, 192).entries())
      expect(slots[1]![t]).toBeCloseTo(carKw / 4, 3);
  },
);

it.each(HOMES)(
  "home $seed that reports each quarter-hour at its end has its household without its devices",
  (kind) => {
    const home = seededHome(kind);
    const readings: Partial<Record<Reading, TimedValue[]>> = {};
    for (const { at, values } of atTheEnd(home.samples, ["slot_2_energy_kwh"]))
      for (const [name, value = 0] of Object.entries(values)) {
        const reading = name as Reading;
        readings[reading] = [...(readings[reading] ?? []), { at, value }];
      }
    const stretch = { start: new Date(START_MS), end: new Date(END_MS) };
    const household = measuredLoad(readings, stretch, new Set(Object.keys(readings) as Reading[]), {
      battery: { capacityKwh: 10, oneWayEfficiency: Math.sqrt(0.9) },
      hasPv: kind.pv,
      slots: slotsApart(home.plant.slots),
      loadWithout: { vehicles: kind.measured === "evcc", slots: [] },
    });
    expect(household.length).toBeGreaterThan(DAYS * 96 - 4);
    for (const { start, kwh } of household) {
      const { householdKw } = home.quarters[(start.getTime() - START_MS) / QUARTER_MS]!;
      expect(kwh).toBeCloseTo(householdKw / 4, 5);
    }
  },
);
