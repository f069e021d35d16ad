import { describe, expect, it } from "vitest";
import { HOUR_MS } from "../../../src/core/domain/interval.js";
import type { PricePoint } from "../../../src/core/domain/price.js";
import { PriceSeries } from "../../../src/forecast/market/price-series.js";
import {
  coveredUntil,
  daysToFetch,
  dueUntil,
  nextFetchAt,
  nextPublication,
  type PriceSituation,
  priceStatus,
  publicUntil,
  tomorrowComplete,
} from "../../../src/forecast/market/publication.js";
import { componentText } from "../../../src/texts/index.js";

const iso = (at: Date) => at.toISOString().replace(".000", "");

describe("publication", () => {
  it.each([
    ["2026-01-15T11:59:59Z", "2026-01-15T23:00:00Z", "before 13:00: today"],
    ["2026-01-15T12:00:00Z", "2026-01-16T23:00:00Z", "at 13:00: tomorrow"],
    ["2026-01-15T23:00:00Z", "2026-01-16T23:00:00Z", "after midnight that is today"],
    ["2025-03-29T12:00:00Z", "2025-03-30T22:00:00Z", "tomorrow has 23 hours"],
    ["2025-10-25T11:00:00Z", "2025-10-26T23:00:00Z", "tomorrow has 25 hours"],
    ["2025-10-26T11:59:59Z", "2025-10-26T23:00:00Z", "a second before 13:00 winter time"],
  ])("at %s public until %s (%s)", (now, expected) => {
    expect(iso(publicUntil(new Date(now), "13:00"))).toBe(expected);
  });

  it("is next today or tomorrow at the local time", () => {
    expect(iso(nextPublication(new Date("2026-01-15T11:59:59Z"), "13:00"))).toBe("2026-01-15T12:00:00Z");
    expect(iso(nextPublication(new Date("2026-01-15T12:00:00Z"), "13:00"))).toBe("2026-01-16T12:00:00Z");
    expect(iso(nextPublication(new Date("2025-03-29T13:00:00Z"), "13:15"))).toBe("2025-03-30T11:15:00Z");
  });

  it("is due from 14:30 on, or from a later publication", () => {
    expect(iso(dueUntil(new Date("2026-01-15T13:29:00Z"), null))).toBe("2026-01-15T23:00:00Z");
    expect(iso(dueUntil(new Date("2026-01-15T13:30:00Z"), "13:00"))).toBe("2026-01-16T23:00:00Z");
    expect(iso(dueUntil(new Date("2026-01-15T13:30:00Z"), "15:00"))).toBe("2026-01-15T23:00:00Z");
  });
});

describe("looking", () => {
  const next = (now: string, complete = false, random = 0.5) =>
    iso(nextFetchAt(new Date(now), complete, () => random));
  it.each([
    ["2026-01-15T08:10:00Z", false, "2026-01-15T09:10:00Z", "hourly in the morning"],
    ["2026-01-15T11:10:00Z", false, "2026-01-15T11:50:30Z", "but not past 12:50 and its spread"],
    ["2026-01-15T11:50:30Z", false, "2026-01-15T11:53:30Z", "every three minutes then"],
    ["2026-01-15T12:30:00Z", true, "2026-01-15T13:30:00Z", "until tomorrow is complete"],
    ["2026-01-15T13:28:30Z", false, "2026-01-15T13:30:00Z", "to 14:30"],
    ["2026-01-15T13:30:00Z", false, "2026-01-15T14:30:00Z", "hourly again"],
    ["2026-01-15T22:30:00Z", true, "2026-01-15T23:00:00Z", "not past midnight, when more is due"],
  ])("at %s (complete: %s) again at %s: %s", (now, complete, expected) => {
    expect(next(now, complete)).toBe(expected);
  });

  it("requests whole local days, also on days with a clock change", () => {
    const { from, to } = daysToFetch(new Date("2025-10-25T20:00:00Z"));
    expect([iso(from), iso(to)]).toEqual(["2025-10-23T22:00:00Z", "2025-10-26T23:00:00Z"]);
  });
});

describe("cover", () => {
  const hours = (from: string, count: number): PricePoint[] =>
    Array.from({ length: count }, (_, index) => ({
      start: new Date(Date.parse(from) + index * HOUR_MS),
      minutes: 60,
      eurPerMwh: index,
    }));

  it("ends at the first gap", () => {
    const now = new Date("2026-01-15T08:40:00Z");
    const series = PriceSeries.of([...hours("2026-01-15T08:00:00Z", 2), ...hours("2026-01-15T11:00:00Z", 5)]);
    expect(iso(coveredUntil(series, now))).toBe("2026-01-15T10:00:00Z");
    expect(iso(coveredUntil(PriceSeries.empty, now))).toBe("2026-01-15T08:00:00Z");
  });

  it("of a day with 25 hours is not complete with 24", () => {
    const now = new Date("2024-10-26T12:00:00Z");
    expect(tomorrowComplete(PriceSeries.of(hours("2024-10-26T22:00:00Z", 24)), now)).toBe(false);
    expect(tomorrowComplete(PriceSeries.of(hours("2024-10-26T22:00:00Z", 25)), now)).toBe(true);
  });
});

describe("price status", () => {
  const now = new Date("2026-01-15T08:40:00Z");
  const due = new Date("2026-01-15T23:00:00Z");
  const status = (sources: PriceSituation["sources"], coveredUntil = due) => {
    const { state, detail } = priceStatus({ sources, now, coveredUntil, dueUntil: due });
    return { state, detail: componentText(detail, "en") };
  };
  const ok = { name: "awattar", state: "ok", detail: "" } as const;
  const failing = { name: "file p.csv", state: "failing", detail: "It is offline." } as const;
  const untried = { name: "energy_charts", state: "untried", detail: "" } as const;

  it("is ok while the first source provides the due prices", () => {
    expect(status([ok, failing, untried])).toEqual({
      state: "ok",
      detail:
        "Using awattar. Prices are available without a gap until 2026-01-16T00:00:00+01:00; the forecast is used where one is missing.",
    });
  });

  it("is degraded on a fallback, on warnings, on prices that end too early, and before any answer", () => {
    expect(status([failing, ok])).toMatchObject({
      state: "degraded",
      detail: expect.stringContaining("It is offline."),
    });
    expect(status([{ ...ok, detail: "Line 3: no." }]).detail).toContain(
      "Line 3: no. All other data is used.",
    );
    expect(status([ok], new Date("2026-01-15T12:00:00Z")).state).toBe("degraded");
    expect(status([untried])).toMatchObject({
      state: "degraded",
      detail: expect.stringContaining("has answered yet"),
    });
    expect(status([]).detail).toContain("No price source is configured.");
  });

  it("is down if no source works, and names the fallback", () => {
    expect(status([failing], new Date("2026-01-15T08:00:00Z"))).toEqual({
      state: "down",
      detail:
        "No price source works. file p.csv: It is offline. No price is available for the current hour; the forecast is used.",
    });
  });
});
