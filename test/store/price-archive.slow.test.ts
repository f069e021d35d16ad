import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { PricePoint } from "../../src/core/domain/price.js";
import { PriceSeries } from "../../src/forecast/market/price-series.js";
import { LevelSeries } from "../../src/store/level-series.js";
import { openStore } from "../../src/store/store.js";
import { HOURLY_PRICES, recordedText } from "../support/recorded-data.js";
import { recordingLog, temporaryStore } from "./support/folder.js";

const hour = (time: string, eurPerMwh: number): PricePoint => ({
  start: new Date(time),
  minutes: 60,
  eurPerMwh,
});
const quarter = (time: string, eurPerMwh: number): PricePoint => ({
  start: new Date(time),
  minutes: 15,
  eurPerMwh,
});

describe("the price archive", () => {
  it("is empty at first", async () => {
    const { store } = await temporaryStore();
    expect(await store.prices.load()).toEqual([]);
  });

  it("returns hours and quarter-hours as they were saved, in order, after a restart", async () => {
    const { folder, store } = await temporaryStore();
    const points = [
      hour("2025-12-31T23:00:00Z", -500.01),
      hour("2026-01-01T00:00:00Z", 0),
      quarter("2026-01-31T23:45:00Z", 81.25),
      hour("2026-02-01T00:00:00Z", 4000),
    ];
    await store.prices.save([...points].reverse());
    await store.close();
    const again = await openStore(folder, recordingLog());
    expect(await again.prices.load()).toEqual(points);
    await again.close();
  });

  it("applies corrections, and removes nothing after a shorter answer", async () => {
    const { store } = await temporaryStore();
    await store.prices.save([hour("2026-01-01T00:00:00Z", 10), hour("2026-01-01T01:00:00Z", 20)]);
    await store.prices.save([hour("2026-01-01T01:00:00Z", 25), hour("2026-01-01T00:00:00Z", Number.NaN)]);
    await store.prices.save([]);
    expect(await store.prices.load()).toEqual([
      hour("2026-01-01T00:00:00Z", 10),
      hour("2026-01-01T01:00:00Z", 25),
    ]);
  });

  it("splits an hour with one corrected quarter", async () => {
    const { store } = await temporaryStore();
    await store.prices.save([hour("2026-01-01T00:00:00Z", 10)]);
    await store.prices.save([quarter("2026-01-01T00:15:00Z", 11)]);
    expect(await store.prices.load()).toEqual([
      quarter("2026-01-01T00:00:00Z", 10),
      quarter("2026-01-01T00:15:00Z", 11),
      quarter("2026-01-01T00:30:00Z", 10),
      quarter("2026-01-01T00:45:00Z", 10),
    ]);
  });

  it("rejects a price off its grid", async () => {
    const { store } = await temporaryStore();
    await expect(store.prices.save([hour("2026-01-01T00:15:00Z", 10)])).rejects.toThrow("cannot start at");
  });

  it("equals a price series after any concurrent saves", async () => {
    const startMs = Date.parse("2026-01-31T12:00:00Z");
    const point = fc
      .record({
        cell: fc.nat(95),
        minutes: fc.constantFrom(15 as const, 60 as const),
        eurPerMwh: fc.double({ noNaN: true, min: -500, max: 4000 }),
      })
      .map(({ cell, minutes, eurPerMwh }): PricePoint => {
        const index = minutes === 60 ? cell - (cell % 4) : cell;
        return { start: new Date(startMs + index * 900_000), minutes, eurPerMwh };
      });
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(point, { maxLength: 8 }), { maxLength: 5 }), async (saves) => {
        const { store } = await temporaryStore();
        await Promise.all(saves.map((save) => store.prices.save(save)));
        const stored = PriceSeries.of(await store.prices.load());
        const expected = saves.reduce((series, save) => series.with(save), PriceSeries.empty);
        for (let at = startMs; at < startMs + 96 * 900_000; at += 900_000) {
          expect(stored.quarter(at)).toBe(expected.quarter(at));
        }
        await store.close();
      }),
      { numRuns: 15 },
    );
  });

  it("keeps the recorded prices of all years in one record per month, so that the start reads few", async () => {
    const { folder, store } = await temporaryStore();
    const csv = recordedText(HOURLY_PRICES);
    const points = csv
      .trim()
      .split("\n")
      .slice(1)
      .map((line) => line.split(","))
      .map(([time, price]) => hour(time!, Number(price)));
    expect(points.length).toBeGreaterThan(70_000);
    await store.prices.save(points);
    await store.close();
    const database = await LevelSeries.open(join(folder, "series"));
    const records = await database.entries({ gte: "price/", lt: "price/~" });
    await database.close();
    const months = new Set(points.map(({ start }) => start.toISOString().slice(0, 7)));
    expect(records).toHaveLength(months.size);
    const again = await openStore(folder, recordingLog());
    expect(await again.prices.load()).toEqual(points);
    await again.close();
  });
});
