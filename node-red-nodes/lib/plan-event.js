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
    runs: runsOf(plan.charge_hours).map(({ start, end }) => [start, end]),
    capKw: plan.discharge_power_kw,
    limits: LIMITS.map((name) => plan[name] ?? -1),
    nearMinimum: plan.discharge_reason === "near_min_soc",
  };
}

/** Bounds of the runs within a local date that are not over; the times of a plan are local. */
const boundsOn = (date, runs, nowMs) =>
  runs
    .filter(([start, end]) => Date.parse(end) > nowMs && start.slice(0, 10) <= date)
    .map(([start, end]) => [
      start.slice(0, 10) < date ? "before" : Date.parse(start),
      end.slice(0, 10) > date ? "after" : Date.parse(end),
    ])
    .join();
const coming = (runs, nowMs) =>
  runs
    .map(([start]) => Date.parse(start))
    .filter((startMs) => startMs > nowMs && startMs < nowMs + LOOK_AHEAD_MS)
    .join();

/**
 * Whether the change from one plan to the next requires an action, by the gateway's rule for plant.plan_updated: today's
 * charge runs, the future starts or the discharge cap differ, or near_min_soc starts or ends. Today is that of the later
 * plan, also where the other one is from the day before. Hours that have passed are not a change.
 */
function differs(before, after, nowMs) {
  // A plan that an earlier version stored has no ends of later runs.
  if (before.today !== undefined) return true;
  const today = (runs) => boundsOn(after.date, runs, nowMs);
  if (today(before.runs) !== today(after.runs)) return true;
  if (coming(before.runs, nowMs) !== coming(after.runs, nowMs)) return true;
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
