import { describe, expect, it } from "vitest";
import { type Job, KeyedQueue } from "../../src/webhooks/keyed-queue.js";

const settle = () => new Promise<void>((resolve) => setImmediate(resolve));

function lanesWithLog(atOnce = 4, waitingPerOwner = 3) {
  const lanes = new KeyedQueue({ atOnce, waitingPerOwner });
  const log: string[] = [];
  const ends = new Map<string, () => void>();
  const add = (name: string, lane: string, more: Partial<Job> = {}) =>
    lanes.add({
      lane,
      owner: lane,
      run: () => {
        log.push(name);
        return new Promise((resolve) => ends.set(name, resolve));
      },
      forgotten: (why) => void log.push(`${name} ${why}`),
      ...more,
    });
  const end = async (name: string) => {
    ends.get(name)!();
    await settle();
  };
  return { lanes, log, add, end };
}

describe("lanes", () => {
  it("do one job of a lane after the other and so many at once", async () => {
    const { lanes, log, add, end } = lanesWithLog(2);
    for (const name of ["a1", "a2", "b1", "c1"]) add(name, name[0]!);
    expect(log).toEqual([]);
    lanes.open();
    expect(log).toEqual(["a1", "b1"]);
    await end("b1");
    expect(log).toEqual(["a1", "b1", "c1"]);
    await end("a1");
    expect(log).toEqual(["a1", "b1", "c1", "a2"]);
  });

  it("let a newer job take the place of one that waits, never of one under way or of another owner", async () => {
    const { lanes, log, add, end } = lanesWithLog();
    lanes.open();
    add("plan 1", "a", { supersedes: "plan" });
    add("plan 2", "a", { supersedes: "plan" });
    add("other", "a", { owner: "b", supersedes: "plan" });
    add("forecast", "a");
    add("plan 3", "a", { supersedes: "plan" });
    expect(log).toEqual(["plan 1", "plan 2 superseded"]);
    for (const name of ["plan 1", "other", "forecast"]) await end(name);
    expect(log.slice(2)).toEqual(["other", "forecast", "plan 3"]);
  });

  it("bound what waits of an owner, and put what is urgent first", async () => {
    const { lanes, log, add, end } = lanesWithLog();
    lanes.open();
    for (const name of ["1", "2", "3", "4", "5"]) add(name, "a");
    expect(log).toEqual(["1", "2 overflow"]);
    add("now", "a", { urgent: true });
    await end("1");
    expect(log.at(-1)).toBe("now");
  });

  it("go on after a job that fails, and are idle when all is done", async () => {
    const { lanes, log, add, end } = lanesWithLog();
    lanes.open();
    add("bad", "a", { run: () => Promise.reject(new Error("broken")) });
    add("good", "a");
    await settle();
    expect(log).toEqual(["good"]);
    let idle = false;
    const waited = lanes.idle().then(() => {
      idle = true;
    });
    await settle();
    expect(idle).toBe(false);
    await end("good");
    await waited;
    add("late", "a");
    add("never", "a");
    lanes.close();
    expect(log.slice(1)).toEqual(["late", "never closed"]);
  });
});
