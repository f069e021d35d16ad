import { expect, it } from "vitest";
import { defaultSettings } from "../../../src/config/load.js";
import type { Site } from "../../../src/config/site.js";
import { SiteRuntimes } from "../../../src/config/site-runtimes.js";
import { createBus } from "../../../src/core/bus.js";
import { VIENNA } from "../../../src/core/time/zone.js";
import { MonthPeaks } from "../../../src/money/bill/month-peak.js";
import { compileTariff } from "../../../src/tariff/compile-tariff.js";
import { manualClock } from "../../support/manual-clock.js";

const QUARTER_MS = 900_000;

/** Kilowatts from `start` on, one a quarter-hour, as readings of a counter. */
function counter(start: Date, powersKw: readonly number[]) {
  let kwh = 100;
  const values = [{ at: start, value: kwh }];
  for (const [k, kw] of powersKw.entries()) {
    kwh += kw / 4;
    values.push({ at: new Date(start.getTime() + (k + 1) * QUARTER_MS), value: kwh });
  }
  return values;
}

async function peakAt(now: string, grid_power: { eur_kw_year: number; window?: object }) {
  // 22:00 UTC is midnight in Vienna: the first two quarter-hours belong to June.
  const history = counter(new Date("2026-06-30T21:30:00Z"), [9, 9, 1, 2, 3.2, 0.5, 0.5, 0.5]);
  const [example] = defaultSettings().plants;
  const site: Site = { id: "home", accountId: "owner", plant: { ...example!, timezone: VIENNA } };
  const prices = compileTariff([{ grid_power, vat_pct: 20 }], VIENNA);
  const peaks = new MonthPeaks({
    clock: manualClock(new Date(now)),
    sites: new SiteRuntimes(createBus(), [site]),
    tariff: () => prices,
    samples: {
      range: async (_, reading, from, to) =>
        reading === "import_kwh" ? history.filter(({ at }) => at >= from && at <= to) : [],
    },
    meter: { spans: () => [], quantities: () => [], energy: async () => [] },
    log: { warn: () => {} },
  });
  await peaks.start();
  await peaks.stop();
  return peaks.kw("home");
}

it("knows the month's highest quarter-hour from the history of the meter, right after the start", async () => {
  expect(await peakAt("2026-06-30T23:30:00Z", { eur_kw_year: 40 })).toBeCloseTo(3.2, 9);
  expect(await peakAt("2026-06-30T22:30:00Z", { eur_kw_year: 40 })).toBeCloseTo(2, 9);
  expect(await peakAt("2026-06-30T21:59:00Z", { eur_kw_year: 40 })).toBeCloseTo(9, 9);
});

it("counts only the window of the price, and nothing without a price", async () => {
  const window = { from: "00:45", to: "24:00" };
  expect(await peakAt("2026-06-30T23:30:00Z", { eur_kw_year: 40, window })).toBeCloseTo(0.5, 9);
  expect(await peakAt("2026-06-30T23:30:00Z", { eur_kw_year: 0 })).toBeUndefined();
});

it("prices a kW of the month with VAT", () => {
  const prices = compileTariff([{ grid_power: { eur_kw_year: 40, min_kw: 2 }, vat_pct: 20 }], VIENNA);
  const peak = prices.peakPrice?.(new Date("2026-07-01T10:00:00Z"));
  expect(peak).toMatchObject({ minKw: 2, tiers: [{ overKw: 0, ctPerKw: expect.closeTo(400, 6) }] });
});
