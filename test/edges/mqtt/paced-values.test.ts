import { expect, it } from "vitest";
import { PacedValues } from "../../../src/edges/mqtt/topics/paced-values.js";
import { manualClock } from "../../support/manual-clock.js";

it("sets the first value at once and the last of the others when the time has passed", async () => {
  const clock = manualClock(new Date("2026-11-26T12:00:00Z"));
  const set: string[] = [];
  const values = new PacedValues(clock, (topic, make) => set.push(`${topic} ${make()}`));
  values.set("a", 60_000, () => "1");
  for (const value of ["2", "3"]) {
    await clock.advance(10_000);
    values.set("a", 60_000, () => value);
  }
  values.set("b", 60_000, () => "1");
  expect(set).toEqual(["a 1", "b 1"]);
  await clock.advance(40_000);
  expect(set).toEqual(["a 1", "b 1", "a 3"]);
  values.set("a", 60_000, () => "4");
  values.forget("a");
  await clock.advance(120_000);
  expect(set).toHaveLength(3);
});

it("sets a value that may not wait in place of one that does", async () => {
  const clock = manualClock(new Date("2026-11-26T12:00:00Z"));
  const set: string[] = [];
  const values = new PacedValues(clock, (topic, make) => set.push(`${topic} ${make()}`));
  values.set("a", 60_000, () => "1");
  values.set("a", 60_000, () => "2");
  await clock.advance(30_000);
  values.setNow("a", () => "3");
  await clock.advance(40_000);
  expect(set).toEqual(["a 1", "a 3"]);
});
