import { expect, it } from "vitest";
import { VIENNA } from "../../../src/core/time/zone.js";
import { limitsOf, nextSwitching, ranByHand, type Switching } from "../../../src/plan/windows/switching.js";
import { hour } from "./started-flex.js";

const days = { zone: VIENNA, dayBegins: 12 };
const wallbox = { min_run_minutes: 30, max_starts_per_day: 3 };

/** Starts left and hours of the run in progress. */
function leftAt(at: number, switching: Switching | undefined) {
  const limits = limitsOf(wallbox, {
    ...days,
    budget: undefined,
    switching,
    isPlugged: true,
    now: hour(at),
  })!;
  return [limits.startsOn!(at >= 36 ? "2026-01-16" : "2026-01-15"), limits.runningHours];
}

it("counts the starts of a night, also beyond midnight, and the run in progress", () => {
  let switching = nextSwitching(undefined, true, hour(18), days);
  expect(leftAt(18.5, switching)).toEqual([2, 0.5]);
  switching = nextSwitching(switching, false, hour(19), days);
  expect(leftAt(19.5, switching)).toEqual([2, undefined]);
  switching = nextSwitching(switching, true, hour(25), days);
  expect(leftAt(26, switching)).toEqual([1, 1]);
  // On the next noon the count begins anew, and the run goes on.
  expect(leftAt(36.5, switching)).toEqual([3, 11.5]);
});

it("takes a device that is on again within seconds as one that went on, and one that was off again as one that never began", () => {
  const on = nextSwitching(undefined, true, hour(18), days);
  const off = nextSwitching(on, false, hour(19), days);
  expect(nextSwitching(off, true, hour(19 + 2 / 3600), days)).toEqual(on);
  const settled = nextSwitching(off, true, hour(20), days);
  expect(leftAt(20 + 1 / 3600, settled)).toEqual([2, undefined]);
  const undone = nextSwitching(settled, false, hour(20 + 2 / 3600), days);
  expect(leftAt(20.5, undone)).toEqual([2, undefined]);
});

it("counts a run by hand once, however many quarter-hours it lasts", () => {
  let switching: Switching | undefined;
  for (const at of [20, 20.25, 20.5])
    switching = ranByHand(switching, { start: hour(at), end: hour(at + 0.25) }, days);
  expect(switching).toEqual({ day: "2026-01-15", starts: 1, since: hour(20), until: hour(20.75) });
});
