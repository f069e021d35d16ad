import { describe, expect, it } from "vitest";
import { HOUR_MS } from "../../../src/core/domain/interval.js";
import { forecastLoad } from "../../../src/forecast/load/forecast-load.js";
import { correctionsFromJson } from "../../../src/forecast/load/load-corrections.js";
import type { LoadModel } from "../../../src/forecast/load/load-model.js";
import { loadHabits, weekdayEnergies } from "../../../src/forecast/load/load-outline.js";

/** Monday. */
const START = Date.parse("2026-06-01T00:00:00Z");
/** Four weeks with 0.3 kWh an hour, in the evening 1 and 2 kWh in turn. */
const MODEL: LoadModel = {
  timeZone: "UTC",
  fromMs: START,
  hourKwh: Array.from({ length: 28 * 24 }, (_, index) => (index % 24 >= 17 ? 1 + (index % 2) : 0.3)),
  persistence: 0.5,
};
const NOW = new Date(START + 28 * 24 * HOUR_MS);

describe("a correction of the learned load", () => {
  it("gives the part of the days its mean power; hours and ranks keep their shape, everything else stays", () => {
    const model: LoadModel = { ...MODEL, corrections: [{ part: "evening", days: "workdays", kw: 0.7 }] };
    const habits = loadHabits(model, NOW);
    expect(habits.evening.workdayKw).toBeCloseTo(0.7, 9);
    expect(habits.evening.weekendKw).toBeCloseTo(loadHabits(MODEL, NOW).evening.weekendKw, 9);
    expect(habits.night).toEqual(loadHabits(MODEL, NOW).night);
    const [plain, corrected] = [MODEL, model].map((one) => forecastLoad(one, { start: NOW, hours: 24 }));
    expect(corrected!.ratios).toEqual(plain!.ratios);
    expect(corrected!.loadKwh[18]! / corrected!.loadKwh[19]!).toBeCloseTo(
      plain!.loadKwh[18]! / plain!.loadKwh[19]!,
      9,
    );
    const away = { ...model, periods: [{ kind: "away", fromMs: NOW.getTime(), untilMs: null } as const] };
    const { corrections: _, ...without } = away;
    expect(forecastLoad(away, { start: NOW, hours: 24 })).toEqual(
      forecastLoad(without, { start: NOW, hours: 24 }),
    );
  });

  it("is read from what was stored, without what makes no sense", () => {
    const stored = [{ part: "night", days: "weekends", kw: 0.2 }];
    expect(correctionsFromJson([...stored, { part: "noon", days: "weekends", kw: 1 }, 3])).toEqual(stored);
    expect(correctionsFromJson(null)).toEqual([]);
  });

  it("names what a device takes by weekday", () => {
    const hourKwh = MODEL.hourKwh.map((_, index) => (index % 168 === 18 ? 12 : index % 168 < 144 ? 0 : null));
    expect(weekdayEnergies(MODEL, { slot: 1, hourKwh })).toEqual([12, 0, 0, 0, 0, 0, null]);
  });
});
