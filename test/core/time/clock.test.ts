import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { DAY_MS, HOUR_MS } from "../../../src/core/domain/interval.js";
import { onEach, realClock, replayClock } from "../../../src/core/time/clock.js";
import { manualClock } from "../../support/manual-clock.js";

const START = new Date("2026-01-15T10:07:00Z");

describe("manual clock", () => {
  it("runs due timers in order of time, each at its due time", async () => {
    const clock = manualClock(START);
    const seen: string[] = [];
    const note = (name: string) => () => seen.push(`${name} ${clock.now().toISOString().slice(11, 16)}`);
    clock.at(new Date("2026-01-15T12:00:00Z"), note("noon"));
    clock.at(new Date("2026-01-15T11:00:00Z"), note("eleven"));
    clock.at(new Date("2026-01-15T09:00:00Z"), note("past"));
    const cancel = clock.at(new Date("2026-01-15T11:30:00Z"), note("cancelled"));
    cancel();
    expect(seen).toEqual([]);
    await clock.advance(4 * HOUR_MS);
    expect(seen).toEqual(["past 10:07", "eleven 11:00", "noon 12:00"]);
    expect(clock.now().toISOString()).toBe("2026-01-15T14:07:00.000Z");
  });

  it("ticks on the time grid, not relative to its start, until cancelled", async () => {
    const clock = manualClock(START);
    const ticks: string[] = [];
    const cancel = onEach(clock, HOUR_MS, (at) => ticks.push(at.toISOString().slice(11, 16)));
    await clock.set(new Date("2026-01-15T13:00:00Z"));
    cancel();
    await clock.advance(DAY_MS);
    expect(ticks).toEqual(["11:00", "12:00", "13:00"]);
  });
});

describe("clocks on real timers", () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date", "performance"], now: START });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it("waits longer than the maximum delay of a timer", () => {
    const clock = replayClock(START, 1);
    let fired = 0;
    clock.at(new Date(START.getTime() + 40 * DAY_MS), () => fired++);
    vi.advanceTimersByTime(40 * DAY_MS - 1);
    expect(fired).toBe(0);
    vi.advanceTimersByTime(1);
    expect(fired).toBe(1);
  });

  it("detects within seconds that the clock was set forward", () => {
    const clock = realClock();
    const fired: string[] = [];
    clock.at(new Date(START.getTime() + 5 * HOUR_MS), () =>
      fired.push(clock.now().toISOString().slice(11, 16)),
    );
    vi.advanceTimersByTime(90_000);
    vi.setSystemTime(START.getTime() + 6 * HOUR_MS);
    vi.advanceTimersByTime(5_000);
    expect(fired).toEqual(["16:07"]);
  });

  it("continues ticking on the grid after the clock was set back by hours", () => {
    const clock = realClock();
    const ticks: string[] = [];
    const cancel = onEach(clock, HOUR_MS / 4, (at) => ticks.push(at.toISOString().slice(11, 19)));
    vi.advanceTimersByTime(10 * 60_000);
    expect(ticks).toEqual(["10:15:00"]);
    vi.setSystemTime(START.getTime() - 3 * HOUR_MS);
    // The change is detected within seconds: one tick at the new time, then ticks on the grid.
    vi.advanceTimersByTime(5_000);
    expect(ticks).toEqual(["10:15:00", "07:07:05"]);
    vi.advanceTimersByTime(38 * 60_000);
    cancel();
    expect(ticks.slice(2)).toEqual(["07:15:00", "07:30:00", "07:45:00"]);
  });

  it("reports the time since the clock was last set", () => {
    const clock = realClock();
    vi.advanceTimersByTime(HOUR_MS);
    expect(clock.steadyMs()).toBe(HOUR_MS);
    vi.setSystemTime(START.getTime() + 9 * DAY_MS);
    expect(clock.steadyMs()).toBe(0);
    vi.advanceTimersByTime(90_000);
    expect(clock.steadyMs()).toBe(90_000);
    vi.setSystemTime(START);
    clock.now();
    vi.advanceTimersByTime(1_000);
    expect(clock.steadyMs()).toBe(1_000);
    expect(replayClock(START, 100_000).steadyMs()).toBe(Infinity);
  });

  it("a replay runs faster by its speed", () => {
    const clock = replayClock(new Date("2025-03-01T00:00:00Z"), 3600);
    const seen: string[] = [];
    clock.at(new Date("2025-03-01T05:00:00Z"), () => seen.push(clock.now().toISOString()));
    vi.advanceTimersByTime(4_999);
    expect(seen).toEqual([]);
    expect(clock.now().toISOString()).toBe("2025-03-01T04:59:56.400Z");
    vi.advanceTimersByTime(1);
    expect(seen).toEqual(["2025-03-01T05:00:00.000Z"]);
  });

  it("a replay with speed 0 does not advance, but runs due timers", () => {
    const start = new Date("2025-03-01T00:00:00Z");
    const clock = replayClock(start, 0);
    const seen: string[] = [];
    clock.at(start, () => seen.push("due"));
    clock.at(new Date(start.getTime() + 1), () => seen.push("later"));
    expect(seen).toEqual([]);
    vi.advanceTimersByTime(DAY_MS);
    expect(seen).toEqual(["due"]);
    expect(clock.now()).toEqual(start);
  });

  it("rejects an invalid speed", () => {
    for (const speed of [-1, Number.NaN, Infinity])
      expect(() => replayClock(START, speed)).toThrow(RangeError);
  });
});
