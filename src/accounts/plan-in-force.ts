import type { Account } from "../store/state.js";
import { DAY_MS } from "../time/interval.js";
import type { Plan } from "./access.js";

/** How long a trial runs. */
export const TRIAL_MS = 14 * DAY_MS;

/**
 * The plan that counts at `now`: a paid one until its period ends, else a trial that runs, else community. Whether a
 * trial has begun is not asked: it begins at once, and a clock that was set back since (a replay that starts again, a
 * machine without a battery for its clock) must not take it away.
 */
export function planInForce(account: Readonly<Account>, now: Date): Exclude<Plan, "basic"> {
  if (isPaid(account, now)) return account.plan;
  const { trial } = account;
  const isTrial = trial !== undefined && now < new Date(trial.endsAt);
  return isTrial ? "trial" : "community";
}

/** Whether a paid plan is in force at `now`. */
export function isPaid({ plan, paidUntil }: Readonly<Account>, now: Date): boolean {
  const hasEnded = paidUntil !== undefined && new Date(paidUntil) <= now;
  return plan !== "community" && !hasEnded;
}

/**
 * End of the month in progress at `now`, months counted from `since`: the first of its monthly returns that lies after
 * `now`, in UTC. Where a month is too short for the day (31 January), its last day counts.
 */
export function endOfMonth(since: Date, now: Date): Date {
  const whole =
    (now.getUTCFullYear() - since.getUTCFullYear()) * 12 + now.getUTCMonth() - since.getUTCMonth();
  for (let months = Math.max(1, whole); ; months++) {
    const end = addMonths(since, months);
    if (end > now) return end;
  }
}

function addMonths(since: Date, months: number): Date {
  const moved = new Date(since);
  moved.setUTCDate(1);
  moved.setUTCMonth(moved.getUTCMonth() + months);
  const lastDay = new Date(Date.UTC(moved.getUTCFullYear(), moved.getUTCMonth() + 1, 0)).getUTCDate();
  moved.setUTCDate(Math.min(since.getUTCDate(), lastDay));
  return moved;
}
