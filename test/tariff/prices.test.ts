import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { VIENNA } from "../../src/core/time/zone.js";
import { compileTariff } from "../../src/tariff/compile-tariff.js";
import type { FlatTariff as Tariff } from "../../src/tariff/tariff.js";

const NOON = new Date("2026-01-15T11:00:00Z");

describe("import price", () => {
  // By hand: (10 + 0.3 + 1.5 + 0.6 + 8.5) * 1.2 = 25.08
  const tariff: Tariff = {
    markup_ct_kwh: 1.5,
    markup_pct: 3,
    levies_ct_kwh: 0.6,
    grid_fee_ct_kwh: 8.5,
    vat_pct: 20,
  };
  it("adds markups, levies and grid fee, then VAT", () => {
    expect(compileTariff(tariff, VIENNA).importCtKwh(10, NOON)).toBeCloseTo(25.08, 10);
  });

  it("applies the percentage to the absolute price", () => {
    // (-10 + 0.3 + 1.5 + 0.6 + 8.5) * 1.2 = 1.08
    expect(compileTariff(tariff, VIENNA).importCtKwh(-10, NOON)).toBeCloseTo(1.08, 10);
  });

  it("is the market price without any addition", () => {
    expect(compileTariff({}, VIENNA).importCtKwh(-3.21, NOON)).toBe(-3.21);
  });

  it("increases with the market price for any tariff", () => {
    const part = fc.double({ min: 0, max: 99, noNaN: true });
    const spot = fc.double({ min: -50, max: 400, noNaN: true });
    fc.assert(
      fc.property(part, part, part, spot, spot, (markup, pct, vat, a, b) => {
        const { importCtKwh, exportCtKwh } = compileTariff(
          {
            markup_ct_kwh: markup,
            markup_pct: pct,
            vat_pct: vat,
            feed_in: { type: "spot", deduct_pct: pct },
          },
          VIENNA,
        );
        const [low, high] = [Math.min(a, b), Math.max(a, b)];
        // Prices that differ in their last digit may change their order by rounding.
        const rounding = 1e-9;
        expect(importCtKwh(low, NOON)).toBeLessThanOrEqual(importCtKwh(high, NOON) + rounding);
        expect(exportCtKwh(low, NOON)).toBeLessThanOrEqual(exportCtKwh(high, NOON) + rounding);
        expect(exportCtKwh(a, NOON)).toBeLessThanOrEqual(a + rounding);
      }),
    );
  });
});

describe("grid fee in bands", () => {
  const fee = (bands: Tariff["grid_fee_ct_kwh"], at: string) =>
    compileTariff({ grid_fee_ct_kwh: bands }, VIENNA).importCtKwh(0, new Date(at));
  const summer = [{ ct_kwh: 8 }, { months: "4-9", hours: "10-16", ct_kwh: 6.4 }];

  it.each([
    ["2026-04-01T08:00:00Z", 6.4, "10:00 in April"],
    ["2026-04-01T07:59:00Z", 8, "a minute before"],
    ["2026-09-30T13:59:00Z", 6.4, "15:59 at the end of September"],
    ["2026-09-30T14:00:00Z", 8, "16:00"],
    ["2026-10-01T10:00:00Z", 8, "noon in October"],
    ["2026-03-31T10:00:00Z", 8, "noon in March"],
    ["2025-03-30T22:30:00Z", 8, "after midnight on the day after the change"],
  ])("%s costs %d (%s)", (at, expected) => {
    expect(fee(summer, at)).toBe(expected);
  });

  it("wraps around the new year and midnight", () => {
    const winterNights = [{ months: "10-3", hours: "22-6", ct_kwh: 5 }];
    expect(fee(winterNights, "2026-12-15T22:30:00Z")).toBe(5);
    expect(fee(winterNights, "2026-01-15T04:59:00Z")).toBe(5);
    expect(fee(winterNights, "2026-01-15T05:00:00Z")).toBe(0);
    expect(fee(winterNights, "2026-06-15T22:30:00Z")).toBe(0);
  });

  it("uses the last matching band, and is 0 without one", () => {
    const bands = [
      { months: "1", ct_kwh: 1 },
      { hours: "0-24", ct_kwh: 2 },
      { months: "1", hours: "3", ct_kwh: 3 },
    ];
    expect(fee(bands, "2026-01-15T02:30:00Z")).toBe(3);
    expect(fee(bands, "2026-01-15T03:30:00Z")).toBe(2);
    expect(fee([{ months: "7", ct_kwh: 4 }], "2026-01-15T03:30:00Z")).toBe(0);
  });

  it("uses local hours on both days with a clock change", () => {
    const band = [{ hours: "2-3", ct_kwh: 7 }];
    // Spring has no hour 2; autumn has it twice.
    const hours = (from: string, count: number) =>
      Array.from({ length: count }, (_, index) =>
        fee(band, new Date(Date.parse(from) + index * 3_600_000).toISOString()),
      );
    expect(hours("2025-03-29T23:00:00Z", 23).filter((price) => price === 7)).toHaveLength(0);
    expect(hours("2025-10-25T22:00:00Z", 25).filter((price) => price === 7)).toHaveLength(2);
  });

  it.each(["13", "0-5", "5-", "x", "4-13", ""])("rejects months %s", (months) => {
    expect(() => compileTariff({ grid_fee_ct_kwh: [{ months, ct_kwh: 1 }] }, VIENNA)).toThrow(
      /grid_fee_ct_kwh\[0\]\.months/,
    );
  });
});

describe("export price", () => {
  it("is the market price without a feed-in tariff", () => {
    expect(compileTariff({ vat_pct: 20, markup_ct_kwh: 3 }, VIENNA).exportCtKwh(-4, NOON)).toBe(-4);
    expect(compileTariff({ feed_in: null }, VIENNA).exportCtKwh(4, NOON)).toBe(4);
  });

  it("deducts from the market price, the percentage of its absolute value", () => {
    const feed_in = { type: "spot", deduct_ct_kwh: 1, deduct_pct: 10 } as const;
    expect(compileTariff({ feed_in }, VIENNA).exportCtKwh(8, NOON)).toBeCloseTo(6.2, 10);
    expect(compileTariff({ feed_in }, VIENNA).exportCtKwh(-8, NOON)).toBeCloseTo(-9.8, 10);
  });

  it("is the fixed price minus the deductions", () => {
    const feed_in = { type: "fixed", ct_kwh: 7.5, deduct_ct_kwh: 0.5 } as const;
    expect(compileTariff({ feed_in }, VIENNA).exportCtKwh(40, NOON)).toBe(7);
    expect(() => compileTariff({ feed_in: { type: "fixed" } }, VIENNA)).toThrow("feed_in.ct_kwh");
  });
});
