import { describe, expect, it } from "vitest";
import { parse } from "../../src/config/load.js";
import { HOUR_MS } from "../../src/core/domain/interval.js";
import type { ForecastHour } from "../../src/forecast/price/forecast.js";
import { assemble } from "../../src/plan/assemble.js";
import type { AssemblyInput, PlannedFlex } from "../../src/plan/assembly-input.js";
import { planSite } from "../../src/plan/plan-site.js";
import { assemblyInput } from "./assembly-input.js";

const NOW = new Date("2026-01-15T17:00:00Z");
const plant = parse(
  "plants: [{ id: home, load: { daily_kwh: 24, profile: [1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1] }, battery: { capacity_kwh: 10, max_discharge_power_kw: 5 } }]",
).settings.plants[0]!;

/** Expensive hours, so that the battery is used whenever it may be; cheap ones at the end. */
const hours = Array.from({ length: 24 }, (_, index): ForecastHour => {
  const p50 = index < 12 ? 400 - index : 10;
  return { start: new Date(NOW.getTime() + index * HOUR_MS), p10: p50, p50, p90: p50, source: "day_ahead" };
});

const facts = (flex: PlannedFlex | undefined, more: Partial<AssemblyInput> = {}) =>
  assemblyInput({
    now: NOW,
    plant,
    hours,
    soc: { pct: 80, ageMinutes: 0, lost: false },
    currentQuartile: 4,
    ...(flex !== undefined && { flex }),
    ...more,
  });

/** A wallbox of 8 kW in the given steps, of which the battery may serve a share. */
const wallbox = (steps: readonly number[], sharePct: number): PlannedFlex => ({
  loadKwh: (all) => all.map((_, t) => (steps.includes(t) ? 8 : 0)),
  wallboxes: (all) =>
    all.map((_, t) => ({
      hours: steps.includes(t) ? 1 : 0,
      fromBatteryKwh: steps.includes(t) ? (8 * sharePct) / 100 : 0,
    })),
  batterySharePct: sharePct,
});

describe("flexible devices in the battery plan", () => {
  it("add to the load of their steps", () => {
    const without = assemble(facts(undefined), {});
    const input = assemble(facts(wallbox([2, 3], 0)), {});
    expect(input.loadKwh.map((kwh, t) => Math.round(kwh - without.loadKwh[t]!))).toEqual(
      hours.map((_, t) => (t === 2 || t === 3 ? 8 : 0)),
    );
    // The load for ev_charge_limit does not include the wallbox.
    expect(assemble(facts(wallbox([0], 0)), {}).sitePowerKw).toBeCloseTo(1, 9);
  });

  it("blocks the discharge while a wallbox without a share charges", () => {
    const planned = planSite(assemble(facts(wallbox([2, 3], 0)), {})).days.flatMap((day) => day.hours);
    expect(planned[2]!.dischargeKwh).toBe(0);
    expect(planned[3]!.dischargeKwh).toBe(0);
    expect(planned[1]!.dischargeKwh).toBeGreaterThan(0.9);
    expect(planned[2]!.importKwh).toBeCloseTo(9, 6);
  });

  it("adds the wallbox's share to the discharge limit", () => {
    const planned = planSite(assemble(facts(wallbox([1], 25)), {})).days.flatMap((day) => day.hours);
    expect(planned[1]!.dischargeKwh).toBeCloseTo(3, 6);
  });

  it("serves a wallbox by its policy where its share is automatic: at high prices, not at low ones", () => {
    const auto = (steps: readonly number[]): PlannedFlex => ({
      ...wallbox(steps, 0),
      wallboxes: (all) => all.map(() => ({ hours: 0, fromBatteryKwh: 0 })),
      batterySharePct: "auto",
    });
    const stored = { soc: { pct: 100, ageMinutes: 0, lost: false } };
    const cap = (steps: readonly number[], more: Partial<AssemblyInput> = {}) => {
      const { scalars, days } = planSite(
        assemble(facts(auto(steps), { evPowerKw: 8, ...stored, ...more }), {}),
      );
      return [scalars.dischargePowerKw, scalars.dischargeReason, days[0]!.hours[0]!.dischargeKwh.toFixed(1)];
    };
    // 40 ct now and cheap later in the day: the battery gives all its power. Cheap now and expensive later: it keeps its energy.
    const cheapSoon = hours.map((hour, t) => ({ ...hour, p50: t === 0 ? 400 : 10 }));
    const cheapNow = hours.map((hour, t) => ({ ...hour, p50: t === 0 ? 10 : 400 }));
    expect(cap([0], { hours: cheapSoon })).toEqual([5, "full", "5.0"]);
    expect(cap([0], { hours: cheapNow })).toEqual([0, "cheap_hold", "0.0"]);
  });

  it("uses the measured power of the wallbox in the current step", () => {
    expect(assemble(facts(wallbox([0], 0)), {}).dischargeLimitKwh).toBeUndefined();
    expect(assemble(facts(wallbox([0], 0), { evPowerKw: 7 }), {}).dischargeLimitKwh?.[0]).toBe(0);
    const cap = (sharePct: number, evPowerKw: number) => {
      const { dischargePowerKw, dischargeReason } = planSite(
        assemble(facts(wallbox([0], sharePct), { evPowerKw }), {}),
      ).scalars;
      return [Number(dischargePowerKw.toFixed(6)), dischargeReason];
    };
    expect(cap(0, 7)).toEqual([0, "ev_charge_block"]);
    expect(cap(25, 8)).toEqual([3, "ev_charge_limit"]);
    expect(cap(25, 0)).toEqual([5, "full"]);
  });
});
