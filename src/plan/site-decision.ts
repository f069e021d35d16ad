import { hoursOf } from "../core/domain/interval.js";
import type { PlanScalars } from "../core/domain/plan-field-lists.js";
import { commandOf } from "./command.js";
import { dischargeCap } from "./discharge-cap.js";
import { feedInLimitKw, isRechargedBeforeNextBlock } from "./plan-scalars.js";
import type { Command } from "./policy/policy-input.js";
import type { Policy } from "./policy/solved-policy.js";
import { type CommandInput, forcedMode } from "./site-input.js";
import { siteProblem, worthUsing } from "./site-problem.js";

/** What a plan commands now. */
export interface SiteDecision {
  command: Command;
  scalars: Pick<PlanScalars, "dischargeReason" | "dischargePowerKw" | "feedInLimitKw">;
}

/**
 * The command of `planSite` with its caps, without the plan: the expected course is computed only where a cap depends on it, which takes
 * a fraction of the time.
 */
export function decideSite(input: CommandInput, policy: Policy): SiteDecision {
  const { battery, prices, loadKwh, pvKwh, soc } = input;
  const socKwh = (battery.capacityKwh * soc.pct) / 100;
  const command = commandOf(input, { socKwh }, policy);
  const first = prices[0]!;
  const hours = hoursOf(first);
  const cap = dischargeCap(input, {
    command,
    loadPowerKw: loadKwh[0]! / hours,
    netLoadKw: (loadKwh[0]! - pvKwh[0]!) / hours,
    get rechargeBeforeNextExpensiveBlock() {
      const worth = worthUsing(siteProblem(input), input);
      const forced = soc.lost ? undefined : forcedMode(input);
      const course = policy.course({ socKwh, first: command, forced });
      return isRechargedBeforeNextBlock(
        course.map(({ chargeKwh }, t) => ({ price: prices[t]!, chargeKwh, worthUsing: worth[t]! })),
      );
    },
  });
  return {
    command,
    scalars: {
      dischargeReason: cap.reason,
      dischargePowerKw: cap.powerKw,
      feedInLimitKw: feedInLimitKw(input, first.exportCtKwh),
    },
  };
}
