import { describe, expect, it } from "vitest";
import { SerialQueue } from "../../../src/core/work/serial-queue.js";

describe("SerialQueue", () => {
  it("runs jobs one after another in the order of their calls", async () => {
    const queue = new SerialQueue();
    const steps: string[] = [];
    const jobs = [2, 0].map((turns, index) =>
      queue.run(async () => {
        steps.push(`begin ${index}`);
        for (let turn = 0; turn < turns; turn++) await new Promise((resolve) => setImmediate(resolve));
        steps.push(`end ${index}`);
        return index;
      }),
    );
    expect(await Promise.all(jobs)).toEqual([0, 1]);
    expect(steps).toEqual(["begin 0", "end 0", "begin 1", "end 1"]);
  });

  it("rejects with the error of a job and runs the next one", async () => {
    const queue = new SerialQueue();
    const failed = queue.run(() => {
      throw new Error("disk full");
    });
    const next = queue.run(() => "done");
    await expect(failed).rejects.toThrow("disk full");
    expect(await next).toBe("done");
  });

  it("is idle only when all jobs have ended, and does not reject for one that failed", async () => {
    const queue = new SerialQueue();
    let ended = false;
    void queue.run(async () => {
      await new Promise((resolve) => setImmediate(resolve));
      ended = true;
      throw new Error("disk full");
    });
    await queue.idle();
    expect(ended).toBe(true);
  });
});
