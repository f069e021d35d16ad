import type { PlanProblem } from "./exact/solve.js";
import type { Command } from "./policy/policy-input.js";
import type { Policy } from "./policy/solved-policy.js";
import { type CommandInput, forcedMode, type SiteInput } from "./site-input.js";

/**
 * The current command: the previous one while no new decision is required, else that of an override, else the decision of
 * the policy.
 */
export function commandOf(
  input: CommandInput,
  problem: Pick<PlanProblem, "socKwh">,
  policy: Policy,
): Command {
  if (input.soc.lost) return selfConsumption(input);
  const { now, previous, netLoadKw, pvKw } = input;
  const forced = forcedMode(input);
  const wasForced = previous?.command.reason === "override";
  const isSameSource = wasForced === (forced !== undefined);
  if (input.keepCommand && isSameSource && previous && stillHolds(previous.command, input, problem))
    return previous.command;
  const moment = {
    now,
    socKwh: Math.max(0, problem.socKwh),
    ...(netLoadKw !== undefined && { netLoadKw }),
    ...(pvKw !== undefined && { pvKw }),
  };
  if (forced !== undefined) return policy.force(moment, forced);
  return policy.act({ ...moment, ...(previous && !wasForced && { previous: previous.command }) });
}

/** When the mode of the command began. */
export function commandSince({ now, previous }: SiteInput, command: Command): Date {
  return previous?.command.mode === command.mode ? previous.commandSince : now;
}

/** The fail-safe: no charging from the grid; the inverter controls the battery by itself. */
function selfConsumption({ battery }: CommandInput): Command {
  return {
    mode: "free",
    chargePowerKw: 0,
    stopSocKwh: (battery.capacityKwh * battery.maxSocPct) / 100,
    dischargeCapKw: battery.maxDischargePowerKw,
    chargeCapKw: battery.maxChargePowerKw,
    valueCtKwh: 0,
    reason: "self_consumption",
  };
}

/** Whether the previous command may be kept: a charge ends at its stop SOC, and without an override it needs a published price. */
function stillHolds(
  command: Command,
  { prices }: CommandInput,
  { socKwh }: Pick<PlanProblem, "socKwh">,
): boolean {
  if (command.mode !== "charge") return true;
  const isAllowed = command.reason === "override" || prices[0]?.source === "day_ahead";
  return socKwh < command.stopSocKwh && isAllowed;
}
