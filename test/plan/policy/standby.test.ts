import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CONTROLLED_MODES, type ControlledMode } from "../../../src/core/domain/battery.js";
import type { InverterCommand } from "../../../src/plan/physics/inverter.js";
import { planPolicy } from "../../../src/plan/policy/plan-policy.js";
import type { PolicyInput } from "../../../src/plan/policy/policy-input.js";
import { seeded } from "../../support/random.js";
import { runs } from "../../support/runs.js";
import { BATTERY, costOf, hours, NOW, seededProblem } from "./problems.js";

const SETS: readonly (readonly ControlledMode[])[] = [
  ["standby"],
  ["charge", "standby"],
  ["charge", "standby", "block"],
  ["charge", "hold", "standby"],
];

describe("a battery that can rest", () => {
  it.each(SETS)("costs at most 0.5 % of the saving more than the best sequence of %j", (...controls) => {
    const random = seeded(31);
    for (let k = 0; k < 6; k++) {
      const input: PolicyInput = {
        ...seededProblem(random),
        steps: hours(4, () => ({
          importCtKwh: random.between(-4, 45),
          exportCtKwh: random.between(2, 12),
          loadKwh: random.between(0.1, 3),
          pvKwh: random.pick([0, 0, random.between(0, 5)]),
        })),
        controls,
      };
      const policy = planPolicy(input);
      const ours = costOf(input, 4, (step, socKwh) => policy.act({ now: step.start, socKwh }));
      const commands = commandsOf(controls);
      let best = Infinity;
      for (let code = 0; code < commands.length ** 4; code++) {
        let rest = code;
        const ct = costOf(input, 4, (step) => {
          const command = commands[rest % commands.length]!;
          rest = Math.floor(rest / commands.length);
          const isKept = step.importCtKwh < 0 && controls.includes("hold");
          return { ...command, ...(isKept && { dischargeCapKw: 0 }) };
        });
        best = Math.min(best, ct);
      }
      const free = costOf(input, 4, () => ({ mode: "free" }));
      expect(free - ours).toBeGreaterThanOrEqual(0.995 * (free - best) - 0.3);
    }
  });

  it("never gains by having fewer modes, and no policy beats the bound", () => {
    const random = seeded(32);
    const controls = fc.subarray([...CONTROLLED_MODES]);
    fc.assert(
      fc.property(controls, controls, fc.integer({ min: 0, max: 9 }), (some, others, soc) => {
        const problem = seededProblem(random);
        const input: PolicyInput = {
          ...problem,
          steps: problem.steps.slice(0, 16),
          ratios: Array.from({ length: 16 }, () => [0.3, 0.8, 1.9]),
          controls: some,
        };
        const few = planPolicy(input);
        const more = planPolicy({ ...input, controls: [...new Set([...some, ...others])] });
        const socKwh = 1 + soc;
        expect(more.costCt(socKwh)).toBeLessThanOrEqual(few.costCt(socKwh) + 1e-6);
        const { objectiveCt, boundCt } = few.bound({ socKwh, samples: 3 });
        expect(objectiveCt).toBeGreaterThanOrEqual(boundCt - 1e-9);
      }),
      { seed: 7, numRuns: runs(20) },
    );
  });

  it("rests only where that pays", () => {
    // A cheap night, a dear evening, and sun between them that costs more to lose than the night saves.
    const steps = hours(24, (h) => ({
      importCtKwh: h < 6 ? 15 : h < 17 ? 22 : 40,
      exportCtKwh: 5,
      loadKwh: 0.6,
      pvKwh: h >= 9 && h < 15 ? 0.9 : 0,
    }));
    const modes = (controls: readonly ControlledMode[]) =>
      planPolicy({ now: NOW, steps, ratios: [], battery: BATTERY, controls })
        .simulate({ socKwh: 5, samples: 0 })
        .path.map(({ mode }) => mode);
    const resting = modes(["standby"]);
    expect(resting.slice(0, 6)).toEqual(Array(6).fill("standby"));
    // The surplus of noon is stored.
    expect(resting.slice(9, 15)).not.toContain("standby");
    expect(resting.slice(19)).not.toContain("standby");
    // A battery that can hold has no reason to rest.
    expect(modes(["hold", "standby"])).not.toContain("standby");
  });

  it("says why: to keep its energy, or to leave room for later surplus", () => {
    const at = { now: NOW, socKwh: 5 };
    const input = { now: NOW, ratios: [], battery: BATTERY, controls: ["standby"] as const };
    const dear = hours(8, (h) => ({ importCtKwh: h < 2 ? 15 : 40 }));
    expect(planPolicy({ ...input, steps: dear }).act(at)).toMatchObject({
      mode: "standby",
      reason: "keep_for_dearer",
      dischargeCapKw: 0,
      chargeCapKw: 0,
    });
    const sunny = hours(8, (h) => ({ exportCtKwh: h < 2 ? 12 : -5, loadKwh: 0.1, pvKwh: 5 }));
    expect(planPolicy({ ...input, steps: sunny }).act(at)).toMatchObject({
      mode: "standby",
      reason: "pv_later",
    });
  });
});

/** Charging stops at quarters of the band. */
function commandsOf(controls: readonly ControlledMode[]): InverterCommand[] {
  return [
    { mode: "free" },
    ...controls.flatMap((mode): InverterCommand[] =>
      mode === "charge" ? [3.25, 5.5, 7.75, 10].map((stopSocKwh) => ({ mode, stopSocKwh })) : [{ mode }],
    ),
  ];
}
