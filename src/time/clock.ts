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
  /**
   * For how long nobody has set this clock, as far as it was seen, in ms of the wall clock. A clock that nobody can set:
   * Infinity.
   */
  steadyMs(): number;
}

/** setTimeout overflows past 2^31 ms and fires at once; longer waits are cut into pieces of this length. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;
/** How soon a clock that was set is noticed: timers know nothing of it. */
const LONGEST_LOOK_AWAY_MS = 5_000;
/** A clock that is this far from the time that has passed was set; time servers correct less without a jump. */
const SET_MS = 10_000;

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
 * The wall clock, which people and time servers set (a small computer without a battery begins in the past, or anywhere).
 * Set forward, what has fallen due runs within seconds. Set back, everything that was waited for runs within seconds too,
 * with `now()` before `when`: who waits then looks at the new time, and does not sleep through it.
 */
export function realClock(): Clock {
  /** What the clock reads when the process's own time is 0; changes only when somebody sets the clock. */
  const originMs = () => Date.now() - performance.now();
  let trustedOriginMs = originMs();
  let setAtMs = performance.now();
  const look = () => {
    const origin = originMs();
    if (Math.abs(origin - trustedOriginMs) > SET_MS) setAtMs = performance.now();
    trustedOriginMs = origin;
  };
  return {
    now: () => {
      look();
      return new Date();
    },
    at: (when, callback) => {
      let origin = originMs();
      let wasSetBack = false;
      const remaining = () => {
        const before = origin;
        origin = originMs();
        wasSetBack ||= before - origin > SET_MS;
        return wasSetBack ? 0 : when.getTime() - Date.now();
      };
      return waitUntil(remaining, callback, LONGEST_LOOK_AWAY_MS);
    },
    steadyMs: () => {
      look();
      return performance.now() - setAtMs;
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
    steadyMs: () => Infinity,
  };
}

/**
 * A clock for tests: it moves only by `advance` and `set`, and runs what falls due on the way, in order of time; or by `leap`,
 * as when people set a real one: the time between never was, and set back, everything that waits runs.
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
