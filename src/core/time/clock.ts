/** Cancels a scheduled callback; has no effect after it has run or was cancelled. */
export type Cancel = () => void;

/**
 * The gateway's source of time. All dates and timers use it, so that a replay or a test only has to pass another clock.
 */
export interface Clock {
  now(): Date;
  /** Runs `callback` once when this clock reaches `when`; never synchronously, even if `when` is past. */
  at(when: Date, callback: () => void): Cancel;
  /**
   * Time since this clock was last observed to be set (adjusted by a jump), in ms of wall time; Infinity for a clock that
   * cannot be set.
   */
  steadyMs(): number;
}

/** setTimeout overflows past 2^31 ms and fires at once; longer waits are split into timers of this length. */
const MAX_TIMER_MS = 2 ** 31 - 1;
/** Interval at which a change of the wall clock is detected; timers are not affected by it. */
const CLOCK_CHECK_MS = 5_000;
/** A larger difference to the elapsed time means that the clock was set; time servers correct less without a jump. */
const CLOCK_JUMP_MS = 10_000;

function waitUntil(remainingMs: () => number, callback: () => void, longestMs = MAX_TIMER_MS): Cancel {
  let timer: NodeJS.Timeout;
  const arm = () => {
    const wait = Math.min(Math.max(0, Math.ceil(remainingMs())), longestMs);
    timer = setTimeout(() => (remainingMs() > 0 ? arm() : callback()), wait);
  };
  arm();
  return () => clearTimeout(timer);
}

/**
 * The wall clock, which may be set at any time (a small computer without a clock battery starts in the past). After it was
 * set forward, due callbacks run within seconds. After it was set back, all pending callbacks run within seconds, with
 * `now()` before `when`, so that callers can schedule themselves again by the new time.
 */
export function realClock(): Clock {
  /** The clock's reading at process time 0; changes only when the clock is set. */
  const originMs = () => Date.now() - performance.now();
  let trustedOriginMs = originMs();
  let setAtMs = performance.now();
  const check = () => {
    const origin = originMs();
    if (Math.abs(origin - trustedOriginMs) > CLOCK_JUMP_MS) setAtMs = performance.now();
    trustedOriginMs = origin;
  };
  return {
    now: () => {
      check();
      return new Date();
    },
    at: (when, callback) => {
      let origin = originMs();
      let wasSetBack = false;
      const remaining = () => {
        const before = origin;
        origin = originMs();
        wasSetBack ||= before - origin > CLOCK_JUMP_MS;
        return wasSetBack ? 0 : when.getTime() - Date.now();
      };
      return waitUntil(remaining, callback, CLOCK_CHECK_MS);
    },
    steadyMs: () => {
      check();
      return performance.now() - setAtMs;
    },
  };
}

/**
 * A clock that reads `start` now and runs `speed` times as fast as the wall clock. With speed 0 the time is constant:
 * only callbacks due at or before `start` run. Throws RangeError for a negative speed.
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
 * Runs `callback` at each multiple of `stepMs` on the UTC grid (each quarter-hour, each hour) until cancelled. Ticks that
 * a fast replay or a suspended machine skipped are not repeated.
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

/** Runs `callback` after `ms` of wall time, also in a replay. */
export function startWallTimer(ms: number, callback: () => void): Cancel {
  const timer = setTimeout(callback, ms);
  return () => clearTimeout(timer);
}

/** The clock of the configuration: the wall clock, or a replay that begins at `start`. */
export function configuredClock({ start, speed }: { start: string | null; speed: number }): Clock {
  return start === null ? realClock() : replayClock(new Date(start), speed);
}
