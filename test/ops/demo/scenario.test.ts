import { expect, it } from "vitest";
import { startOfHeld, timeInWeek } from "../../../src/ops/demo/scenario.js";

it.each([
  ["Sat 18:40", "2026-05-09T18:40:00+02:00"],
  ["saturday 6:05", "2026-05-09T06:05:00+02:00"],
  ["Mon 00:01", "2026-05-04T00:01:00+02:00"],
  // The week begins then: nothing would have been lived through.
  ["Mon 00:00", undefined],
  ["Sat 24:00", undefined],
  ["Sat", undefined],
  ["Sun 9", undefined],
])("reads %j as a time of the generated week", (text, expected) => {
  expect(timeInWeek(text)).toEqual(expected && new Date(expected));
});

it.each([
  ["2026-05-09T18:40:00+02:00", "2026-05-07T00:00:00+02:00"],
  ["2026-05-05T12:00:00+02:00", "2026-05-04T00:00:00+02:00"],
])("a demonstration held at %s begins at %s", (until, expected) => {
  expect(startOfHeld(new Date(until))).toEqual(new Date(expected));
});
