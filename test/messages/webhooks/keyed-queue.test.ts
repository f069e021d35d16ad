import { describe, expect, it } from "vitest";
import { type Job, KeyedQueue } from "../../../src/messages/webhooks/keyed-queue.js";

const settle = () => new Promise<void>((resolve) => setImmediate(resolve));

function queueWithLog(atOnce = 4, waitingPerOwner = 3) {
  const queue = new KeyedQueue({ atOnce, waitingPerOwner });
  const log: string[] = [];
  const ends = new Map<string, () => void>();
  const add = (name: string, key: string, more: Partial<Job> = {}) =>
    queue.add({
      key,
      owner: key,
      account: key,
      run: () => {
        log.push(name);
        return new Promise((resolve) => ends.set(name, resolve));
      },
      dropped: (why) => void log.push(`${name} ${why}`),
      ...more,
    });
  const end = async (name: string) => {
    ends.get(name)!();
    await settle();
  };
  return { queue, log, add, end };
}

describe("KeyedQueue", () => {
  it("runs jobs of one key one after the other, within the limit of concurrent jobs", async () => {
    const { queue, log, add, end } = queueWithLog(2);
    for (const name of ["a1", "a2", "b1", "c1"]) add(name, name[0]!);
    expect(log).toEqual([]);
    queue.start();
    expect(log).toEqual(["a1", "b1"]);
    await end("b1");
    expect(log).toEqual(["a1", "b1", "c1"]);
    await end("a1");
    expect(log).toEqual(["a1", "b1", "c1", "a2"]);
  });

  it("replaces a waiting job by a newer one, but not a running job or one of another owner", async () => {
    const { queue, log, add, end } = queueWithLog();
    queue.start();
    add("plan 1", "a", { supersedes: "plan" });
    add("plan 2", "a", { supersedes: "plan" });
    add("other", "a", { owner: "b", supersedes: "plan" });
    add("forecast", "a");
    add("plan 3", "a", { supersedes: "plan" });
    expect(log).toEqual(["plan 1", "plan 2 superseded"]);
    for (const name of ["plan 1", "other", "forecast"]) await end(name);
    expect(log.slice(2)).toEqual(["other", "forecast", "plan 3"]);
  });

  it("limits the waiting jobs per owner and runs urgent jobs first", async () => {
    const { queue, log, add, end } = queueWithLog();
    queue.start();
    for (const name of ["1", "2", "3", "4", "5"]) add(name, "a");
    expect(log).toEqual(["1", "2 overflow"]);
    add("now", "a", { urgent: true });
    await end("1");
    expect(log.at(-1)).toBe("now");
  });

  it("serves an account at the next free place, however many receivers of another one are slow", async () => {
    const { queue, log, add, end } = queueWithLog();
    queue.start();
    for (const key of ["s1", "s2", "s3", "s4", "s5"]) add(key, key, { account: "slow" });
    add("a", "a");
    add("s6", "s6", { account: "slow", urgent: true });
    await end("s1");
    expect(log.at(-1)).toBe("a");
    await end("a");
    await end("s2");
    expect(log.slice(-2)).toEqual(["s6", "s5"]);
  });

  it("continues after a failed job and becomes idle when all jobs have ended", async () => {
    const { queue, log, add, end } = queueWithLog();
    queue.start();
    add("bad", "a", { run: () => Promise.reject(new Error("broken")) });
    add("good", "a");
    await settle();
    expect(log).toEqual(["good"]);
    let idle = false;
    const waited = queue.idle().then(() => {
      idle = true;
    });
    await settle();
    expect(idle).toBe(false);
    await end("good");
    await waited;
    add("late", "a");
    add("never", "a");
    queue.stop();
    expect(log.slice(1)).toEqual(["late", "never stopped"]);
  });
});
