"use strict";

/**
 * The next change of a switch that follows `runs` (`{ start, end }`, ISO 8601, in any order): the end of the current run
 * when it is on, otherwise the next start. Returns the run's own time string, or null when none is known.
 */
function nextChange(runs, isOn, nowMs) {
  const sorted = (Array.isArray(runs) ? runs : [])
    .filter(({ start, end }) => typeof start === "string" && typeof end === "string")
    .sort((one, other) => Date.parse(one.start) - Date.parse(other.start));
  if (!isOn) return sorted.find(({ start }) => Date.parse(start) > nowMs)?.start ?? null;
  let end = null;
  for (const run of sorted) {
    const startMs = Date.parse(run.start);
    // Adjacent runs count as one.
    const isContinued = end === null ? startMs <= nowMs : startMs <= Date.parse(end);
    if (isContinued && Date.parse(run.end) > nowMs && (end === null || Date.parse(run.end) > Date.parse(end)))
      end = run.end;
  }
  return end;
}

module.exports = { nextChange };
