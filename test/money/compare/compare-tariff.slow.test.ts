import { describe, expect, it } from "vitest";
import { defaultSettings } from "../../../src/config/load.js";
import type { PlantSettings } from "../../../src/config/settings.js";
import { PriceSeries } from "../../../src/forecast/market/price-series.js";
import type { ForecastHour } from "../../../src/forecast/price/forecast.js";
import { type ComparedSite, compareTariff } from "../../../src/money/compare/compare-tariff.js";
import { presetTariffs } from "../../../src/money/compare/preset-tariffs.js";
import type { Tariff } from "../../../src/tariff/tariff.js";
import { PLAIN_BATTERY } from "../../support/plain-battery.js";

const HOUR_MS = 3_600_000;
/** The last two days of June in Vienna and the first of July. */
const FROM = new Date("2026-06-28T22:00:00Z");
const HOURS = 72;
const priceAt = (ms: number) => (new Date(ms).getUTCHours() < 6 ? 20 : 200);
const series = PriceSeries.of(
  Array.from({ length: HOURS }, (_, index) => ({
    start: new Date(FROM.getTime() + index * HOUR_MS),
    minutes: 60 as const,
    eurPerMwh: priceAt(FROM.getTime() + index * HOUR_MS),
  })),
);
const plant: PlantSettings = {
  ...defaultSettings().plants[0]!,
  battery: { ...PLAIN_BATTERY, controls: ["charge", "hold"] },
};
const site: ComparedSite = {
  plant,
  series,
  stepMinutes: 60,
  from: FROM,
  to: new Date(FROM.getTime() + HOURS * HOUR_MS),
  actualLoadKwh: new Array<number>(4 * HOURS).fill(0.25),
  hoursAt: (now) =>
    Array.from({ length: 168 }, (_, index): ForecastHour => {
      const start = new Date(Math.floor(now.getTime() / HOUR_MS + index) * HOUR_MS);
      const price = priceAt(start.getTime());
      return { start, p10: price, p50: price, p90: price, source: "day_ahead" };
    }),
};
const spot: Tariff = [
  {
    energy: { type: "spot", markup_ct_kwh: 1 },
    energy_base_fee: { eur_month: 3 },
    grid_usage: { ct_kwh: 8, flat_eur_year: 36 },
    vat_pct: 20,
  },
];

describe("the cost of a period", () => {
  it("has the bill of the days with VAT and fixed fees without a battery", () => {
    const { noBatteryEur } = compareTariff(spot, site);
    // 72 kWh, of which 18 at 2 ct and 54 at 20 ct; 6 EUR a month for 2 of 30 and 1 of 31 days.
    const energyEur = (18 * 2 + 54 * 20 + 72 * 9) / 100;
    expect(noBatteryEur).toBeCloseTo(1.2 * (energyEur + 6 * (2 / 30 + 1 / 31)), 9);
  });

  it("falls with a battery, most with perfect foresight; an uncontrolled one without PV changes nothing", () => {
    const cost = compareTariff(spot, site);
    expect(cost.uncontrolledEur).toBeCloseTo(cost.noBatteryEur!, 9);
    // Each day 9 kWh stored for 10 kWh at 13.2 ct save 8.1 kWh at 34.8 ct.
    const savedEur = 3 * (8.1 * 0.348 - 10 * 0.132);
    expect(cost.noBatteryEur! - cost.perfectEur!).toBeGreaterThan(0.9 * savedEur);
    expect(cost.noBatteryEur! - cost.perfectEur!).toBeLessThan(savedEur + 0.001);
    expect(cost.hourgateEur!).toBeGreaterThanOrEqual(cost.perfectEur! - 0.01);
    expect(cost.hourgateEur!).toBeLessThan(cost.noBatteryEur! - 0.8 * savedEur);
  });

  it("can be the one that counts alone", () => {
    const { hourgateEur } = compareTariff(spot, site);
    const none = { meteredEur: null, noBatteryEur: null, uncontrolledEur: null, perfectEur: null };
    expect(compareTariff(spot, site, { rankedOnly: true })).toEqual({ ...none, hourgateEur });
  });

  it("is the same in all rows at a fixed price", () => {
    const fixed: Tariff = [{ energy: { type: "fixed", ct_kwh: 10 }, vat_pct: 20 }];
    const cost = compareTariff(fixed, site);
    expect(cost.noBatteryEur).toBeCloseTo(72 * 0.12, 9);
    expect(cost.hourgateEur).toBeCloseTo(72 * 0.12, 6);
    expect(cost.perfectEur).toBeCloseTo(72 * 0.12, 6);
  });

  it("counts the expected share of a community", () => {
    const energy = { type: "fixed" as const, ct_kwh: 20 };
    const community = { price_ct_kwh: 10, share_pct: 50 };
    expect(compareTariff([{ energy, community }], { ...site, plant: { ...plant, battery: null } })).toEqual({
      noBatteryEur: expect.closeTo(36 * 0.2 + 36 * 0.1, 9),
      uncontrolledEur: null,
      hourgateEur: null,
      perfectEur: null,
      meteredEur: null,
    });
  });

  it("goes on with blocks per year from month to month", () => {
    const blocks = [{ up_to_kwh: 60, ct_kwh: 10 }, { ct_kwh: 30 }];
    const energy = { type: "fixed" as const, blocks, blocks_per: "year" as const };
    // 48 kWh in June, 24 in July: 60 kWh at 10 ct and 12 at 30 ct.
    const { noBatteryEur } = compareTariff([{ energy }], { ...site, plant: { ...plant, battery: null } });
    expect(noBatteryEur).toBeCloseTo(60 * 0.1 + 12 * 0.3, 9);
  });
});

describe("the default list", () => {
  const own: Tariff = [
    {
      energy: { type: "fixed", ct_kwh: 12 },
      grid_usage: { windows: [{ ct_kwh: 8.79 }], metering_eur_month: 2.2 },
      feed_in: { type: "fixed", ct_kwh: 7 },
    },
  ];

  it("has the site's own tariff and the suppliers in its grid area, with what only the site knows", () => {
    const [current, ...others] = presetTariffs(own, undefined);
    expect(current).toEqual({ name: "current", tariff: own });
    expect(others.length).toBeGreaterThan(5);
    const names = others.map(({ name }) => name);
    expect(names).toContain("evn_optima_garant_sonne");
    expect(names).not.toContain("kelag");
    for (const { tariff } of others) {
      expect(tariff).toMatchObject([
        {
          energy: { type: expect.stringMatching(/^(spot|fixed)$/) },
          grid_usage: { windows: [{ ct_kwh: 8.79 }, { ct_kwh: 7.03 }], metering_eur_month: 2.2 },
          feed_in: { type: "fixed", ct_kwh: 7 },
        },
      ]);
    }
  });

  it("needs a known grid area", () => {
    expect(() => presetTariffs({ grid_fee_ct_kwh: 7 }, undefined)).toThrow(
      "The grid area of the plant is not known: name it with --area",
    );
    expect(() => presetTariffs(own, "atlantis")).toThrow('"atlantis" is no grid area; known are burgenland');
    expect(presetTariffs(null, "wien")[0]?.name).toBe("awattar_hourly");
  });
});
