import { describe, expect, it } from "vitest";
import { parsePlant } from "../../src/config/plant.js";
import { applyPresets } from "../../src/tariff/apply-presets.js";
import { presetChoice } from "../../src/tariff/presets.js";
import type { Tariff } from "../../src/tariff/tariff.js";

const choice = { area: "niederoesterreich", supplier: "tiwag_flex_privat" };

describe("applying presets", () => {
  it("fills an empty tariff, and each part has the date of its source", () => {
    const { tariff, applied, kept } = applyPresets(null, choice);
    expect(tariff).toMatchObject([
      {
        energy: { type: "spot", markup_ct_kwh: 1.2, settlement_minutes: 15 },
        grid_usage: { windows: [{ ct_kwh: 8.79 }, { ct_kwh: 7.03 }], flat_eur_year: 54 },
        grid_loss: { ct_kwh: 0.384 },
        vat_pct: 20,
        known_until: "2026-12-31",
      },
    ]);
    expect(kept).toEqual([]);
    expect(applied.map(({ part }) => part)).toEqual([
      "energy",
      "energy_base_fee",
      "grid_usage.windows",
      "grid_usage.flat_eur_year",
      "grid_loss",
      "levies",
      "vat_pct",
    ]);
    for (const { source } of applied) expect(source.asOf).toMatch(/^20\d\d-\d\d/);
  });

  it("keeps what was typed in, and says so", () => {
    const typed: Tariff = [
      {
        valid_from: "2026-03-01",
        energy: { type: "fixed", ct_kwh: 11 },
        grid_usage: { windows: [{ ct_kwh: 9.99 }], metering_eur_month: 2.2 },
        vat_pct: 20,
      },
    ];
    const { tariff, kept } = applyPresets(typed, choice);
    expect(tariff).toMatchObject([
      {
        valid_from: "2026-03-01",
        energy: { type: "fixed", ct_kwh: 11 },
        grid_usage: { windows: [{ ct_kwh: 9.99 }], metering_eur_month: 2.2, flat_eur_year: 54 },
        grid_loss: { ct_kwh: 0.384 },
      },
    ]);
    expect(kept).toEqual([
      {
        part: "energy",
        value: { type: "fixed", ct_kwh: 11 },
        preset: expect.objectContaining({ type: "spot" }),
      },
      { part: "grid_usage.windows", value: [{ ct_kwh: 9.99 }], preset: expect.any(Array) },
    ]);
  });

  it("replaces the values of other presets, and leaves parts alone that no preset is named for", () => {
    const before = applyPresets(null, { ...choice, feedIn: "oemag" }).tariff;
    const { tariff, kept } = applyPresets(before, { area: "wien", supplier: "pullstrom_ora" });
    expect(kept).toEqual([]);
    expect(tariff[0]).toMatchObject({
      energy: { markup_ct_kwh: 1.3333 },
      grid_usage: { windows: [{ ct_kwh: 6.98 }, { ct_kwh: 5.58 }] },
      feed_in: { type: "monthly" },
    });
    expect(tariff[0]!.energy_base_fee).toBeUndefined();
    expect(applyPresets(tariff, { feedIn: "tiwag_fix" }).tariff[0]).toMatchObject({
      energy: { markup_ct_kwh: 1.3333 },
      feed_in: { type: "fixed", ct_kwh: 5.8 },
    });
  });

  it("keeps the earlier periods, and the typed values of the short form", () => {
    const earlier = { energy: { type: "spot" as const } };
    const two: Tariff = [earlier, { valid_from: "2026-06-01" }];
    expect(applyPresets(two, choice).tariff[0]).toEqual(earlier);
    const { tariff, kept } = applyPresets({ markup_ct_kwh: 2.5, grid_fee_ct_kwh: 0, vat_pct: 20 }, choice);
    expect(kept.map(({ part }) => part)).toEqual(["energy"]);
    expect(tariff).toMatchObject([{ energy: { markup_ct_kwh: 2.5 }, grid_loss: { ct_kwh: 0.384 } }]);
  });

  it("makes periods that the configuration accepts of a short form with time windows", () => {
    const plantOf = (tariff: unknown) => parsePlant({ id: "home", tariff }, []);
    const parsed = plantOf({
      grid_fee_ct_kwh: [
        { ct_kwh: 7 },
        { months: "4-9", hours: "10-16", ct_kwh: 5.6 },
        { hours: "22-6", ct_kwh: 6 },
      ],
      feed_in: { type: "spot", deduct_ct_kwh: 1 },
    });
    if ("findings" in parsed) throw new Error(JSON.stringify(parsed.findings));
    const { tariff } = applyPresets(parsed.plant.tariff, choice);
    expect(plantOf(tariff)).not.toHaveProperty("findings");
    expect(tariff[0]?.grid_usage?.windows).toEqual([
      { months: "1-12", ct_kwh: 7 },
      { months: "4-9", from: "10:00", to: "16:00", ct_kwh: 5.6 },
      { months: "1-12", from: "22:00", to: "06:00", ct_kwh: 6 },
    ]);
  });
});

describe("names of presets", () => {
  it("finds the kind of an id", () => {
    expect(presetChoice(["niederoesterreich", "tiwag_flex_privat", "oemag"])).toEqual({
      area: "niederoesterreich",
      supplier: "tiwag_flex_privat",
      municipality: undefined,
      feedIn: "oemag",
    });
    expect(presetChoice(["area:wien", "municipality:wien"])).toMatchObject({
      area: "wien",
      municipality: "wien",
    });
  });

  it.each([
    [["wien"], '"wien" names several presets: write area:wien or municipality:wien.'],
    [["atlantis"], 'There is no preset "atlantis". The list: hourgate tariff list.'],
    [["city:wien"], '"city" in "city:wien" is an unknown preset type; the types are area, supplier'],
    [["tirol", "graz"], "Two presets are named for area: tirol and graz; name one."],
  ])("%j: a sentence", (names, sentence) => {
    expect(() => presetChoice(names)).toThrow(sentence);
  });
});
