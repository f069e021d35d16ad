import { expect, it } from "vitest";
import { PacedValues } from "../../../src/edges/mqtt/topics/display.js";
import { manualClock } from "../../support/manual-clock.js";

it("sets the first value at once and the last of the others when the time has passed", async () => {
  const clock = manualClock(new Date("2026-11-26T12:00:00Z"));
  const set: string[] = [];
  const values = new PacedValues(clock, (topic, payload) => set.push(`${topic} ${payload}`));
  values.set("a", "1", 60_000);
  for (const value of ["2", "3"]) {
    await clock.advance(10_000);
    values.set("a", value, 60_000);
  }
  values.set("b", "1", 60_000);
  expect(set).toEqual(["a 1", "b 1"]);
  await clock.advance(40_000);
  expect(set).toEqual(["a 1", "b 1", "a 3"]);
  values.set("a", "4", 60_000);
  values.forget("a");
  await clock.advance(120_000);
  expect(set).toHaveLength(3);
});
