import { describe, expect, it } from "vitest";
import { parse } from "../../src/config/load.js";
import { VIENNA } from "../../src/core/time/zone.js";
import { billMonth } from "../../src/tariff/bill.js";
import { roundCent } from "../../src/tariff/bill-lines.js";
import { compileTariff } from "../../src/tariff/compile-tariff.js";
import { PresetError, presetsKnownUntil, tariffOfPresets, tariffPresets } from "../../src/tariff/presets.js";

const EVENING = new Date("2026-07-01T18:00:00Z");

describe("tariff presets", () => {
  const presets = tariffPresets();

  it("has the 14 grid areas, and each entry has a name and the date of its source", () => {
    expect(presets.areas).toHaveLength(14);
    for (const entry of Object.values(presets).flat()) {
      expect(entry.name).not.toBe("");
      expect(entry.asOf).toMatch(/^20\d\d-\d\d(-\d\d)?$/);
    }
  });

  it("makes a valid configuration of every entry", () => {
    const choices = [
      ...presets.areas.map(({ id }) => ({ area: id })),
      ...presets.suppliers.map(({ id }) => ({ area: "wien", supplier: id })),
      ...presets.municipalities.map(({ id }) => ({ area: "tirol", municipality: id })),
      ...presets.feedIn.map(({ id }) => ({ area: "linz", feedIn: id })),
    ];
    for (const choice of choices) {
      const text = JSON.stringify({ plants: [{ id: "home", tariff: tariffOfPresets(choice) }] });
      expect(() => parse(text), JSON.stringify(choice)).not.toThrow();
    }
  });

  it("Vorarlberg with its supplier: 14.06 ct become 25.60 ct", () => {
    const tariff = tariffOfPresets({ area: "vorarlberg", supplier: "vkw_dynamisch" });
    expect(compileTariff(tariff, VIENNA).importCtKwh(14.06, EVENING)).toBeCloseTo(25.6, 2);
  });

  it("aWATTar by the hour: 3 % of the absolute price and 1.5 ct; traditional suppliers at their own price", () => {
    const at = (supplier: string, spotCt: number, when = EVENING, area = "wien") =>
      compileTariff(tariffOfPresets({ area, supplier }), VIENNA).importCtKwh(spotCt, when);
    // (spot + 3 % + 1.5 + 6.98 + 0.7 + 0.1 + 0.62) and VAT
    expect(at("awattar_hourly", 10)).toBeCloseTo((10.3 + 1.5 + 8.4) * 1.2, 9);
    expect(at("awattar_hourly", -10)).toBeCloseTo((-9.7 + 1.5 + 8.4) * 1.2, 9);
    expect(at("wien_energie_optima_entspannt_plus", 40)).toBeCloseTo((9.99 + 8.4) * 1.2, 9);
    // Vorarlberg: 4.96 + 0.393 + 0.72; from 10:00 to 16:00 in summer 3.97 and 1 ct less for the energy.
    expect(at("vkw_strom_duo", 40, EVENING, "vorarlberg")).toBeCloseTo((9.4 + 4.96 + 1.113) * 1.2, 9);
    const noon = new Date("2026-07-01T10:00:00Z");
    expect(at("vkw_strom_duo", 40, noon, "vorarlberg")).toBeCloseTo((8.4 + 3.97 + 1.113) * 1.2, 9);
  });

  it("has a traditional supplier for the grid areas of the provinces", () => {
    const areas = presets.suppliers.flatMap(({ incumbentIn = [] }) => incumbentIn);
    for (const area of areas) expect(presets.areas.map(({ id }) => id)).toContain(area);
    expect(new Set(areas).size).toBe(10);
  });

  it("in Vienna the municipal levy rises in March 2026", () => {
    const { importCtKwh } = compileTariff(tariffOfPresets({ area: "wien", municipality: "wien" }), VIENNA);
    const rise =
      importCtKwh(10, new Date("2026-03-01T11:00:00Z")) - importCtKwh(10, new Date("2026-02-28T11:00:00Z"));
    expect(rise).toBeCloseTo(0.01 * (10 + 6.98 + 0.7) * 1.2, 9);
  });

  it("the reduced electricity levy ends with 2026", () => {
    const { importCtKwh } = compileTariff(tariffOfPresets({ area: "graz" }), VIENNA);
    const rise =
      importCtKwh(10, new Date("2026-12-31T23:00:00Z")) - importCtKwh(10, new Date("2026-12-31T22:45:00Z"));
    expect(rise).toBeCloseTo(1.4 * 1.2, 9);
    expect(presetsKnownUntil()).toBe("2026-12-31");
  });

  it("bills 100 kWh in Linz in October: fees by the month, OeMAG's price estimated from September", () => {
    const bill = billMonth({
      tariff: tariffOfPresets({ area: "linz", supplier: "pullstrom_ora", feedIn: "oemag" }),
      zone: VIENNA,
      month: "2026-10",
      steps: [{ start: new Date("2026-10-05T17:00:00Z"), importKwh: 100, exportKwh: 10, spotCtKwh: 10 }],
    });
    // (11.3333 + 5.57 + 0.487 + 0.1 + 0.62 EUR) + 54/12 + 3.796/12 + 19.02/12, and VAT
    expect(roundCent(bill.grossEur)).toBe(roundCent((18.1103 + 4.5 + 3.796 / 12 + 1.585) * 1.2));
    expect(bill.feedInEur).toBeCloseTo(1.0168, 9);
    expect(bill.estimated).toEqual(["feed_in"]);
  });

  it("names what is known when an entry does not exist", () => {
    expect(() => tariffOfPresets({ area: "bayern" })).toThrow(PresetError);
    expect(() => tariffOfPresets({ area: "bayern" })).toThrow(
      /"bayern" is no grid area; known are burgenland/,
    );
  });
});
