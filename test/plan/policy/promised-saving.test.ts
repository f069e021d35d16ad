import { expect, it } from "vitest";
import { inverterStep } from "../../../src/plan/physics/inverter.js";
import { planPolicy } from "../../../src/plan/policy/plan-policy.js";
import { BATTERY, HOUR_MS, hours, NOW } from "./problems.js";

const DAYS = 7;
const HORIZON_HOURS = 72;

/** Night load at cheap prices before a dear morning: what is kept for it is worth more than a battery that is left alone makes of it. */
const steps = hours(DAYS * 24 + HORIZON_HOURS, (h) => {
  const hour = h % 24;
  const day = Math.floor(h / 24);
  const price = (hour >= 6 && hour < 10 ? 40 : hour >= 17 && hour < 21 ? 26 : 18) + 2 * Math.sin(day);
  return {
    importCtKwh: price,
    exportCtKwh: 0.4 * price,
    loadKwh: hour >= 6 && hour < 10 ? 1.5 : hour >= 22 || hour < 6 ? 0.9 : 0.3,
    pvKwh: Math.max(0, (2.2 + Math.sin(2 * day)) * Math.sin(((hour - 8) / 9) * Math.PI)),
  };
});

it("promises for each day what the days save together, when all comes as expected", () => {
  const bill = { controlled: 0, alone: 0 };
  const stored = { controlled: 3, alone: 3 };
  let promisedCt = 0;
  for (let h = 0; h < DAYS * 24 + HORIZON_HOURS; h++) {
    const now = new Date(NOW.getTime() + h * HOUR_MS);
    const policy = planPolicy({
      now,
      steps: steps.slice(h, h + HORIZON_HOURS),
      ratios: [],
      battery: BATTERY,
      controls: ["charge", "hold", "block"],
    });
    const isControlled = h < DAYS * 24;
    if (h % 24 === 0 && isControlled) {
      const { savingCt } = policy.simulate({ socKwh: stored.controlled, samples: 1 }).bill;
      promisedCt += savingCt.subarray(0, 24).reduce((sum, ct) => sum + ct, 0);
    }
    for (const who of ["controlled", "alone"] as const) {
      const socKwh = stored[who];
      // In the end both are left alone, until the same is stored in them.
      const command =
        who === "controlled" && isControlled ? policy.act({ now, socKwh }) : { mode: "free" as const };
      const step = steps[h]!;
      const flows = inverterStep({ storage: BATTERY, command, step, socKwh });
      bill[who] += step.importCtKwh * flows.importKwh - step.exportCtKwh * flows.exportKwh;
      stored[who] = flows.socEndKwh;
    }
  }
  expect(stored.controlled).toBeCloseTo(stored.alone, 6);
  const savedCt = bill.alone - bill.controlled;
  expect(savedCt).toBeGreaterThan(100);
  expect(Math.abs(promisedCt - savedCt)).toBeLessThan(0.05 * savedCt);
});
