import { expect, it } from "vitest";
import { freshness } from "../../../src/core/domain/freshness.js";

const now = new Date("2026-01-15T12:00:00Z");
const limits = { staleMinutes: 15, lostMinutes: 120 };

it.each([
  ["2026-01-15T12:06:00Z", "lost"],
  ["2099-06-01T12:00:00Z", "lost"],
  ["2026-01-15T12:04:00Z", "fresh"],
  ["2026-01-15T12:00:00Z", "fresh"],
  ["2026-01-15T11:45:00Z", "fresh"],
  ["2026-01-15T11:44:59Z", "stale"],
  ["2026-01-15T10:00:00Z", "stale"],
  ["2026-01-15T09:59:59Z", "lost"],
])("a reading of %s is %s at noon", (takenAt, expected) => {
  expect(freshness(new Date(takenAt), now, limits)).toBe(expected);
});

it("is lost without a reading", () => {
  expect(freshness(undefined, now, limits)).toBe("lost");
});
