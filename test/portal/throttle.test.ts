import { describe, expect, it } from "vitest";
import { AttemptThrottle, isRefused } from "../../src/portal/throttle.js";

const MINUTE = 60_000;

function throttled() {
  const wall = { nowMs: 1_000_000 };
  const throttle = new AttemptThrottle({ limit: 3, windowMs: 15 * MINUTE, wallNowMs: () => wall.nowMs });
  const attempt = (names: string[], outcome: "counted" | "free") => {
    const begun = throttle.begin(names);
    if (!isRefused(begun)) begun.end(outcome);
    return isRefused(begun) ? begun.retryAfterSeconds : "taken";
  };
  return { wall, throttle, attempt };
}

describe("a throttle", () => {
  it("refuses after the limit until the window that began with the first failure ends", () => {
    const { wall, attempt } = throttled();
    expect(attempt(["anna"], "counted")).toBe("taken");
    wall.nowMs += MINUTE;
    expect(attempt(["anna"], "counted")).toBe("taken");
    expect(attempt(["anna"], "counted")).toBe("taken");
    expect(attempt(["anna"], "free")).toBe(14 * 60);
    expect(attempt(["bert"], "free")).toBe("taken");
    wall.nowMs += 14 * MINUTE;
    expect(attempt(["anna"], "free")).toBe("taken");
  });

  it("counts under each name, and no success", () => {
    const { attempt } = throttled();
    for (const account of ["a", "b", "c"]) expect(attempt([account, "address"], "counted")).toBe("taken");
    expect(attempt(["d", "address"], "free")).toBeGreaterThan(0);
    for (let count = 0; count < 10; count++) expect(attempt(["d", "elsewhere"], "free")).toBe("taken");
  });

  it("lets no more attempts run at once than it would one after the other", () => {
    const { throttle } = throttled();
    const begun = Array.from({ length: 5 }, () => throttle.begin(["anna"]));
    expect(begun.map(isRefused)).toEqual([false, false, false, true, true]);
    expect(begun[4]).toEqual({ retryAfterSeconds: 1 });
    for (const attempt of begun) if (!isRefused(attempt)) attempt.end("free");
    expect(isRefused(throttle.begin(["anna"]))).toBe(false);
  });
});
