import { describe, expect, it } from "vitest";
import { HOUR_MS, MINUTE_MS } from "../../../src/core/domain/interval.js";
import { FetchError } from "../../../src/core/net/fetch.js";
import type { PriceAnswer } from "../../../src/forecast/market/source.js";
import { hours, memoryArchive, ScriptedSource, startService } from "./started-prices.js";

describe("PriceService", () => {
  it("provides archived prices at once without waiting for network sources", async () => {
    const source = new ScriptedSource("slow");
    let answer = (_: PriceAnswer) => {};
    source.reply = () => new Promise<PriceAnswer>((resolve) => (answer = resolve));
    const { make, part, events, advance } = startService([source]);
    const service = make(memoryArchive(hours("2026-01-14T23:00:00Z", 24)));
    await service.start();
    expect(service.published().hour(Date.parse("2026-01-15T08:00:00Z"))).toBe(59);
    expect(part()).toMatchObject({ state: "degraded", detail: expect.stringContaining("has answered yet") });
    await advance(0);
    answer({ points: hours("2026-01-14T23:00:00Z", 48) });
    await advance(0);
    expect(events).toHaveLength(1);
    expect(part()?.state).toBe("ok");
  });

  it("reads local files before the start completes", async () => {
    const file = new ScriptedSource("file", true);
    file.reply = () => hours("2026-01-14T23:00:00Z", 48);
    const { make, part } = startService([file]);
    const service = make();
    await service.start();
    expect(service.published().hour(Date.parse("2026-01-15T08:00:00Z"))).toBe(59);
    expect(part()?.state).toBe("ok");
  });

  it("keeps prices missing in a later answer, and saves only new ones", async () => {
    const source = new ScriptedSource("awattar");
    source.reply = () => hours("2026-01-14T23:00:00Z", 24);
    const { make, archive, events, advance } = startService([source]);
    const service = make();
    await service.start();
    await advance(0);
    source.reply = () => [{ ...hours("2026-01-15T08:00:00Z", 1)[0]!, eurPerMwh: 99 }];
    await advance(HOUR_MS);
    source.reply = () => [];
    await advance(HOUR_MS);
    expect(service.published().hour(Date.parse("2026-01-15T08:00:00Z"))).toBe(99);
    expect(service.published().hour(Date.parse("2026-01-15T20:00:00Z"))).toBe(71);
    expect(archive.saves.map((points) => points.length)).toEqual([24, 1]);
    expect(events).toHaveLength(2);
  });

  it("asks a failed source again when its owner asks for it, at most every 20 seconds", async () => {
    const source = new ScriptedSource("awattar");
    source.reply = () => Promise.reject(new FetchError("The server is busy.", { retryAfterMs: HOUR_MS }));
    const { make, part, advance } = startService([source]);
    const service = make();
    await service.start();
    await advance(0);
    await service.retry();
    expect(source.requests).toHaveLength(1);
    source.reply = () => hours("2026-01-14T23:00:00Z", 48);
    await advance(20_000);
    const { length } = source.requests;
    await service.retry();
    expect(part()?.state).toBe("ok");
    expect(source.requests.length).toBeGreaterThan(length);
    await service.retry();
    expect(part()?.state).toBe("ok");
  });

  it("keeps prices that could not be saved and saves them later", async () => {
    const source = new ScriptedSource("awattar");
    source.reply = () => hours("2026-01-14T23:00:00Z", 24);
    const { make, archive, advance } = startService([source]);
    archive.full = true;
    await make().start();
    await advance(0);
    expect(archive.saves).toEqual([]);
    archive.full = false;
    await advance(HOUR_MS);
    expect(archive.saves.map((points) => points.length)).toEqual([24]);
  });

  it("requests the next source while the first fails, and returns to the first", async () => {
    const first = new ScriptedSource("first");
    const second = new ScriptedSource("second");
    first.reply = () => Promise.reject(new FetchError("first.test answered with status 500."));
    second.reply = () => hours("2026-01-13T23:00:00Z", 72);
    const { make, part, advance } = startService([first, second]);
    await make().start();
    await advance(0);
    expect(part()).toMatchObject({
      state: "degraded",
      detail: expect.stringContaining("first: first.test answered with status 500. Using second."),
    });
    const requests = second.requests.length;
    // After 5, 10 and 20 s, without requests to the second source.
    for (const seconds of [5, 10, 20]) await advance(seconds * 1000);
    expect(first.requests).toHaveLength(4);
    expect(second.requests).toHaveLength(requests);
    first.reply = () => hours("2026-01-13T23:00:00Z", 72);
    await advance(40_000);
    expect(part()?.state).toBe("ok");
  });

  it("takes from the next source what the first one lacks, and quarter-hours of the same mean", async () => {
    const first = new ScriptedSource("first");
    const second = new ScriptedSource("second");
    first.reply = () => hours("2026-01-14T23:00:00Z", 24);
    const quarters = (start: string, prices: number[]) =>
      prices.map((eurPerMwh, index) => ({
        start: new Date(Date.parse(start) + index * 15 * MINUTE_MS),
        minutes: 15 as const,
        eurPerMwh,
      }));
    second.reply = () => [
      ...quarters("2026-01-15T20:00:00Z", [70, 71, 71, 72]),
      ...quarters("2026-01-15T21:00:00Z", [90, 91, 92, 93]),
      ...quarters("2026-01-15T23:00:00Z", [10, 11, 12, 13]),
    ];
    const { make, advance, events } = startService([first, second], { now: "2026-01-15T13:40:00Z" });
    const service = make();
    await service.start();
    // Tomorrow is due, and only the second source has some of it: both are asked each hour.
    for (let hour = 0; hour < 3; hour++) await advance(HOUR_MS);
    const at = (time: string) => service.published().quarter(Date.parse(time));
    expect(at("2026-01-15T20:15:00Z")).toBe(71);
    expect(at("2026-01-15T20:45:00Z")).toBe(72);
    expect(at("2026-01-15T21:15:00Z")).toBe(72);
    expect(at("2026-01-15T23:15:00Z")).toBe(11);
    expect(events).toHaveLength(2);
  });

  it("waits for Retry-After", async () => {
    const source = new ScriptedSource("awattar");
    source.reply = () => Promise.reject(new FetchError("Too many.", { retryAfterMs: 600_000 }));
    const { make, part, advance } = startService([source], { now: "2026-01-15T11:55:00Z" });
    await make().start();
    await advance(0);
    expect(part()?.state).toBe("down");
    await advance(599_000);
    expect(source.requests).toHaveLength(1);
    await advance(1_000);
    expect(source.requests).toHaveLength(2);
  });

  it("requests every three minutes from 12:50 until tomorrow is complete", async () => {
    const source = new ScriptedSource("awattar");
    source.reply = () => hours("2025-12-15T23:00:00Z", 24 * 31);
    const { make, advance, clock, events } = startService([source], { now: "2026-01-15T11:40:00Z" });
    await make().start();
    await advance(0);
    expect(source.requests).toHaveLength(1);
    // 12:51 (12:50 and the spread), 12:54, 12:57, 13:00; the last one returns the prices.
    for (let minute = 41; minute < 60; minute++) await advance(MINUTE_MS);
    expect(source.requests).toHaveLength(4);
    source.reply = () => hours("2025-12-15T23:00:00Z", 24 * 32);
    await advance(2 * MINUTE_MS);
    expect(source.requests).toHaveLength(5);
    expect(events.at(-1)?.endMs).toBe(Date.parse("2026-01-16T23:00:00Z"));
    await advance(50 * MINUTE_MS);
    expect(source.requests).toHaveLength(5);
    expect(clock.now() < new Date("2026-01-15T13:00:00Z")).toBe(true);
  });

  it("limits the request rate in a fast replay", async () => {
    const source = new ScriptedSource("awattar");
    const { make, clock, wall } = startService([source]);
    await make().start();
    await clock.advance(24 * HOUR_MS);
    const requests = source.requests.length;
    await clock.advance(24 * HOUR_MS);
    expect(source.requests).toHaveLength(requests);
    await wall.advance(20_000);
    await clock.advance(HOUR_MS);
    expect(source.requests.length).toBe(requests + 1);
  });

  it("fetches earlier prices once", async () => {
    const source = new ScriptedSource("awattar");
    source.reply = () => hours("2026-01-13T23:00:00Z", 72);
    const { make, advance } = startService([source]);
    await make().start();
    await advance(0);
    await advance(HOUR_MS);
    const spans = source.requests.map(({ from, to }) => (to.getTime() - from.getTime()) / HOUR_MS);
    expect(spans).toEqual([72, 60 * 24, 72]);
  });

  it.each([["1970-01-02T08:10:00Z"], ["2099-06-01T08:10:00Z"]])(
    "requests current and earlier prices at once when the clock is set from %s to now",
    async (wrong) => {
      const source = new ScriptedSource("awattar");
      source.reply = () => ({ points: [], freshUntil: new Date("2099-06-01T20:00:00Z") }) as never;
      const { make, wall, clock } = startService([source], { now: wrong });
      await make().start();
      await clock.advance(0);
      expect(source.requests).toHaveLength(2);
      source.reply = () => hours("2026-01-13T23:00:00Z", 72);
      const now = new Date("2026-01-15T08:10:00Z");
      await wall.leap(now);
      await clock.leap(now);
      await clock.advance(0);
      expect(source.requests.slice(2).map(({ from }) => from.toISOString())).toEqual([
        "2026-01-13T23:00:00.000Z",
        "2025-11-14T23:00:00.000Z",
      ]);
    },
  );

  it("continues after an error of a listener", async () => {
    const source = new ScriptedSource("awattar");
    let price = 1;
    source.reply = () => hours("2026-01-14T23:00:00Z", 24, price++);
    const { make, bus, advance, events } = startService([source]);
    bus.on("price.updated", () => {
      throw new Error("listener");
    });
    await make().start();
    await advance(0);
    await advance(HOUR_MS);
    expect(events).toHaveLength(2);
  });

  it("reports prices that end too early", async () => {
    const source = new ScriptedSource("awattar");
    source.reply = () => hours("2026-01-14T23:00:00Z", 24);
    const { make, part, advance } = startService([source], { now: "2026-01-15T13:25:00Z" });
    await make().start();
    await advance(0);
    expect(part()?.state).toBe("ok");
    await advance(5 * MINUTE_MS);
    expect(part()).toMatchObject({
      state: "degraded",
      detail: expect.stringContaining("end before they should"),
    });
  });
});
