import { expect, it } from "vitest";
import { defaultSettings } from "../../../src/config/load.js";
import { type Improvement, weeklyStory } from "../../../src/messages/notifications/weekly-story.js";
import type { DayFigures } from "../../../src/money/ledger/ledger-day.js";
import type { DayDetails } from "../../../src/money/ledger/stored-day.js";

const SITE = {
  id: "home",
  accountId: "owner",
  plant: { ...defaultSettings().plants[0]!, timezone: "Europe/Vienna" },
};
const MONDAY = "2026-01-12";
/** The start of that day in Vienna. */
const START_MS = Date.parse("2026-01-11T23:00:00Z");

/** A complete day with a saving, EUR; null: it is not known. */
function dayWith(date: string, savedEur: number | null, changes: Partial<DayFigures> = {}): DayFigures {
  return {
    date,
    complete: savedEur !== null,
    costEur: 1,
    noBatteryEur: 2,
    uncontrolledEur: 2,
    promisedEur: 1,
    perfectEur: 1,
    storedChangeEur: 0,
    savedEur,
    savedBatteryEur: savedEur,
    savedDevicesEur: 0,
    negativeReason: null,
    promisedSavingEur: 0,
    kwh: { import: 1, export: 0, pv: 0, load: 1, charge: 0, discharge: 0 },
    missingQuarters: savedEur === null ? 40 : 0,
    ...changes,
  };
}

const dates = Array.from({ length: 7 }, (_, index) => `2026-01-${12 + index}`);
const always = (value: number) => Array.from({ length: 96 }, () => value);

/** Quarter-hours of a day: 0.1 kWh at 20 ct, but what the changes say by quarter-hour. */
function quartersWith(changes: Record<number, { importKwh: number; importCtKwh: number }> = {}) {
  const columns = { importKwh: always(0.1), importCtKwh: always(20) };
  for (const [at, { importKwh, importCtKwh }] of Object.entries(changes)) {
    columns.importKwh[Number(at)] = importKwh;
    columns.importCtKwh[Number(at)] = importCtKwh;
  }
  const others = {
    exportKwh: always(0),
    chargeKwh: always(0),
    dischargeKwh: always(0),
    exportCtKwh: always(5),
  };
  return { ...columns, ...others, pvKwh: always(0.05), loadKwh: always(0.15), slots: {} };
}

const storyOf = (
  days: readonly DayFigures[],
  {
    details = () => ({ quarters: quartersWith() }),
    improvements = [],
  }: {
    details?: (date: string) => Omit<DayDetails, "version">;
    improvements?: readonly Improvement[];
  } = {},
) =>
  weeklyStory(
    {
      ledger: {
        days: async () => [...days],
        details: async (_site, date) => ({ version: 1, ...details(date) }),
      },
      improvements: async () => improvements,
    },
    SITE,
    MONDAY,
  );

it("sums the savings as the savings page does, and finds the cheapest hour in which energy was taken", async () => {
  const days = dates.map((date, index) => dayWith(date, index / 10));
  // Tuesday 3 to 4 o'clock: 2 kWh for 1 × 2 + 0.25 × 3 + 0.25 × 4 + 0.5 × 3 = 5.25 ct; at 4 o'clock it was cheaper, but next to nothing was taken.
  const tuesday = quartersWith({
    12: { importKwh: 1, importCtKwh: 2 },
    13: { importKwh: 0.25, importCtKwh: 3 },
    14: { importKwh: 0.25, importCtKwh: 4 },
    15: { importKwh: 0.5, importCtKwh: 3 },
    ...Object.fromEntries([16, 17, 18, 19].map((at) => [at, { importKwh: 0.04, importCtKwh: 1 }])),
  });
  const story = await storyOf(days, {
    details: (date) => ({ quarters: date === dates[1] ? tuesday : quartersWith() }),
  });
  expect(story).toMatchObject({ from: MONDAY, to: "2026-01-18", days: 7, missed: null, suggestion: null });
  expect(story?.savedEur).toBeCloseTo(2.1);
  expect(story?.cheapest).toEqual({ startMs: START_MS + 27 * 3_600_000, ctKwh: 2.625, energyKwh: 2 });
});

it("names the day and the quantity that the forecast missed most, from a kilowatt hour on", async () => {
  const days = dates.map((date) => dayWith(date, 0.1));
  const expected = (pvKwh: number, loadKwh: number, day: number) => [
    { startMs: START_MS + day * 86_400_000, endMs: START_MS + (day + 1) * 86_400_000, pvKwh, loadKwh },
  ];
  // Measured: 96 × 0.05 = 4.8 kWh of PV, 96 × 0.15 = 14.4 kWh of load.
  const forecasts = [expected(5, 14, 0), expected(9, 14.4, 1), expected(4.8, 9, 2)];
  const story = await storyOf(days, {
    details: (date) => ({ quarters: quartersWith(), forecast: forecasts[dates.indexOf(date)] ?? [] }),
  });
  expect(story?.missed).toMatchObject({ what: "load", startMs: START_MS + 2 * 86_400_000, forecastKwh: 9 });
  expect(story?.missed?.measuredKwh).toBeCloseTo(14.4);
  const close = await storyOf(days, {
    details: () => ({ quarters: quartersWith(), forecast: expected(5.5, 14, 0) }),
  });
  expect(close?.missed).toBeNull();
});

it("suggests what is worth most attention, and nothing where nothing is known", async () => {
  const good = dates.map((date) => dayWith(date, 0.2));
  const suggested = async (...given: Parameters<typeof storyOf>) => (await storyOf(...given))?.suggestion;
  const tariff: Improvement = { kind: "tariff", name: "Sunny", worthEur: 42 };
  const battery: Improvement = { kind: "battery", size: 15, worthEur: 30 };
  expect(await suggested(good)).toBeNull();
  expect(await suggested(good, { improvements: [battery, tariff] })).toEqual(tariff);
  expect(await suggested(good, { improvements: [{ ...battery, worthEur: 4 }] })).toBeNull();
  const overridden = [
    ...good.slice(2),
    ...dates.slice(0, 2).map((date) => dayWith(date, -0.3, { negativeReason: "override" })),
  ];
  expect(await suggested(overridden, { improvements: [tariff] })).toEqual({
    kind: "override",
    days: 2,
    worthEur: 0.6,
  });
  const gaps = [...good.slice(2), ...dates.slice(0, 2).map((date) => dayWith(date, null))];
  expect(await suggested(gaps)).toEqual({ kind: "missing_readings", days: 2, worthEur: expect.closeTo(0.4) });
  const unknown = dates.map((date) => dayWith(date, null));
  expect(await storyOf(unknown, { details: () => ({}) })).toBeUndefined();
});
