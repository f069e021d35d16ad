"use strict";

const { event: MEMBERS, limits } = require("../resources/outputs.js");

/** Smaller changes of the discharge cap are rounding, kW. */
const CAP_TOLERANCE_KW = 0.01;

/** Charge starts later than this are ignored: the end of the horizon moves every hour. */
const LOOK_AHEAD_MS = 144 * 3_600_000;

/** Limits besides the discharge cap, which plans stored by an earlier version have alone. */
const LIMITS = limits.filter((name) => name !== "discharge_power_kw");

const runsOf = (list) => (Array.isArray(list) ? list : []);

/** The part of a plan that `differs` compares; small enough to be stored in the node's context. */
function essenceOf(plan) {
  return {
    date: String(plan.issued_at).slice(0, 10),
    today: runsOf(plan.charge_hours_today).map(({ start, end }) => [Date.parse(start), Date.parse(end)]),
    starts: runsOf(plan.charge_hours).map(({ start }) => Date.parse(start)),
    capKw: plan.discharge_power_kw,
    limits: LIMITS.map((name) => plan[name] ?? -1),
    nearMinimum: plan.discharge_reason === "near_min_soc",
  };
}

const running = (runs, nowMs) => runs.filter(([, endMs]) => endMs > nowMs).join();
const coming = (starts, nowMs) =>
  starts.filter((startMs) => startMs > nowMs && startMs < nowMs + LOOK_AHEAD_MS).join();

/**
 * Whether the change from one plan to the next requires an action, by the gateway's rule for plant.plan_updated: today's
 * charge runs, the future starts or the discharge cap differ, or near_min_soc starts or ends. Hours that have passed
 * are not a change.
 */
function differs(before, after, nowMs) {
  if (before.date === after.date && running(before.today, nowMs) !== running(after.today, nowMs)) return true;
  if (coming(before.starts, nowMs) !== coming(after.starts, nowMs)) return true;
  if (Math.abs(before.capKw - after.capKw) > CAP_TOLERANCE_KW) return true;
  // A plan that an earlier version stored has no limits.
  if (before.limits?.some((limit, index) => Math.abs(limit - after.limits[index]) > CAP_TOLERANCE_KW))
    return true;
  return before.nearMinimum !== after.nearMinimum;
}

/** The event `plant.plan_updated` with the fields of the gateway's webhook. */
function planEvent(plan) {
  const event = { event: "plant.plan_updated" };
  for (const name of MEMBERS) if (plan[name] !== undefined) event[name] = plan[name];
  return event;
}

module.exports = { differs, essenceOf, planEvent };
