import { describe, expect, it } from "vitest";
import { planBattery } from "../../../src/plan/exact/plan-battery.js";
import type { InverterCommand } from "../../../src/plan/physics/inverter.js";
import { planPolicy } from "../../../src/plan/policy/plan-policy.js";
import { seeded } from "../../support/random.js";
import { BATTERY, costOf, hours, NOW, seededProblem } from "./problems.js";

describe("the policy where everything is known", () => {
  it("reaches the optimum of planBattery within 0.1 % when every mode is allowed", () => {
    const random = seeded(11);
    const gaps = Array.from({ length: 40 }, () => {
      const input = seededProblem(random);
      const policy = planPolicy(input);
      const ours = costOf(input, 4, (step, socKwh) => policy.act({ now: step.start, socKwh }));
      const exact = planBattery({
        start: NOW,
        stepMinutes: 60,
        importPriceCtKwh: input.steps.map((step) => step.importCtKwh),
        exportPriceCtKwh: input.steps.map((step) => step.exportCtKwh),
        loadKwh: input.steps.map((step) => step.loadKwh),
        pvKwh: input.steps.map((step) => step.pvKwh),
        battery: { ...BATTERY, socKwh: 4 },
        terminalValueCtKwh: input.terminal!,
      });
      const turnover = input.steps.reduce((sum, step) => sum + step.loadKwh * step.importCtKwh, 0);
      expect(ours).toBeGreaterThanOrEqual(exact.objectiveCt - 1e-6);
      return (ours - exact.objectiveCt) / turnover;
    });
    expect(Math.max(...gaps)).toBeLessThan(0.004);
    expect(gaps.reduce((sum, gap) => sum + gap, 0) / gaps.length).toBeLessThan(0.001);
  });

  it("brings at least 99.5 % of what the best sequence of modes brings", () => {
    const random = seeded(5);
    for (let k = 0; k < 12; k++) {
      const input = {
        ...seededProblem(random),
        steps: hours(5, (h) => ({
          importCtKwh: random.between(5, 45),
          exportCtKwh: random.between(2, 12),
          loadKwh: random.between(0.1, 3),
          pvKwh: h > 1 ? random.between(0, 5) : 0,
        })),
        controls: ["charge", "hold", "block"] as const,
      };
      const policy = planPolicy(input);
      const ours = costOf(input, 3, (step, socKwh) => policy.act({ now: step.start, socKwh }));
      const free = costOf(input, 3, () => ({ mode: "free" }));
      // Charging stops at quarters of the band.
      const stops = [3.25, 5.5, 7.75, 10];
      const commands: InverterCommand[] = [
        { mode: "free" },
        { mode: "hold" },
        { mode: "block" },
        ...stops.map((stopSocKwh) => ({ mode: "charge" as const, stopSocKwh })),
      ];
      let best = Infinity;
      for (let code = 0; code < commands.length ** 5; code++) {
        let rest = code;
        const ct = costOf(input, 3, () => {
          const command = commands[rest % commands.length]!;
          rest = Math.floor(rest / commands.length);
          return command;
        });
        best = Math.min(best, ct);
      }
      expect(free - ours).toBeGreaterThanOrEqual(0.995 * (free - best));
    }
  });
});
