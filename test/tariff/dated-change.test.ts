import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { VIENNA } from "../../src/core/time/zone.js";
import { billMonth } from "../../src/tariff/bill.js";
import { compileTariff } from "../../src/tariff/compile-tariff.js";
import { changedFrom } from "../../src/tariff/dated-change.js";
import { periodsOf, type Tariff, type TariffPeriod } from "../../src/tariff/tariff.js";

const OWN: TariffPeriod = {
  energy: { type: "fixed", ct_kwh: 10 },
  energy_base_fee: { eur_month: 3 },
  grid_usage: { ct_kwh: 8 },
  vat_pct: 20,
  feed_in: { type: "fixed", ct_kwh: 7 },
  known_until: "2026-12-31",
};
const priced =
  (ct_kwh: number) =>
  (period: TariffPeriod): TariffPeriod => ({ ...period, energy: { type: "fixed", ct_kwh } });
const feedIn =
  (ct_kwh: number) =>
  (period: TariffPeriod): TariffPeriod => ({ ...period, feed_in: { type: "fixed", ct_kwh } });

/** 1 kWh drawn and 1 kWh fed in at noon of each day of June 2026. */
function june(tariff: Tariff) {
  const steps = Array.from({ length: 30 }, (_, day) => ({
    start: new Date(Date.UTC(2026, 5, day + 1, 10)),
    importKwh: 1,
    exportKwh: 1,
    spotCtKwh: 5,
  }));
  return billMonth({ tariff, zone: VIENNA, month: "2026-06", steps });
}

describe("a change of a tariff from a date on", () => {
  it("begins a period with everything else unchanged, and leaves what was before", () => {
    const tariff = changedFrom([OWN], "2026-06-11", priced(12));
    expect(tariff).toEqual([
      OWN,
      { ...OWN, energy: { type: "fixed", ct_kwh: 12 }, valid_from: "2026-06-11" },
    ]);
    // 10 days at (10 + 8) ct and 20 at (12 + 8) ct, the base fee of 3 EUR, 20 % VAT; 30 kWh fed in at 7 ct.
    const bill = june(tariff);
    expect(bill.netEur).toBeCloseTo(1.8 + 4 + 3, 9);
    expect(bill.totalEur).toBeCloseTo(8.8 * 1.2 - 2.1, 9);
  });

  it("takes several changes of one date together, the last price of each replacing the one before", () => {
    const first = changedFrom([OWN], "2026-06-11", priced(12));
    const both = changedFrom(changedFrom(first, "2026-06-11", priced(13)), "2026-06-11", feedIn(4));
    expect(both).toEqual([OWN, { ...feedIn(4)(priced(13)(OWN)), valid_from: "2026-06-11" }]);
    // 10 * 18 + 20 * 21 ct and the base fee; feed-in 10 * 7 + 20 * 4 ct.
    expect(june(both).totalEur).toBeCloseTo((1.8 + 4.2 + 3) * 1.2 - 1.5, 9);
    expect(changedFrom(first, "2026-06-11", priced(10))).toEqual([OWN]);
    expect(changedFrom([OWN], "2026-06-11", (period) => period)).toEqual([OWN]);
  });

  it("leaves a later period, and the time before the first date", () => {
    const dated = { ...OWN, valid_from: "2026-06-21" };
    const tariff = changedFrom([dated], "2026-06-11", priced(12));
    expect(tariff.map(({ valid_from }) => valid_from)).toEqual([undefined, "2026-06-11", "2026-06-21"]);
    // 10 and 10 days at 18 ct, 10 days at 20 ct.
    expect(june(tariff).netEur).toBeCloseTo(3.6 + 2 + 3, 9);
  });

  it("bills the short form as before until the date", () => {
    const flat = {
      markup_ct_kwh: 1,
      markup_pct: 10,
      levies_ct_kwh: 0.5,
      grid_fee_ct_kwh: [{ ct_kwh: 7 }, { months: "4-9", hours: "10-16", ct_kwh: 5.5 }],
      vat_pct: 20,
      feed_in: { type: "fixed", ct_kwh: 7, deduct_ct_kwh: 0, deduct_pct: 0 },
    } as const;
    // 5 + 0.5 + 1 ct energy, 5.5 ct grid, 0.5 ct levies: 12.5 ct; 1 kWh a day fed in at 7 ct.
    expect(june(flat).totalEur).toBeCloseTo(30 * (0.125 * 1.2 - 0.07), 9);
    const tariff = changedFrom(flat, "2026-06-11", feedIn(4));
    expect(june(tariff).totalEur).toBeCloseTo(30 * 0.15 - 0.7 - 0.8, 9);
    expect(june(changedFrom(flat, "2026-07-01", feedIn(4))).totalEur).toBeCloseTo(june(flat).totalEur, 9);
  });

  it("has no gap where amounts were known until an earlier day, and none where there was no tariff", () => {
    const tariff = changedFrom([OWN], "2027-03-01", priced(12));
    expect(tariff.map(({ known_until }) => known_until)).toEqual(["2027-02-28", "2026-12-31"]);
    expect(periodsOf(tariff)).toHaveLength(2);
    expect(changedFrom(null, "2026-06-11", priced(12))).toEqual([{ energy: { type: "fixed", ct_kwh: 12 } }]);
  });

  it("changes no price before the date and after a later change (property)", () => {
    const days = fc.integer({ min: 0, max: 700 }).map((day) => new Date(Date.UTC(2026, 0, 1 + day, 10)));
    const change = fc.tuple(days, fc.integer({ min: 1, max: 40 }));
    const dateOf = (at: Date) => at.toISOString().slice(0, 10);
    fc.assert(
      fc.property(fc.array(change, { maxLength: 8 }), change, days, (history, [from, ct], at) => {
        let tariff: readonly TariffPeriod[] = [OWN];
        for (const [date, price] of history) tariff = changedFrom(tariff, dateOf(date), priced(price));
        const changed = changedFrom(tariff, dateOf(from), priced(ct));
        const price = (of: Tariff) => compileTariff(of, VIENNA).importCtKwh(0, at);
        const next = history
          .map(([date]) => dateOf(date))
          .filter((date) => date > dateOf(from))
          .sort()[0];
        const isTouched = at >= from && (next === undefined || dateOf(at) < next);
        // Changes that change nothing leave no period, so that a later price can reach beyond their dates.
        if (at < from) expect(price(changed)).toBe(price(tariff));
        else if (isTouched) expect(price(changed)).toBeCloseTo((ct + 8) * 1.2, 9);
      }),
    );
  });
});
