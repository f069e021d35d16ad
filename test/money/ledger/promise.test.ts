import { expect, it } from "vitest";
import { PriceSeries } from "../../../src/forecast/market/price-series.js";
import { Ledger } from "../../../src/money/ledger/ledger.js";
import { samplePlan } from "../../api/fake-services.js";
import { DAYS, importCt, QUARTER_MS, START_MS, seededHome, spotCt } from "../../figures/seeded-home.js";
import { temporaryStore } from "../../store/support/folder.js";
import { manualClock } from "../../support/manual-clock.js";

/** A home with a car that comes in the evening and is charged after midnight. */
const home = seededHome({ seed: 7, pv: false, battery: false, car: true, boiler: false, measured: "meter" });
const site = { id: home.plant.id, accountId: "owner", plant: home.plant };
const HOUR_MS = 4 * QUARTER_MS;
const series = PriceSeries.of(
  Array.from({ length: (DAYS + 1) * 24 }, (_, hour) => ({
    start: new Date(START_MS + hour * HOUR_MS),
    minutes: 60 as const,
    eurPerMwh: spotCt(hour * 4) * 10,
  })),
);

it("promises at midnight what the car of the evening before saves, before that day was computed", async () => {
  const { store } = await temporaryStore();
  const midnightMs = START_MS + 24 * HOUR_MS;
  await store.samples.append(
    site.id,
    home.samples.filter(({ at }) => at.getTime() <= midnightMs),
  );
  const clock = manualClock(new Date(midnightMs));
  const ledger = new Ledger({ ...store, clock, series: () => series });
  // A plan of what happens then.
  const quarters = home.quarters.slice(96, 192);
  const sum = (of: (typeof quarters)[number][], value: (one: (typeof quarters)[number]) => number) =>
    of.reduce((all, one) => all + value(one) / 4, 0);
  const sample = samplePlan(site.id);
  const hours = Array.from({ length: 24 }, (_, hour) => {
    const part = quarters.slice(hour * 4, hour * 4 + 4);
    return {
      ...sample.days[0]!.hours[0]!,
      start: new Date(midnightMs + hour * HOUR_MS),
      end: new Date(midnightMs + (hour + 1) * HOUR_MS),
      importKwh: sum(part, ({ gridKw }) => gridKw),
      exportKwh: 0,
      pvKwh: 0,
      loadKwh: sum(part, ({ gridKw }) => gridKw),
      chargeKwh: 0,
      dischargeKwh: 0,
      priceCtKwh: spotCt(hour * 4),
      totalCtKwh: importCt(hour * 4),
    };
  });
  const plan = { ...sample, days: [{ ...sample.days[0]!, date: "2026-05-05", hours }] };
  const slotKwh = () => quarters.map(({ carKw }) => carKw / 4);
  await ledger.promisePlan(
    site,
    { date: "2026-05-05", promise: { savingEur: 0, steps: [] } },
    { plan, slotKwh },
  );
  const { promise } = await ledger.details(site.id, "2026-05-05");

  await store.samples.append(site.id, home.samples);
  await clock.set(new Date(START_MS + DAYS * 24 * HOUR_MS + 2 * HOUR_MS));
  const [, day] = await ledger.days(site, "2026-05-04", "2026-05-05");
  expect(day!.savedDevicesEur!).toBeGreaterThan(0.3);
  // The plan has hours, the meter quarter-hours.
  expect(promise!.savingEur / day!.savedDevicesEur!).toBeCloseTo(1, 1);
});
