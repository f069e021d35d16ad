import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { createBus } from "../../src/bus.js";
import { HOUR_MS, MINUTE_MS } from "../../src/domain/interval.js";
import type { PricePoint } from "../../src/domain/price.js";
import { HealthRegistry } from "../../src/health-registry.js";
import { silentLog } from "../../src/log.js";
import type { PriceSeries } from "../../src/market/price-series.js";
import { PriceService } from "../../src/market/price-service.js";
import type { PriceAnswer, PriceRequest, PriceSource } from "../../src/market/source.js";
import { AwattarSource } from "../../src/market/sources/awattar.js";
import { FileSource } from "../../src/market/sources/file.js";
import { MqttPriceSource } from "../../src/market/sources/mqtt.js";
import { FetchError } from "../../src/net/fetch.js";
import type { PriceArchive } from "../../src/store/archive.js";
import { manualClock } from "../../src/time/clock.js";
import { answeringServer, json, recorded } from "../support/answering-server.js";
import { componentOf } from "../support/components.js";
import { eventually } from "../support/eventually.js";

function hours(from: string, count: number, price = 50): PricePoint[] {
  return Array.from({ length: count }, (_, index) => ({
    start: new Date(Date.parse(from) + index * HOUR_MS),
    minutes: 60,
    eurPerMwh: price + index,
  }));
}

/** An archive in memory that records each save. */
function memoryArchive(points: PricePoint[] = []): PriceArchive & { saves: PricePoint[][]; full: boolean } {
  return {
    saves: [],
    full: false,
    load: async () => points,
    async save(fresh) {
      if (this.full) throw new Error("no space left");
      this.saves.push([...fresh]);
    },
  };
}

/** A source whose answers the test gives: points, or a failure. */
class ScriptedSource implements PriceSource {
  readonly name: string;
  readonly local: boolean;
  requests: PriceRequest[] = [];
  reply: () => PricePoint[] | Promise<PriceAnswer> = () => [];

  constructor(name: string, local = false) {
    this.name = name;
    this.local = local;
  }

  async fetch(request: PriceRequest): Promise<PriceAnswer> {
    this.requests.push(request);
    const reply = await this.reply();
    return Array.isArray(reply) ? { points: reply } : reply;
  }
}

const running: PriceService[] = [];
afterEach(async () => {
  for (const service of running.splice(0)) await service.stop();
});

function startService(
  sources: PriceSource[],
  { now = "2026-01-15T08:10:00Z", publishAt = null as string | null } = {},
) {
  const clock = manualClock(new Date(now));
  const wall = manualClock(new Date(now));
  const bus = createBus();
  const components = new HealthRegistry(clock);
  const archive = memoryArchive();
  const events: PriceSeries[] = [];
  bus.on("price.updated", (series) => events.push(series));
  const make = (store: PriceArchive = archive) => {
    const log = silentLog;
    const options = {
      clock,
      wall,
      bus,
      components,
      archive: store,
      sources,
      log,
      publishAt,
      random: () => 1,
    };
    const service = new PriceService(options);
    running.push(service);
    return service;
  };
  const part = () => componentOf(components, "price_source");
  /** Advances both clocks, as with the wall clock. */
  const advance = async (ms: number) => {
    await wall.advance(ms);
    await clock.advance(ms);
  };
  return { clock, wall, advance, bus, archive, make, part, events };
}

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
      detail: expect.stringContaining("first: first.test answered with status 500. second serves."),
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

describe("publication in a replay", () => {
  it("hides prices until their publication and emits an event then", async () => {
    const file = new ScriptedSource("file", true);
    file.reply = () => hours("2026-01-01T00:00:00Z", 24 * 40);
    const { make, clock, events, part } = startService([file], {
      now: "2026-01-15T11:59:00Z",
      publishAt: "13:00",
    });
    const service = make();
    await service.start();
    expect(service.published().endMs).toBe(Date.parse("2026-01-15T23:00:00Z"));
    expect(service.published()).toBe(service.published());
    expect(part()?.state).toBe("ok");
    events.length = 0;
    await clock.advance(MINUTE_MS);
    expect(events.map(({ endMs }) => new Date(endMs).toISOString())).toEqual(["2026-01-16T23:00:00.000Z"]);
    await clock.set(new Date("2026-01-16T11:59:59Z"));
    expect(events).toHaveLength(1);
    await clock.set(new Date("2026-01-17T12:00:00Z"));
    expect(events).toHaveLength(3);
  });

  it("emits no event if only hidden prices change", async () => {
    const file = new ScriptedSource("file", true);
    file.reply = () => hours("2026-01-14T23:00:00Z", 24);
    const { make, clock, events } = startService([file], { publishAt: "13:00" });
    const service = make();
    await service.start();
    events.length = 0;
    file.reply = () => hours("2026-01-14T23:00:00Z", 48);
    await clock.set(new Date("2026-01-15T09:30:00Z"));
    expect(file.requests.length).toBeGreaterThan(1);
    expect(events).toEqual([]);
    await clock.set(new Date("2026-01-15T12:00:00Z"));
    expect(events).toHaveLength(1);
  });

  it("without publish_at all prices are public", async () => {
    const file = new ScriptedSource("file", true);
    file.reply = () => hours("2026-01-01T00:00:00Z", 24 * 40);
    const service = startService([file]).make();
    await service.start();
    expect(service.published().endMs).toBe(Date.parse("2026-02-10T00:00:00Z"));
  });
});

describe("with real sources", () => {
  it("reads a recorded answer over HTTP and keeps it during faults", async () => {
    const server = await answeringServer(json(recorded("awattar_at_marketdata_2024-10-27_dst_autumn.json")));
    const source = new AwattarSource({ url: server.url, timeoutMs: 2_000 });
    const { make, part, clock, wall } = startService([source], { now: "2024-10-27T08:00:00Z" });
    const service = make();
    await service.start();
    await eventually(() => expect(service.published().hour(Date.parse("2024-10-26T22:00:00Z"))).toBe(92.68));
    // The missing hour is a gap, so the due prices are incomplete.
    expect(service.published().hour(Date.parse("2024-10-27T22:00:00Z"))).toBeUndefined();
    await eventually(() => expect(part()?.state).toBe("degraded"));

    const faults = [
      () => server.answer((_request, response) => response.writeHead(500).end()),
      () => server.answer(json("<html>maintenance</html>")),
      () => server.answer(() => {}),
    ];
    const details = ["status 500", "not complete JSON", "did not answer within"];
    for (const [index, fault] of faults.entries()) {
      fault();
      await wall.advance(HOUR_MS);
      await clock.advance(HOUR_MS);
      await eventually(() => expect(part()?.detail).toContain(details[index]));
      expect(part()?.state).toBe("down");
    }
    expect(service.published().hour(Date.parse("2024-10-26T22:00:00Z"))).toBe(92.68);
    await server.close();
  });

  it("uses prices from a topic immediately", async () => {
    const topic = new MqttPriceSource("prices/at");
    const { make, events, advance } = startService([topic]);
    const service = make();
    await service.start();
    topic.receive("start_utc,eur_per_mwh\n2026-01-15T08:00:00Z,10\n");
    await advance(0);
    expect(events).toHaveLength(1);
    topic.receive("start_utc,eur_per_mwh\n2026-01-15T08:00:00Z,12\n");
    await advance(0);
    expect(service.published().hour(Date.parse("2026-01-15T08:00:00Z"))).toBe(12);
    await service.stop();
    topic.receive("start_utc,eur_per_mwh\n2026-01-15T08:00:00Z,14\n");
    await advance(0);
    expect(events).toHaveLength(2);
  });

  it("ignores a topic after a source that provides all due prices", async () => {
    const first = new ScriptedSource("first");
    first.reply = () => hours("2026-01-14T23:00:00Z", 48);
    const topic = new MqttPriceSource("prices/at");
    const { make, advance } = startService([first, topic]);
    const service = make();
    await service.start();
    await advance(0);
    topic.receive("start_utc,eur_per_mwh\n2026-01-15T08:00:00Z,10\n");
    await advance(0);
    expect(service.published().hour(Date.parse("2026-01-15T08:00:00Z"))).toBe(59);
  });

  it("reads a changed file again", async () => {
    const folder = await mkdtemp(join(tmpdir(), "hourgate-prices-"));
    const path = join(folder, "prices.csv");
    await writeFile(path, "start_utc,eur_per_mwh\n2026-01-15T08:00:00Z,10\n");
    const { make, events } = startService([new FileSource(path, { watchEveryMs: 10 })]);
    const service = make();
    await service.start();
    expect(service.published().endMs).toBe(Date.parse("2026-01-15T09:00:00Z"));
    events.length = 0;
    await writeFile(path, "start_utc,eur_per_mwh\n2026-01-15T08:00:00Z,10\n2026-01-15T09:00:00Z,20\n");
    await eventually(() => expect(events).toHaveLength(1));
    expect(service.published().hour(Date.parse("2026-01-15T09:00:00Z"))).toBe(20);
    await rm(folder, { recursive: true });
  });
});
