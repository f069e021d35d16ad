import { expect, it } from "vitest";
import { FairTurns } from "../../../src/core/work/fair-turns.js";

it("serves the owners in turn, the first job at once", async () => {
  const turns = new FairTurns(100);
  const done: string[] = [];
  const jobs = Array.from({ length: 50 }, (_, n) => turns.run("a", () => done.push(`a${n}`)));
  expect(done).toEqual(["a0"]);
  jobs.push(turns.run("b", () => done.push("b0")));
  await Promise.all(jobs);
  expect(done.indexOf("b0")).toBeLessThanOrEqual(2);
  expect(done).toHaveLength(51);
});

it("lets the event loop serve everything else between two jobs", async () => {
  const turns = new FairTurns(100);
  let served = 0;
  const serving = setInterval(() => served++, 0);
  const busy = () => {
    const end = performance.now() + 10;
    while (performance.now() < end);
  };
  await Promise.all(Array.from({ length: 10 }, () => turns.run("a", busy)));
  clearInterval(serving);
  expect(served).toBeGreaterThanOrEqual(5);
});

it("refuses more than may wait of an owner, and goes on after an error", async () => {
  const turns = new FairTurns(1);
  const first = turns.run("a", () => {
    throw new RangeError("no");
  });
  const second = turns.run("a", () => 2);
  await expect(turns.run("a", () => 3)).rejects.toMatchObject({ fault: "busy" });
  const other = turns.run("b", () => "b");
  await expect(first).rejects.toThrow("no");
  expect(await Promise.all([second, other])).toEqual([2, "b"]);
  expect(await turns.run("a", () => 4)).toBe(4);
});
