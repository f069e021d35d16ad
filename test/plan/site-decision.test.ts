import { expect, it } from "vitest";
import { planSite } from "../../src/plan/plan-site.js";
import { planPolicy } from "../../src/plan/policy/plan-policy.js";
import { decideSite } from "../../src/plan/site-decision.js";
import { sitePolicyInput } from "../../src/plan/site-policy.js";
import { seeded } from "../support/random.js";
import { siteInput } from "./site-fixture.js";

it("commands the same as a plan, also where the cap depends on what is planned to be charged", () => {
  const random = seeded(5);
  const values = (low: number, high: number) => Array.from({ length: 16 }, () => random.between(low, high));
  const { battery } = siteInput([]);
  const reasons = new Set<string>();
  for (let k = 0; k < 24; k++) {
    const input = siteInput(values(k % 5 === 0 ? -10 : 5, 35), {
      loadKwh: values(0, 1.5),
      pvKwh: k % 3 === 0 ? values(0, 4) : [],
      soc: {
        pct: k % 2 === 0 ? random.between(10, 15) : random.between(10, 100),
        ageMinutes: 0,
        lost: false,
      },
      battery: { ...battery, gridChargeAllowed: k % 4 !== 2 },
      grid: k % 4 === 0 ? { curtailmentAllowed: true, exportLimitKw: 3 } : {},
    });
    const policy = planPolicy(sitePolicyInput(input));
    const { command, scalars } = planSite(input, { commandOnly: true, policy });
    const { dischargeReason, dischargePowerKw, feedInLimitKw } = scalars;
    expect(decideSite(input, policy)).toEqual({
      command,
      scalars: { dischargeReason, dischargePowerKw, feedInLimitKw },
    });
    reasons.add(dischargeReason);
  }
  expect([...reasons].sort()).toEqual(["cheap_hold", "full", "near_min_soc"]);
});
