import type { Clock } from "../../src/core/time/clock.js";

/**
 * A clock for tests. `advance` and `set` move it and run the callbacks that become due on the way, in order of time.
 * `leap` behaves like setting a real clock: intermediate times are skipped, and after a leap back all pending callbacks run.
 */
export interface ManualClock extends Clock {
  leap(to: Date): Promise<void>;
  advance(ms: number): Promise<void>;
  set(to: Date): Promise<void>;
}

export function manualClock(start: Date): ManualClock {
  let nowMs = start.getTime();
  let setAtMs = -Infinity;
  let order = 0;
  const due = new Map<number, { whenMs: number; callback: () => void }>();
  // Callbacks often await before they schedule their successor; one macrotask completes such chains.
  const settle = () => new Promise<void>((resolve) => setImmediate(resolve));
  const set = async (to: Date) => {
    await settle();
    for (;;) {
      const next = [...due.entries()]
        .filter(([, job]) => job.whenMs <= to.getTime())
        .sort(([idA, a], [idB, b]) => a.whenMs - b.whenMs || idA - idB)[0];
      if (next === undefined) break;
      due.delete(next[0]);
      nowMs = Math.max(nowMs, next[1].whenMs);
      next[1].callback();
      await settle();
    }
    nowMs = Math.max(nowMs, to.getTime());
    await settle();
  };
  return {
    now: () => new Date(nowMs),
    at: (when, callback) => {
      const id = order++;
      due.set(id, { whenMs: when.getTime(), callback });
      return () => due.delete(id);
    },
    steadyMs: () => nowMs - setAtMs,
    set,
    leap: async (to) => {
      await settle();
      const isBack = to.getTime() < nowMs;
      nowMs = setAtMs = to.getTime();
      for (const [id, { whenMs, callback }] of [...due]) {
        if (!isBack && whenMs > nowMs) continue;
        due.delete(id);
        callback();
        await settle();
      }
    },
    advance: (ms) => set(new Date(nowMs + ms)),
  };
}
