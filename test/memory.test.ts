import { runInThisContext } from "node:vm";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { returnMemorySoon } from "../src/memory.js";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
  vi.doUnmock("node:vm");
  vi.resetModules();
});

it("collects what nobody holds any more, ten seconds later", async () => {
  const held = new WeakRef({ large: new Float64Array(100_000) });
  returnMemorySoon();
  // A weak reference keeps its target until the job that made it has ended.
  await new Promise((over) => process.nextTick(over));
  await vi.advanceTimersByTimeAsync(9_000);
  expect(held.deref()).toBeDefined();
  await new Promise((over) => process.nextTick(over));
  await vi.advanceTimersByTimeAsync(1_000);
  await vi.advanceTimersByTimeAsync(0);
  expect(held.deref()).toBeUndefined();
});

it("goes without on a Node that does not show its collector", async () => {
  vi.resetModules();
  vi.doMock("node:vm", () => ({ runInNewContext: runInThisContext }));
  const { returnMemorySoon: returnMemorySoonThere } = await import("../src/memory.js");
  returnMemorySoonThere();
  expect(() => vi.advanceTimersByTime(10_000)).not.toThrow();
  expect(vi.getTimerCount()).toBe(0);
});
