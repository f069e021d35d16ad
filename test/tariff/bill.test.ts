import { describe, expect, it } from "vitest";
import { VIENNA } from "../../src/core/time/zone.js";
import { billMonth } from "../../src/tariff/bill.js";
import { roundCent } from "../../src/tariff/bill-lines.js";
import { compileTariff } from "../../src/tariff/compile-tariff.js";
import type { TariffPeriod } from "../../src/tariff/tariff.js";

/** A household in Lower Austria in July 2026, calculated by hand: kWh, market price in EUR/MWh, kWh of the community. */
const HOURS: readonly [string, number, number, number][] = [
  ["2026-07-01T07:00:00Z", 1, 80, 0.3],
  ["2026-07-01T08:00:00Z", 2, 20, 0.8],
  ["2026-07-01T11:00:00Z", 4, -10, 2.2],
  ["2026-07-01T13:00:00Z", 1.5, 30, 0.3],
  ["2026-07-01T14:00:00Z", 0.5, 60, 0],
  ["2026-07-01T18:00:00Z", 3, 150, 0],
  ["2026-07-19T10:00:00Z", 3, 40, 1.2],
  ["2026-07-31T21:00:00Z", 1, 100, 0],
];

const STEPS = HOURS.flatMap(([start, kwh, eurMwh, communityKwh]) =>
  [0, 1, 2, 3].map((quarter) => ({
    start: new Date(Date.parse(start) + quarter * 900_000),
    importKwh: kwh / 4,
    communityKwh: communityKwh / 4,
    spotCtKwh: eurMwh / 10,
  })),
);

const SUMMER = { months: "4-9", from: "10:00", to: "16:00" };

const SPOT: TariffPeriod = {
  valid_from: "2026-01-01",
  energy: { type: "spot", markup_ct_kwh: 1.5, markup_pct: 3, pct_of: "absolute" },
  energy_base_fee: { eur_month: 4.79 },
  grid_usage: {
    windows: [{ ct_kwh: 8.79 }, { ...SUMMER, ct_kwh: 7.03 }],
    flat_eur_year: 54,
    metering_eur_month: 2.2,
  },
  grid_loss: { ct_kwh: 0.384 },
  levies: [
    { name: "Elektrizitätsabgabe", ct_kwh: 0.1, valid_to: "2026-12-31" },
    { name: "Elektrizitätsabgabe", ct_kwh: 1.5, valid_from: "2027-01-01" },
    { name: "Förderbeitrag Arbeit", ct_kwh: 0.62 },
    { name: "Förderbeitrag Zählpunkt", eur_year: 3.796 },
    { name: "Förderpauschale", eur_year: 19.02 },
  ],
  vat_pct: 20,
};

const bill = (period: TariffPeriod) =>
  billMonth({ tariff: [period], zone: VIENNA, month: "2026-07", steps: STEPS });

describe("bill of a month", () => {
  it("adds a spot tariff with the summer low price", () => {
    const { netEur, vatEur, grossEur, lines, kwh } = bill(SPOT);
    expect(netEur).toBeCloseTo(15.881723, 6);
    expect(vatEur).toBeCloseTo(3.176345, 6);
    expect(roundCent(grossEur)).toBe(19.06);
    expect(kwh.import).toBeCloseTo(16, 9);
    expect(kwh.byWindow).toEqual({ normal: 5.5, "months 4-9, 10:00-16:00": 10.5 });
    expect(lines.map(({ part, netEur }) => [part, Number(netEur.toFixed(6))])).toEqual([
      ["energy", 1.09215],
      ["base_fee", 4.79],
      ["grid_usage", 0.48345],
      ["grid_usage", 0.73815],
      ["grid_loss", 0.06144],
      ["grid_flat", 4.5],
      ["metering", 2.2],
      ["levy", 0.016],
      ["levy", 0.0992],
      ["levy", 0.316333],
      ["levy", 1.585],
    ]);
  });

  it("adds a fixed price", () => {
    const fixed = bill({ ...SPOT, energy: { type: "fixed", ct_kwh: 10 }, energy_base_fee: { eur_month: 3 } });
    expect(fixed.netEur).toBeCloseTo(14.599573, 6);
    expect(roundCent(fixed.grossEur)).toBe(17.52);
  });

  it("bills what a local community covers without summer price, supplier and two levies", () => {
    const shared = bill({
      ...SPOT,
      community: {
        price_ct_kwh: 12,
        vat_pct: 0,
        grid_usage_discount_pct: 57,
        levies_waived: ["Elektrizitätsabgabe", "Förderbeitrag Arbeit"],
      },
    });
    expect(shared.netEur).toBeCloseTo(15.535299, 5);
    expect(roundCent(shared.grossEur)).toBe(18.64);
    expect(shared.communityEur).toBeCloseTo(0.576, 9);
    expect(roundCent(shared.totalEur)).toBe(19.22);
  });

  it("takes the normal price all day without quarter-hour values", () => {
    const normal = bill({ ...SPOT, grid_usage: { ...SPOT.grid_usage, ct_kwh: 8.79, windows: [] } });
    expect(roundCent(normal.grossEur)).toBe(19.28);
  });

  it("adds the municipal levy of Vienna on energy and grid", () => {
    const vienna = bill(VIENNESE);
    expect(vienna.netEur).toBeCloseTo(16.63696, 5);
    expect(roundCent(vienna.grossEur)).toBe(19.96);
  });

  it("charges fixed amounts by days where the tariff changes within the month", () => {
    const two = billMonth({
      tariff: [
        { ...SPOT, energy_base_fee: { eur_month: 3.1 } },
        { ...SPOT, valid_from: "2026-07-11", energy_base_fee: { eur_month: 6.2 } },
      ],
      zone: VIENNA,
      month: "2026-07",
      steps: STEPS,
    });
    const fees = two.lines.filter(({ part }) => part === "base_fee").map(({ netEur }) => netEur);
    expect(fees[0]).toBeCloseTo(1, 9);
    expect(fees[1]).toBeCloseTo(4.2, 9);
    expect(
      two.lines.filter(({ part }) => part === "grid_flat").reduce((sum, l) => sum + l.netEur, 0),
    ).toBeCloseTo(4.5, 9);
  });

  it("charges the highest quarter-hour of the month, at least the least power, in steps", () => {
    const power = (peakKwh: number, grid_power: NonNullable<TariffPeriod["grid_power"]>) =>
      billMonth({
        tariff: [{ grid_power, vat_pct: 20 }],
        zone: VIENNA,
        month: "2027-01",
        steps: [{ start: new Date("2027-01-05T17:00:00Z"), importKwh: peakKwh, spotCtKwh: 0 }],
      }).lines.filter(({ part }) => part === "grid_power");
    expect(power(1.25, { eur_kw_year: 24, min_kw: 2 })).toMatchObject([{ quantity: 5, netEur: 10 }]);
    expect(power(0.1, { eur_kw_year: 24, min_kw: 2 })).toMatchObject([{ quantity: 2, netEur: 4 }]);
    const steps = [{ over_kw: 10, eur_kw_year: 48 }];
    expect(power(3, { eur_kw_year: 24, steps }).map(({ netEur }) => netEur)).toEqual([20, 8]);
  });

  it("charges the month's highest quarter-hour by days where the tariff changes within the month", () => {
    const grid_power = { eur_kw_year: 24, min_kw: 2 };
    const at = (date: string, importKwh: number) => ({
      start: new Date(`2026-06-${date}T17:00:00Z`),
      importKwh,
      spotCtKwh: 0,
    });
    const { lines } = billMonth({
      tariff: [{ grid_power }, { grid_power, valid_from: "2026-06-11" }],
      zone: VIENNA,
      month: "2026-06",
      steps: [at("05", 1.5), at("20", 0.75)],
    });
    const power = lines.filter(({ part }) => part === "grid_power");
    expect(power.map(({ quantity }) => quantity)).toEqual([6, 6]);
    expect(power.reduce((sum, { netEur }) => sum + netEur, 0)).toBeCloseTo(12, 9);
  });

  it("names a price that is not known for any of the periods of a month", () => {
    const { estimated } = billMonth({
      tariff: [
        { energy: { type: "fixed", ct_kwh: 10 } },
        { energy: { type: "monthly", months: { "2026-05": 9 } }, valid_from: "2026-06-16" },
      ],
      zone: VIENNA,
      month: "2026-06",
      steps: [{ start: new Date("2026-06-20T17:00:00Z"), importKwh: 1, spotCtKwh: 0 }],
    });
    expect(estimated).toEqual(["energy"]);
  });

  it("credits feed-in at the month's price, and names a price that is not known yet", () => {
    const sold = (month: string) =>
      billMonth({
        tariff: [{ feed_in: { type: "monthly", months: { "2026-07": 6.146, "2026-08": 8.997 } } }],
        zone: VIENNA,
        month,
        steps: [{ start: new Date(`${month}-05T11:00:00Z`), importKwh: 0, exportKwh: 100, spotCtKwh: 1 }],
      });
    expect(sold("2026-07")).toMatchObject({ feedInEur: expect.closeTo(6.146, 9), estimated: [] });
    expect(sold("2026-10")).toMatchObject({ feedInEur: expect.closeTo(8.997, 9), estimated: ["feed_in"] });
    expect(sold("2026-07").totalEur).toBeCloseTo(-6.146, 9);
  });

  it("prices blocks by what the month used", () => {
    const blocks = [{ up_to_kwh: 100, ct_kwh: 6 }, { ct_kwh: 12 }];
    const { netEur } = billMonth({
      tariff: [{ energy: { type: "fixed", blocks } }],
      zone: VIENNA,
      month: "2026-07",
      steps: [{ start: new Date("2026-07-05T11:00:00Z"), importKwh: 150, spotCtKwh: 1 }],
    });
    expect(netEur).toBeCloseTo(12, 9);
  });
});

const VIENNESE: TariffPeriod = {
  ...SPOT,
  grid_usage: {
    windows: [{ ct_kwh: 6.98 }, { ...SUMMER, ct_kwh: 5.58 }],
    flat_eur_year: 54,
    metering_eur_month: 2.2,
  },
  grid_loss: { ct_kwh: 0.7 },
  municipal_levy: [
    { name: "Gebrauchsabgabe", pct: 7, pct_of: ["energy", "base_fee", "grid", "loss", "flat", "metering"] },
  ],
};

describe("price of one more kWh", () => {
  const price = (tariff: TariffPeriod, spotCt: number, at: string) =>
    compileTariff([tariff], VIENNA).importCtKwh(spotCt, new Date(at));
  const EVENING = "2026-07-01T18:00:00Z";

  it.each([
    [0, 12.65],
    [10, 25.88],
    [15, 32.49],
  ])("in Vienna at a market price of %d ct is %d ct", (spot, expected) => {
    expect(price(VIENNESE, spot, EVENING)).toBeCloseTo(expected, 2);
  });

  it("is lower in the summer window", () => {
    expect(price(VIENNESE, 10, "2026-07-01T11:00:00Z")).toBeCloseTo(24.08, 2);
  });

  it("in Vorarlberg", () => {
    const vorarlberg: TariffPeriod = {
      ...SPOT,
      energy: { type: "spot", markup_ct_kwh: 1.2 },
      grid_usage: { ct_kwh: 4.96 },
      grid_loss: { ct_kwh: 0.393 },
    };
    expect(price(vorarlberg, 14.06, EVENING)).toBeCloseTo(25.6, 2);
  });

  it("uses each levy for its own hours across New Year", () => {
    const before = price(SPOT, 10, "2026-12-31T22:45:00Z");
    const after = price(SPOT, 10, "2026-12-31T23:00:00Z");
    expect(after - before).toBeCloseTo(1.4 * 1.2, 9);
  });

  it("uses each period for its own hours", () => {
    const prices = compileTariff(
      [SPOT, { ...SPOT, valid_from: "2027-01-01", grid_usage: { ct_kwh: 6 } }],
      VIENNA,
    );
    const at = (time: string) => prices.importCtKwh(10, new Date(time));
    expect(at("2026-12-31T22:45:00Z") - at("2026-12-31T23:00:00Z")).toBeCloseTo((8.79 - 6 - 1.4) * 1.2, 9);
  });

  it("mixes in the share that a community is expected to cover", () => {
    const community = { price_ct_kwh: 12, grid_usage_discount_pct: 57, levies_waived: [], share_pct: 25 };
    const alone = price(SPOT, 10, EVENING);
    // (8.79 * 0.43 + 0.384 + 0.72) * 1.2 + 12
    const shared = (8.79 * 0.43 + 0.384 + 0.72) * 1.2 + 12;
    expect(price({ ...SPOT, community }, 10, EVENING)).toBeCloseTo(0.75 * alone + 0.25 * shared, 9);
  });
});
