import { join } from "node:path";
import { pathToFileURL } from "node:url";
import fc from "fast-check";
import { afterEach, describe, expect, it } from "vitest";
import { WorkError, type WorkFault } from "../../../src/core/work/work-error.js";
import { WorkPool, type WorkPoolOptions } from "../../../src/core/work/work-pool.js";
import { buildProgram } from "../../support/built-programs.js";
import type { SampleTasks } from "./sample-worker.js";

const pools: { stop(): Promise<void> }[] = [];
afterEach(async () => {
  for (const pool of pools.splice(0)) await pool.stop();
});

const built = async (name: string) =>
  pathToFileURL((await buildProgram(join(import.meta.dirname, name))).file);
const SAMPLE = await built("sample-worker.ts");
const BROKEN = await built("broken-worker.ts");
const UNPREPARED = await built("unprepared-worker.ts");

function start(options: Partial<WorkPoolOptions> & Pick<WorkPoolOptions, "kind">, module = SAMPLE) {
  const pool = new WorkPool<SampleTasks>({
    module,
    name: "The sample",
    timeMs: 30_000,
    memoryMb: 200,
    data: { add: 100 },
    ...options,
  });
  pools.push(pool);
  return pool;
}

const me = { owner: "me" };
const faultOf = (fault: WorkFault, message: string | RegExp = "") =>
  expect.objectContaining({
    name: "WorkError",
    fault,
    message: message instanceof RegExp ? expect.stringMatching(message) : expect.stringContaining(message),
  });

describe.each(["thread", "process"] as const)("a pool of workers, each a %s", (kind) => {
  it("does tasks with the data of the pool, and reports their progress", async () => {
    const pool = start({ kind });
    expect(await pool.run("add", { numbers: [1, 2] }, me)).toBe(103);
    const seen: number[] = [];
    const onProgress = (progress: number) => void seen.push(progress);
    expect(await pool.run("steps", { count: 3 }, { ...me, onProgress })).toBe(3);
    expect(seen).toEqual([1, 2, 3]);
  });

  it("passes on an error of a task, and goes on with the same worker", async () => {
    const pool = start({ kind });
    const pid = await pool.run("pid", undefined, me);
    await expect(pool.run("fail", { message: "no" }, me)).rejects.toEqual(new RangeError("no"));
    await expect(pool.run("failWithFunction", undefined, me)).rejects.toThrow("It has a function.");
    expect(await pool.run("pid", undefined, me)).toBe(pid);
  });

  it("rejects an input that cannot be copied, and goes on", async () => {
    const pool = start({ kind });
    const numbers = Object.assign([1], { isOdd: () => true });
    await expect(pool.run("add", { numbers }, me)).rejects.toThrow("could not be cloned");
    expect(await pool.run("add", { numbers: [1] }, me)).toBe(101);
  });

  it("ends a task that exceeds its time, and goes on with another worker", async () => {
    const pool = start({ kind, timeMs: 50 });
    const endless = pool.run("loop", undefined, me);
    const next = pool.run("add", { numbers: [] }, me);
    await expect(endless).rejects.toEqual(faultOf("time", "The sample did not answer in time."));
    expect(await next).toBe(100);
  });

  it("ends a task that fills the heap", async () => {
    const pool = start({ kind, memoryMb: 100 });
    await expect(pool.run("fillHeap", undefined, me)).rejects.toEqual(faultOf("memory"));
    expect(await pool.run("add", { numbers: [] }, me)).toBe(100);
  });

  it("survives a worker that ends by itself", async () => {
    const pool = start({ kind });
    await expect(pool.run("exit", { code: 3 }, me)).rejects.toEqual(faultOf("ended", "ended with code 3"));
    await expect(pool.run("throwLater", undefined, me)).rejects.toEqual(faultOf("ended"));
    expect(await pool.run("add", { numbers: [] }, me)).toBe(100);
  });

  it("rejects tasks whose worker cannot be started", async () => {
    await expect(start({ kind }, BROKEN).run("pid", undefined, me)).rejects.toEqual(faultOf("ended"));
    const uncopied = start({ kind, data: () => {} });
    await expect(uncopied.run("pid", undefined, me)).rejects.toThrow("could not be cloned");
    expect(uncopied.free).toBe(1);
    const unprepared = start({ kind }, UNPREPARED);
    for (let attempt = 1; attempt <= 2; attempt++)
      await expect(unprepared.run("pid", undefined, me)).rejects.toThrow("There is no solver.");
  });

  it("stops at once with tasks in progress and waiting, and takes no more", async () => {
    const pool = start({ kind });
    await pool.run("pid", undefined, me);
    const tasks = [pool.run("loop", undefined, me), pool.run("pid", undefined, me)];
    const rejected = Promise.all(tasks.map((task) => expect(task).rejects.toEqual(faultOf("stopped"))));
    const begun = performance.now();
    await pool.stop();
    expect(performance.now() - begun).toBeLessThan(4000);
    await rejected;
    await expect(pool.run("pid", undefined, me)).rejects.toEqual(faultOf("stopped"));
  });

  it("cancels a task that waits, and one in progress", async () => {
    const pool = start({ kind });
    const [first, second] = [new AbortController(), new AbortController()];
    const running = pool.run("loop", undefined, { ...me, signal: first.signal });
    const waiting = pool.run("pid", undefined, { ...me, signal: second.signal });
    second.abort();
    await expect(waiting).rejects.toEqual(faultOf("cancelled"));
    first.abort();
    await expect(running).rejects.toEqual(faultOf("cancelled"));
    await expect(pool.run("pid", undefined, { ...me, signal: first.signal })).rejects.toEqual(
      faultOf("cancelled"),
    );
    expect(await pool.run("add", { numbers: [] }, me)).toBe(100);
  });

  it("takes one waiting task of each owner, and a limited number of all", async () => {
    const pool = start({ kind, mostWaiting: 2 });
    const held = pool.run("sleep", { ms: 50 }, me);
    const first = pool.run("pid", undefined, me);
    await expect(pool.run("pid", undefined, me)).rejects.toEqual(faultOf("busy", "is busy: try again later"));
    const second = pool.run("pid", undefined, { owner: "other" });
    await expect(pool.run("pid", undefined, { owner: "third" })).rejects.toEqual(faultOf("busy"));
    const urgent = pool.run("pid", undefined, { owner: "third", urgent: true });
    await Promise.all([held, first, second, urgent]);
  });
});

describe("a pool of processes", () => {
  it.skipIf(process.platform !== "linux")("ends a task that fills buffers", async () => {
    const pool = start({ kind: "process" });
    await expect(pool.run("fillBuffers", undefined, me)).rejects.toEqual(
      faultOf("memory", "The sample needed too much memory."),
    );
  });

  it.skipIf(process.platform !== "linux")("ends a task by its processor time, not by its time", async () => {
    const pool = start({ kind: "process", processorMs: 200 });
    expect(await pool.run("sleep", { ms: 400 }, me)).toBe("slept");
    await expect(pool.run("loop", undefined, me)).rejects.toEqual(
      faultOf("time", "The sample needed too much processor time."),
    );
  });

  it("survives what V8 ends a whole process for", async () => {
    const pool = start({ kind: "process", memoryMb: 4000 });
    await expect(pool.run("abort", undefined, me)).rejects.toBeInstanceOf(WorkError);
    expect(await pool.run("add", { numbers: [] }, me)).toBe(100);
  });

  it("starts one ahead of its task, which does not wait for another then", async () => {
    const pool = start({ kind: "process" });
    expect(pool.free).toBe(1);
    pool.prepare();
    pool.prepare();
    expect(pool.free).toBe(1);
    const [pid, again] = [await pool.run("pid", undefined, me), await pool.run("pid", undefined, me)];
    expect(again).toBe(pid);
  });

  it("ends them when they are idle, or after each task", async () => {
    for (const idleMs of [20, 0]) {
      const pool = start({ kind: "process", idleMs });
      const pid = await pool.run("pid", undefined, me);
      await expect.poll(() => isRunning(pid), { timeout: 10_000 }).toBe(false);
      expect(await pool.run("pid", undefined, me)).not.toBe(pid);
    }
  });
});

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

describe("the queue of a pool", () => {
  it("moves buffers to a thread", async () => {
    const pool = start({ kind: "thread" });
    const bytes = new Uint8Array(1000);
    expect(await pool.run("bytes", { bytes }, { ...me, transfer: [bytes.buffer] })).toBe(1000);
    expect(bytes).toHaveLength(0);
  });

  it("rejects what waits too long", async () => {
    const pool = start({ kind: "thread", waitMs: 20 });
    const held = pool.run("sleep", { ms: 200 }, me);
    await expect(pool.run("pid", undefined, me)).rejects.toEqual(faultOf("busy"));
    expect(await held).toBe("slept");
  });

  it("uses as many workers as it may", async () => {
    const pool = start({ kind: "thread", atOnce: 2 });
    expect(pool.free).toBe(2);
    const slow = pool.run("sleep", { ms: 60_000 }, me).catch(() => {});
    expect(pool.free).toBe(1);
    expect(await pool.run("add", { numbers: [] }, me)).toBe(100);
    expect(pool.free).toBe(1);
    await pool.stop();
    await slow;
    expect(pool.free).toBe(0);
  });

  it("serves owners in turn, urgent tasks first", async () => {
    const pool = start({ kind: "thread", waitingPerOwner: 100 });
    const requests = fc.array(fc.record({ owner: fc.constantFrom(..."abcdefgh"), urgent: fc.boolean() }), {
      maxLength: 40,
    });
    await fc.assert(
      fc.asyncProperty(requests, async (asked) => {
        // Holds the only worker until all have asked.
        const held = pool.run("sleep", { ms: 1 }, { owner: "first" });
        const served: { owner: string; urgent: boolean }[] = [];
        const tasks = asked.map(async (one) => {
          await pool.run("pid", undefined, one);
          served.push(one);
        });
        await Promise.all([held, ...tasks]);
        expect(served.map(({ urgent }) => urgent)).toEqual(
          asked.map(({ urgent }) => urgent).toSorted((a, b) => Number(b) - Number(a)),
        );
        for (const urgent of [true, false]) {
          const owners = served.filter((one) => one.urgent === urgent).map(({ owner }) => owner);
          // How often each owner had been served before: rounds never decrease, since nobody has two turns in one.
          const rounds = owners.map((owner, at) => owners.slice(0, at).filter((one) => one === owner).length);
          expect(rounds).toEqual(rounds.toSorted((a, b) => a - b));
        }
      }),
      { numRuns: 30 },
    );
  });
});
