import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DAY_MS, HOUR_MS, hoursOf, QUARTER_MS } from "../../../src/core/domain/interval.js";
import { localDate, VIENNA } from "../../../src/core/time/zone.js";
import {
  planSgReady,
  type SgPlan,
  type SgSpan,
  type SgStep,
  sgStateAt,
} from "../../../src/plan/windows/sg-ready.js";

const MIDNIGHT = new Date("2026-01-14T23:00:00Z");
const at = (hours: number) => new Date(MIDNIGHT.getTime() + hours * HOUR_MS);
const rules = { dwell_min: 15, block: true, force: true, zone: VIENNA, powerKw: 2 };

/** Quarter-hours from an hour on. */
function stepsOf(
  ct: (hour: number) => number,
  { from = 0, hours = 48, surplus = (_: number): number => 0 } = {},
): SgStep[] {
  return Array.from({ length: hours * 4 }, (_, index) => {
    const hour = from + index / 4;
    return {
      start: at(hour),
      end: at(hour + 0.25),
      ctKwh: ct(hour % 24),
      exportCtKwh: 6,
      surplusKw: surplus(hour % 24),
    };
  });
}

const hoursOfState = ({ spans }: SgPlan, state: string) =>
  spans
    .filter((span) => span.state === state)
    .map(({ start, end }) => [start, end].map((time) => (time.getTime() - MIDNIGHT.getTime()) / HOUR_MS));

const winter = (hour: number) => (hour >= 17 && hour < 20 ? 45 : hour >= 2 && hour < 5 ? 15 : 28);

describe("the states of a heat pump", () => {
  it("block the dearest hours for two hours, and encourage the cheapest", () => {
    const plan = planSgReady(stepsOf(winter), { now: at(0), before: undefined, rules });
    expect(hoursOfState(plan, "encourage")).toEqual([
      [2, 5],
      [26, 29],
    ]);
    for (const [start, end] of hoursOfState(plan, "block")) {
      expect(end! - start!).toBeLessThanOrEqual(2);
      expect(start! % 24).toBeGreaterThanOrEqual(17);
      expect(end! % 24).toBeLessThanOrEqual(20);
    }
    const blocked = plan.spans.filter(({ state }) => state === "block").map(hoursOf);
    expect(blocked.reduce((sum, hours) => sum + hours, 0)).toBeGreaterThanOrEqual(4);
    expect(hoursOfState(plan, "force")).toEqual([]);
  });

  it("stay normal where the cost hardly differs, and never use a state that is not allowed", () => {
    const flat = planSgReady(
      stepsOf((hour) => 28 + (hour % 2) / 10),
      { now: at(0), before: undefined, rules },
    );
    expect(flat.spans.map(({ state }) => state)).toEqual(["normal"]);
    const modest = { ...rules, block: false, force: false };
    const plan = planSgReady(
      stepsOf((hour) => winter(hour) - 20),
      { now: at(0), before: undefined, rules: modest },
    );
    expect(new Set(plan.spans.map(({ state }) => state))).toEqual(new Set(["normal", "encourage"]));
  });

  it("force at costs of 0 or less and where surplus covers the power, encourage where less would be exported", () => {
    const negative = planSgReady(
      stepsOf((hour) => (hour >= 12 && hour < 15 ? -1 : 25)),
      {
        now: at(0),
        before: undefined,
        rules,
      },
    );
    expect(hoursOfState(negative, "force")).toEqual([
      [12, 15],
      [36, 39],
    ]);
    const sunny = planSgReady(
      stepsOf((hour) => (hour >= 9 && hour < 16 ? 6 : 25), {
        surplus: (hour) => (hour >= 11 && hour < 14 ? 3 : hour >= 9 && hour < 16 ? 1 : 0),
      }),
      { now: at(0), before: undefined, rules },
    );
    expect(sgStateAt(sunny, at(10))).toBe("encourage");
    expect(sgStateAt(sunny, at(12))).toBe("force");
    expect(sgStateAt(sunny, at(15))).toBe("encourage");
    expect(sgStateAt(sunny, at(20))).toBe("normal");
  });

  it("keep the state in force until its quarter-hour ends", () => {
    const before = planSgReady(stepsOf(winter, { from: 2 }), { now: at(2), before: undefined, rules });
    const cheaper = (hour: number) => (hour >= 8 && hour < 12 ? 2 : 28);
    const now = at(2.1);
    const after = planSgReady(stepsOf(cheaper, { from: 2 }), { now, before, rules });
    expect(sgStateAt(after, now)).toBe("encourage");
    expect(sgStateAt(after, at(2.25))).toBe("normal");
  });

  it("keep to dwell time, length, number and distance of blocks, when planned anew each quarter-hour", () => {
    const costs = fc.array(fc.double({ min: -10, max: 60, noNaN: true }), { minLength: 60, maxLength: 60 });
    fc.assert(
      fc.property(costs, fc.constantFrom(10, 15, 30, 60), fc.boolean(), (hourly, dwell_min, isJumping) => {
        let plan: SgPlan | undefined;
        const lived: SgSpan[] = [];
        for (let quarter = 0; quarter < 30 * 4; quarter++) {
          const now = at(quarter / 4);
          // Where costs jump, each plan sees others than the one before.
          const shift = isJumping ? quarter * 7 : 0;
          const steps = Array.from({ length: 24 }, (_, index): SgStep => {
            const start = new Date(now.getTime() + index * QUARTER_MS);
            const ctKwh = hourly[(Math.floor((quarter + index) / 4) + shift) % hourly.length]!;
            return {
              start,
              end: new Date(start.getTime() + QUARTER_MS),
              ctKwh,
              exportCtKwh: 6,
              surplusKw: 0,
            };
          });
          plan = planSgReady(steps, { now, before: plan, rules: { ...rules, dwell_min } });
          const state = sgStateAt(plan, now);
          const last = lived.at(-1);
          const end = new Date(now.getTime() + QUARTER_MS);
          if (last?.state === state) lived[lived.length - 1] = { ...last, end };
          else lived.push({ start: now, end, state });
        }
        // The first state may have begun earlier, the last one goes on.
        for (const span of lived.slice(1, -1)) expect(hoursOf(span) * 60).toBeGreaterThanOrEqual(dwell_min);
        const blocks = lived.filter(({ state }) => state === "block");
        const days = blocks.map(({ start }) => localDate(start, VIENNA));
        for (const day of days) expect(days.filter((other) => other === day).length).toBeLessThanOrEqual(3);
        for (const [index, block] of blocks.entries()) {
          expect(hoursOf(block)).toBeLessThanOrEqual(2);
          const next = blocks[index + 1];
          if (next !== undefined)
            expect(next.start.getTime() - block.end.getTime()).toBeGreaterThanOrEqual(
              hoursOf(block) * HOUR_MS,
            );
        }
        expect(lived.length).toBeGreaterThan(0);
        expect(plan!.spans.every(({ end }) => end.getTime() > MIDNIGHT.getTime() - DAY_MS)).toBe(true);
      }),
      { numRuns: 6, seed: 5 },
    );
  });
});
