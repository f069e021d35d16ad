/** Stops a scheduled callback; harmless when it has run or was stopped before. */
export type Cancel = () => void;

/**
 * The time the gateway lives in. Everything that dates, schedules or counts takes its time from here, so that a
 * replay of a recorded January or a test that stands still needs no other switch.
 */
export interface Clock {
  now(): Date;
  /** Runs `callback` once, as soon as this clock reads `when` (at once, but never synchronously, if it already does). */
  at(when: Date, callback: () => void): Cancel;
}

/** setTimeout overflows past 2^31 ms and fires at once; longer waits are cut into pieces of this length. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;
/** How soon a clock that was set forward is noticed: timers know nothing of it. */
const LONGEST_LOOK_AWAY_MS = 60_000;
/** A clock this far behind the time that has passed was set back. */
const SET_BACK_MS = 1_000;

function waitUntil(remainingMs: () => number, callback: () => void, longestMs = LONGEST_TIMER_MS): Cancel {
  let timer: NodeJS.Timeout;
  const arm = () => {
    const wait = Math.min(Math.max(0, Math.ceil(remainingMs())), longestMs);
    timer = setTimeout(() => (remainingMs() > 0 ? arm() : callback()), wait);
  };
  arm();
  return () => clearTimeout(timer);
}

/**
 * The wall clock, which people and time servers set (a small computer without a battery begins in the past). Set forward,
 * what has fallen due runs within a minute. Set back, what was waited for runs when it would have without that, and not
 * hours later; `now()` is then before `when`.
 */
export function realClock(): Clock {
  return {
    now: () => new Date(),
    at: (when, callback) => {
      const dueMs = performance.now() + when.getTime() - Date.now();
      const remaining = () => Math.min(when.getTime() - Date.now(), dueMs + SET_BACK_MS - performance.now());
      return waitUntil(remaining, callback, LONGEST_LOOK_AWAY_MS);
    },
  };
}

/**
 * A clock that reads `start` now and runs `speed` times as fast as the wall clock. Speed 0 stands still: what is due
 * at or before `start` runs, nothing later ever does.
 */
export function replayClock(start: Date, speed: number): Clock {
  if (!(speed >= 0) || !Number.isFinite(speed))
    throw new RangeError("clock.speed must be a number of 0 or more.");
  const wallStart = performance.now();
  const nowMs = () => start.getTime() + (performance.now() - wallStart) * speed;
  return {
    now: () => new Date(Math.floor(nowMs())),
    at: (when, callback) => {
      const remaining = () => (when.getTime() - Math.floor(nowMs())) / speed;
      if (speed > 0) return waitUntil(remaining, callback);
      return when <= start ? waitUntil(() => 0, callback) : () => {};
    },
  };
}

/** A clock for tests: it moves only by `advance` and `set`, and runs what falls due on the way, in order of time. */
export interface ManualClock extends Clock {
  advance(ms: number): Promise<void>;
  set(to: Date): Promise<void>;
}

export function manualClock(start: Date): ManualClock {
  let nowMs = start.getTime();
  let order = 0;
  const due = new Map<number, { whenMs: number; callback: () => void }>();
  // Callbacks often await before they schedule their successor; one macrotask lets those chains settle.
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
    set,
    advance: (ms) => set(new Date(nowMs + ms)),
  };
}

/**
 * Runs `callback` at each full multiple of `stepMs` of the UTC grid (each quarter-hour, each hour), until cancelled.
 * Ticks that a fast replay or a suspended machine has skipped are not made up for.
 */
export function onEach(clock: Clock, stepMs: number, callback: (at: Date) => void): Cancel {
  let cancel: Cancel;
  const arm = () => {
    const next = new Date((Math.floor(clock.now().getTime() / stepMs) + 1) * stepMs);
    cancel = clock.at(next, () => {
      arm();
      callback(clock.now());
    });
  };
  arm();
  return () => cancel();
}
