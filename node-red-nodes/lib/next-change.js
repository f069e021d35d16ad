"use strict";

/**
 * When a switch that follows `runs` (`{ start, end }`, ISO 8601, in any order) changes next: the end of the run in
 * progress when it is on, else the next start. The time as it stands in the run; null where none is known.
 */
function nextChange(runs, isOn, nowMs) {
  const sorted = (Array.isArray(runs) ? runs : [])
    .filter(({ start, end }) => typeof start === "string" && typeof end === "string")
    .sort((one, other) => Date.parse(one.start) - Date.parse(other.start));
  if (!isOn) return sorted.find(({ start }) => Date.parse(start) > nowMs)?.start ?? null;
  let end = null;
  for (const run of sorted) {
    const startMs = Date.parse(run.start);
    // Adjoining runs are one: it goes on where the other ends.
    const goesOn = end === null ? startMs <= nowMs : startMs <= Date.parse(end);
    if (goesOn && Date.parse(run.end) > nowMs && (end === null || Date.parse(run.end) > Date.parse(end)))
      end = run.end;
  }
  return end;
}

module.exports = { nextChange };
