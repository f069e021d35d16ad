import fc from "fast-check";
import { expect, it } from "vitest";
import { planPolicy } from "../../../src/plan/policy/plan-policy.js";
import type { PolicyInput, PolicyStep } from "../../../src/plan/policy/policy-input.js";
import { PolicySolver } from "../../../src/plan/policy/policy-solver.js";
import { runs } from "../../support/runs.js";
import { BATTERY, HOUR_MS, NOW } from "./problems.js";

const number = (min: number, max: number) => fc.double({ min, max, noNaN: true });

const steps = fc.array(
  fc.record({
    importCtKwh: number(-5, 40),
    exportCtKwh: number(-5, 20),
    loadKwh: number(0, 3),
    pvKwh: fc.constantFrom(0, 0, 1, 4),
    published: fc.boolean(),
  }),
  { minLength: 3, maxLength: 10 },
);

/** What differs from the first problem: time, one step, the last steps, or the battery. */
const change = fc.record({
  minutes: fc.integer({ min: 0, max: 100 }),
  loadOf: fc.option(fc.record({ step: fc.nat(9), kwh: number(0, 3) }), { nil: undefined }),
  without: fc.constantFrom(0, 0, 1),
  capacityKwh: fc.constantFrom(10, 10, 10, 12),
});

it("gives the policy that a new solution gives, whatever has changed since the last one", () => {
  const property = fc.property(
    steps,
    fc.array(fc.array(number(0.2, 3), { minLength: 3, maxLength: 3 }), { maxLength: 10 }),
    fc.array(change, { minLength: 2, maxLength: 4 }),
    number(1, 10),
    (described, ratios, changes, socKwh) => {
      const solver = new PolicySolver();
      const first = described.map(
        (step, t): PolicyStep => ({ ...step, start: new Date(NOW.getTime() + t * HOUR_MS), minutes: 60 }),
      );
      for (const { minutes, loadOf, without, capacityKwh } of changes) {
        const input: PolicyInput = {
          now: new Date(NOW.getTime() + minutes * 60_000),
          steps: first
            .slice(0, first.length - without)
            .map((step, t) => (t === loadOf?.step ? { ...step, loadKwh: loadOf.kwh } : step)),
          ratios,
          pv: { factors: [0.6, 1.2], shares: [0.5, 0.5], persistence: 0.9 },
          battery: { ...BATTERY, capacityKwh, maxSocKwh: capacityKwh },
          controls: ["charge", "hold", "block"],
        };
        const fresh = planPolicy(input);
        const solved = solver.solve(input);
        expect(solved.simulate({ socKwh, samples: 3 })).toEqual(fresh.simulate({ socKwh, samples: 3 }));
        expect(solved.act({ now: input.now, socKwh })).toEqual(fresh.act({ now: input.now, socKwh }));
      }
      solver.forget();
    },
  );
  fc.assert(property, { numRuns: runs(25) });
});
