import { DAY_MS } from "../core/domain/interval.js";
import type { Plan } from "../core/domain/tier.js";
import type { Account } from "../store/state-schema.js";

/** How long a trial runs. */
export const TRIAL_MS = 14 * DAY_MS;

/**
 * The plan in effect at `now`: a paid plan until its period ends, else a running trial, else community. The start of the
 * trial is not checked: a trial starts at once, and a clock that was set back since (a restarted replay, a machine without
 * a clock battery) must not end it.
 */
export function planInForce(account: Readonly<Account>, now: Date): Exclude<Plan, "basic"> {
  if (isPaid(account, now)) return account.plan;
  const { trial } = account;
  const isTrial = trial !== undefined && now < new Date(trial.endsAt);
  return isTrial ? "trial" : "community";
}

/** Whether a paid plan is in effect at `now`. */
export function isPaid({ plan, paidUntil }: Readonly<Account>, now: Date): boolean {
  const hasEnded = paidUntil !== undefined && new Date(paidUntil) <= now;
  return plan !== "community" && !hasEnded;
}

/**
 * End of the billing month at `now`, in UTC: the first monthly anniversary of `since` after `now`. In a month that is too
 * short for the day (31 January) its last day is used.
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
