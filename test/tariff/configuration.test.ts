import { describe, expect, it } from "vitest";
import { ConfigError, problemText } from "../../src/config/error.js";
import { parse } from "../../src/config/load.js";
import { compileTariff } from "../../src/tariff/compile-tariff.js";

const PERIODS = `plants:
  - id: home
    tariff:
      - valid_from: "2026-01-01"
        energy: { type: spot, markup_ct_kwh: 1.5, markup_pct: 3, pct_of: absolute, settlement_minutes: 60 }
        energy_base_fee: { eur_month: 4.79 }
        grid_usage:
          windows:
            - { ct_kwh: 8.79 }
            - { months: "4-9", from: "10:00", to: "16:00", ct_kwh: 7.03 }
          flat_eur_year: 54
          metering_eur_month: 2.20
        grid_loss: { ct_kwh: 0.384 }
        grid_power: { eur_kw_year: 0, interval_minutes: 15, min_kw: 2 }
        levies:
          - { name: Elektrizitätsabgabe, ct_kwh: 0.1, valid_to: "2026-12-31" }
          - { name: Elektrizitätsabgabe, ct_kwh: 1.5, valid_from: "2027-01-01" }
          - { name: Förderbeitrag Zählpunkt, eur_year: 3.796 }
        municipal_levy:
          - { name: Gebrauchsabgabe, pct: 7, pct_of: [energy, base_fee, grid, loss, flat, metering] }
        vat_pct: 20
        feed_in: { type: spot, deduct_ct_kwh: 0.6, pct_of: signed, floor_ct_kwh: null }
        community: { price_ct_kwh: 12, vat_pct: 0, grid_usage_discount_pct: 57, levies_waived: [Elektrizitätsabgabe], share_pct: null }
`;

const parsed = (text: string) => parse(text, { file: "x.yaml", environment: {} });

function problems(text: string): string[] {
  try {
    parsed(text);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems.map(problemText);
    throw error;
  }
  return [];
}

describe("a tariff with periods in the configuration", () => {
  it("is read and prices the energy", () => {
    const { tariff } = parsed(PERIODS).settings.plants[0]!;
    const prices = compileTariff(tariff!, "Europe/Vienna");
    const at = new Date("2026-07-01T18:00:00Z");
    // 8 + 0.24 + 1.5 = 9.74; grid 8.79 and 0.384; levy 0.1; 7 % of energy, grid and loss
    expect(prices.importCtKwh(8, at)).toBeCloseTo((9.74 * 1.07 + (8.79 + 0.384) * 1.07 + 0.1) * 1.2, 9);
    expect(prices.exportCtKwh(8, at)).toBeCloseTo(7.4, 9);
    expect(prices.settlementMinutes?.(at)).toBe(60);
  });

  it.each([
    [
      "periods in the wrong order",
      `- { valid_from: "2026-05-01" }
      - { valid_from: "2026-01-01" }`,
      "plants.0.tariff.1.valid_from: must be after 2026-05-01",
    ],
    [
      "a second period without a date",
      `- {}
      - { vat_pct: 20 }`,
      "plants.0.tariff.1.valid_from: is missing",
    ],
    [
      "a fixed price without its amount",
      "- { energy: { type: fixed } }",
      "plants.0.tariff.0.energy.ct_kwh: is missing",
    ],
    [
      "a day that does not exist",
      '- { valid_from: "2026-02-30" }',
      "plants.0.tariff.0.valid_from: must be a date",
    ],
    ["no period", "[]", "plants.0.tariff: "],
    [
      "a levy of an unknown part",
      "- { levies: [{ name: a, pct: 7, pct_of: [gas] }] }",
      "plants.0.tariff.0.levies.0.pct_of.0: must be one of",
    ],
  ])("names %s", (_, tariff, sentence) => {
    const text = `plants:\n  - id: home\n    tariff:\n      ${tariff}\n`;
    expect(problems(text).join("\n")).toContain(sentence);
  });
});

describe("a tariff with a hole", () => {
  const period = (text: string) => `plants:\n  - id: home\n    tariff:\n${text}`;

  it("between two periods, or between windows, is a sentence that says what to do", () => {
    expect(
      problems(
        period(
          '      - known_until: "2026-06-30"\n      - { valid_from: "2026-09-01", energy: { type: spot } }\n',
        ),
      ),
    ).toEqual([
      "x.yaml:5: plants.0.tariff.1.valid_from: leaves a gap: the period before is known until 2026-06-30; begin on the day after it, add a period, or leave out its known_until.",
    ]);
    expect(
      problems(period('      - grid_usage: { windows: [{ from: "06:00", to: "22:00", ct_kwh: 8 }] }\n')),
    ).toEqual([
      "x.yaml:4: plants.0.tariff.0.grid_usage.windows: leave a gap (month 1, weekday 1, 00:00): add a window without times as the first one, or grid_usage.ct_kwh for the other times.",
    ]);
    expect(
      problems(
        period('      - energy: { type: time_windows, windows: [{ weekdays: "1-5", ct_kwh: 20 }] }\n'),
      )[0],
    ).toContain("leave a gap (month 1, weekday 6, 00:00)");
  });

  it("is none where the windows or another price cover all times", () => {
    const covered = '[{ from: "06:00", to: "22:00", ct_kwh: 8 }, { from: "22:00", to: "06:00", ct_kwh: 6 }]';
    expect(problems(period(`      - grid_usage: { windows: ${covered} }\n`))).toEqual([]);
    expect(
      problems(period('      - grid_usage: { ct_kwh: 7, windows: [{ months: "4-9", ct_kwh: 8 }] }\n')),
    ).toEqual([]);
    expect(
      problems(period('      - known_until: "2026-06-30"\n      - { valid_from: "2026-07-01" }\n')),
    ).toEqual([]);
  });
});
