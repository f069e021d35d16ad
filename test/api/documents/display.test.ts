import { expect, it } from "vitest";
import { planCurveDocument, plannedAction } from "../../../src/api/documents/plan-curve.js";
import { pvEnergies } from "../../../src/api/documents/pv-energies.js";
import { HOUR_MS } from "../../../src/core/domain/interval.js";
import type { PvForecast } from "../../../src/forecast/pv/service.js";
import type { PlanHour } from "../../../src/plan/site-plan.js";
import { samplePlan } from "../fake-services.js";

const NOW = new Date("2026-11-26T12:15:00Z");

/** A plan of a week in which the battery charges at 4.44 kW. */
function week() {
  const plan = samplePlan();
  const [like] = plan.days.flatMap((day) => day.hours);
  const hours = Array.from({ length: 168 }, (_, index): PlanHour => {
    const start = new Date(NOW.getTime() - (index === 0 ? 0 : 15 * 60_000) + index * HOUR_MS);
    const end = new Date(NOW.getTime() - 15 * 60_000 + (index + 1) * HOUR_MS);
    return {
      ...like!,
      start,
      end,
      action: index === 0 ? "grid_charge" : "idle",
      socEndPct: 99.99,
      chargeKwh: (4.44 * (end.getTime() - start.getTime())) / HOUR_MS,
      dischargeKwh: 0,
    };
  });
  return { ...plan, days: [{ ...plan.days[0]!, hours }] };
}

it("shows 36 hours of the plan in at most 8 kB", () => {
  const { hours } = planCurveDocument(week(), { now: NOW, zone: "Europe/Vienna" });
  // The rest of the first hour, and 36 more of which the last has begun.
  expect(hours).toHaveLength(37);
  expect(hours[0]).toMatchObject({ start: "2026-11-26T13:15:00+01:00", soc: 100, charge: 4.4, discharge: 0 });
  expect(JSON.stringify({ hours }).length).toBeLessThanOrEqual(8_192);
  expect([plannedAction(week(), NOW), plannedAction(week(), new Date(NOW.getTime() - HOUR_MS))]).toEqual([
    "grid_charge",
    undefined,
  ]);
});

it("adds up the PV forecast of today, its rest and tomorrow", () => {
  const day = (date: string, kwh: number[]) => ({
    date,
    kwh: kwh.reduce((sum, one) => sum + one, 0),
    hours: kwh.map((one, index) => ({ start: new Date(`${date}T${10 + index}:00:00Z`), kwh: one })),
  });
  const forecast = { days: [day("2026-11-26", [1, 2, 4]), day("2026-11-27", [3])] } as unknown as PvForecast;
  expect(pvEnergies(forecast, NOW)).toEqual({ todayKwh: 7, remainingKwh: 3, tomorrowKwh: 3 });
  expect(pvEnergies({ ...forecast, days: [] }, NOW)).toBeUndefined();
});
