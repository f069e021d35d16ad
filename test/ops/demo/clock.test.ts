import { expect, it, vi } from "vitest";
import { PacedClock } from "../../../src/ops/demo/clock.js";

const START = Date.parse("2026-05-04T00:00:00Z");
const MINUTE = 60_000;

it("runs at its speed up to the time that is allowed, and goes on from there", () => {
  vi.useFakeTimers();
  try {
    let wallMs = 0;
    const clock = new PacedClock(new Date(START), 600, () => wallMs);
    const pass = (ms: number) => {
      wallMs += ms;
      vi.advanceTimersByTime(ms);
    };
    const called: string[] = [];
    clock.at(new Date(START + 2 * MINUTE), () => called.push("later"));
    clock.at(new Date(START + MINUTE), () => called.push("minute"));
    const cancel = clock.at(new Date(START + MINUTE), () => called.push("cancelled"));
    cancel();
    pass(1000);
    expect([clock.now().getTime(), called]).toEqual([START, []]);
    clock.allow(new Date(START + MINUTE));
    pass(50);
    expect([clock.now().getTime(), called]).toEqual([START + MINUTE / 2, []]);
    pass(5000);
    expect([clock.now().getTime(), called]).toEqual([START + MINUTE, ["minute"]]);
    clock.allow(new Date(START + 10 * MINUTE));
    pass(100);
    expect([clock.now().getTime(), called]).toEqual([START + 2 * MINUTE, ["minute", "later"]]);
    // A callback for a time that has passed runs at once, but not within the call.
    clock.at(new Date(START), () => called.push("past"));
    expect(called).toHaveLength(2);
    pass(1);
    expect(called.at(-1)).toBe("past");
    clock.at(new Date(START + 3 * MINUTE), () => called.push("never"));
    clock.stop();
    pass(10_000);
    expect(called).toHaveLength(3);
  } finally {
    vi.useRealTimers();
  }
});
