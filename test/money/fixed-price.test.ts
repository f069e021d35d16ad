import { describe, expect, it } from "vitest";
import { parsePlant } from "../../src/config/plant.js";
import type { Site } from "../../src/config/site.js";
import type { MeterQuantity } from "../../src/core/domain/meter.js";
import { PriceSeries } from "../../src/forecast/market/price-series.js";
import { BillService } from "../../src/money/bill/bill-service.js";
import { dayFigures } from "../../src/money/ledger/day-figures.js";
import { ledgerPlant, measuredDay } from "../../src/money/ledger/measure-day.js";

const QUARTER_MS = 900_000;
const FIXED = {
  energy: { type: "fixed", ct_kwh: 10 },
  energy_base_fee: { eur_month: 5 },
  grid_usage: { ct_kwh: 8 },
  vat_pct: 20,
};
const NO_PRICES = PriceSeries.of([]);
/** 60 EUR/MWh from 12:00 to 13:00 on 10 June, the only price there is. */
const NOON = "2026-06-10T10:00:00.000Z";
const NOON_PRICE = PriceSeries.of([{ start: new Date(NOON), minutes: 60, eurPerMwh: 60 }]);

function siteWith(tariff: object[]): Site {
  const parsed = parsePlant({ id: "home", name: "Home", tariff }, []);
  if ("findings" in parsed) throw new Error(JSON.stringify(parsed.findings));
  return { id: "home", accountId: "owner", plant: parsed.plant };
}

/** Metered quarter-hours: 0.1 kWh drawn in each, and the given feed-in by start. */
function metered(fedIn: Readonly<Record<string, number>> = {}) {
  const starts = (from: Date, to: Date) =>
    Array.from(
      { length: (to.getTime() - from.getTime()) / QUARTER_MS },
      (_, quarter) => new Date(from.getTime() + quarter * QUARTER_MS),
    );
  return {
    samples: {
      range: () => Promise.resolve([]),
      lastBefore: () => Promise.resolve(undefined),
      firstAt: () => Promise.resolve(undefined),
    },
    meter: {
      spans: () => [],
      quantities: (): MeterQuantity[] => ["import", "export"],
      energy: (_: string, quantity: MeterQuantity, from: Date, to: Date) =>
        Promise.resolve(
          starts(from, to).map((start) => ({
            start,
            end: new Date(start.getTime() + QUARTER_MS),
            minutes: 15 as const,
            kwh: quantity === "import" ? 0.1 : (fedIn[start.toISOString()] ?? 0),
            isEstimated: false,
            communities: [],
          })),
        ),
    },
  };
}

/** 0.5 kWh in each quarter-hour of an hour. */
const hourOf = (hour: string) =>
  Object.fromEntries(
    [0, 1, 2, 3].map((quarter) => [new Date(Date.parse(hour) + quarter * QUARTER_MS).toISOString(), 0.5]),
  );

describe("the bill of a home with a fixed price", () => {
  const june = (tariff: object[], series: PriceSeries, fedIn = {}) =>
    new BillService({
      ...metered(fedIn),
      sites: { list: () => [siteWith(tariff)] },
      series: () => series,
    }).month({ month: "2026-06" });

  it.each([
    ["fixed", FIXED.energy],
    ["monthly", { type: "monthly", months: { "2026-06": 10 } }],
    ["time windows", { type: "time_windows", windows: [{ from: "00:00", to: "24:00", ct_kwh: 10 }] }],
  ])("needs no market price (%s)", async (_, energy) => {
    const { bill, missingHours, gaps } = await june([{ ...FIXED, energy }], NO_PRICES);
    expect({ missingHours, gaps }).toEqual({ missingHours: 0, gaps: [] });
    // 2880 * 0.1 kWh at 18 ct and the base fee.
    expect(bill.kwh.import).toBeCloseTo(288, 9);
    expect(bill.netEur).toBeCloseTo(56.84, 9);
    expect(bill.totalEur).toBeCloseTo(68.208, 9);
  });

  it("needs it for feed-in at the market price, and names only hours with feed-in", async () => {
    const fedIn = { ...hourOf(NOON), ...hourOf("2026-06-11T10:00:00.000Z") };
    const { bill, missingHours, gaps } = await june([FIXED], NOON_PRICE, fedIn);
    expect(missingHours).toBe(1);
    expect(gaps).toEqual([
      {
        kind: "no_feed_in_price",
        hours: 1,
        intervals: [{ start: new Date("2026-06-11T10:00:00Z"), end: new Date("2026-06-11T11:00:00Z") }],
        kwh: 2,
        eur: undefined,
      },
    ]);
    // The draw of that hour is billed; of the feed-in 2 kWh at 6 ct.
    expect(bill.kwh).toMatchObject({ export: 2 });
    expect(bill.grossEur).toBeCloseTo(68.208, 9);
    expect(bill.feedInEur).toBeCloseTo(0.12, 9);
  });

  it("needs none for feed-in at a fixed price", async () => {
    const tariff = [{ ...FIXED, feed_in: { type: "fixed", ct_kwh: 7 } }];
    const { bill, missingHours } = await june(tariff, NO_PRICES, hourOf(NOON));
    expect(missingHours).toBe(0);
    expect(bill.feedInEur).toBeCloseTo(0.14, 9);
  });

  it("needs it from the day on which the price follows the market", async () => {
    const spot = { ...FIXED, energy: { type: "spot", floor_ct_kwh: 20 }, valid_from: "2026-06-30" };
    const { bill, missingHours, gaps } = await june([FIXED, spot], NO_PRICES);
    expect(missingHours).toBe(24);
    expect(gaps).toMatchObject([{ kind: "no_price", hours: 24, eur: undefined }]);
    expect(bill.kwh.import).toBeCloseTo(278.4, 9);
  });

  it("values missing hours at the fixed price", async () => {
    const source = metered();
    const energy: typeof source.meter.energy = async (...asked) =>
      (await source.meter.energy(...asked)).filter(({ start }) => start.toISOString() >= "2026-06-01T00");
    const bills = new BillService({
      ...source,
      meter: { ...source.meter, energy },
      sites: { list: () => [siteWith([FIXED])] },
      series: () => NO_PRICES,
    });
    const { gaps } = await bills.month({ month: "2026-06" });
    // 8 quarter-hours of 0.1 kWh at 21.6 ct.
    expect(gaps).toMatchObject([{ kind: "missing", hours: 2 }]);
    expect(gaps[0]?.eur).toBeCloseTo(0.1728, 9);
  });
});

it("credits feed-in of hours without a value of the draw", async () => {
  const source = metered(hourOf("2026-05-31T22:00:00.000Z"));
  const energy: typeof source.meter.energy = async (siteId, quantity, ...stretch) =>
    (await source.meter.energy(siteId, quantity, ...stretch)).filter(
      ({ start }) => quantity !== "import" || start.toISOString() >= "2026-06-01T00",
    );
  const bills = new BillService({
    ...source,
    meter: { ...source.meter, energy },
    sites: { list: () => [siteWith([{ ...FIXED, feed_in: { type: "fixed", ct_kwh: 7 } }])] },
    series: () => NO_PRICES,
  });
  const { bill, missingHours } = await bills.month({ month: "2026-06" });
  expect(missingHours).toBe(2);
  expect(bill.kwh.import).toBeCloseTo(287.2, 9);
  // 2 kWh at 7 ct.
  expect(bill.feedInEur).toBeCloseTo(0.14, 9);
});

describe("the ledger of a home with a fixed price", () => {
  const figuresOf = async (tariff: object[], fedIn = {}) => {
    const site = siteWith(tariff);
    const pause = () => Promise.resolve();
    const day = await measuredDay({ ...metered(fedIn), series: () => NO_PRICES }, site, "2026-06-11", {
      plant: ledgerPlant(site),
      until: new Date("2026-06-12T00:00:00Z"),
      usual: new Map(),
      pause,
    });
    return (await dayFigures({ ...day, promise: undefined, opening: undefined }, { pause })).figures;
  };

  it("needs no market price", async () => {
    const figures = await figuresOf([FIXED]);
    // 96 * 0.1 kWh at 21.6 ct, and a thirtieth of 6 EUR.
    expect(figures).toMatchObject({ complete: true, missingQuarters: 0, costEur: 2.2736 });
  });

  it("leaves out quarter-hours with feed-in at an unknown market price", async () => {
    const figures = await figuresOf([FIXED], hourOf("2026-06-11T10:00:00.000Z"));
    expect(figures).toMatchObject({ complete: true, missingQuarters: 4, costEur: 2.1872 });
  });

  it("is incomplete where the price follows the market", async () => {
    const figures = await figuresOf([{ ...FIXED, energy: { type: "spot" } }]);
    expect(figures).toMatchObject({ complete: false, missingQuarters: 96, costEur: null });
  });
});
