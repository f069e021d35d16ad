import { afterEach, describe, expect, it } from "vitest";
import type { Site } from "../../../src/config/site.js";
import { SiteRuntimes } from "../../../src/config/site-runtimes.js";
import { createBus } from "../../../src/core/bus.js";
import { HOUR_MS, MINUTE_MS } from "../../../src/core/domain/interval.js";
import { HealthRegistry } from "../../../src/core/health-registry.js";
import { silentLog } from "../../../src/core/log.js";
import { FetchError } from "../../../src/core/net/fetch.js";
import type { WeatherAnswer, WeatherRequest, WeatherSource } from "../../../src/forecast/weather/source.js";
import { openMeteoSource } from "../../../src/forecast/weather/sources/open-meteo.js";
import type { WeatherSeriesHour } from "../../../src/forecast/weather/weather-series.js";
import { WeatherService } from "../../../src/forecast/weather/weather-service.js";
import { memoryDocuments } from "../../api/fake-services.js";
import { answeringServer, json, recorded } from "../../support/answering-server.js";
import { componentOf } from "../../support/components.js";
import { eventually } from "../../support/eventually.js";
import { manualClock } from "../../support/manual-clock.js";

const NOW = "2026-03-02T08:10:00Z";

function hours(from: string, count: number, more: Partial<WeatherSeriesHour>): WeatherSeriesHour[] {
  return Array.from({ length: count }, (_, index) => ({
    start: new Date(Date.parse(from) + index * HOUR_MS),
    ...more,
  }));
}

/** A source whose answers the test gives. */
class ScriptedSource implements WeatherSource {
  readonly name: string;
  readonly local = false;
  requested: WeatherRequest[] = [];
  reply: () => WeatherSeriesHour[] | Promise<WeatherAnswer>;

  constructor(name: string, reply: () => WeatherSeriesHour[] | Promise<WeatherAnswer>) {
    this.name = name;
    this.reply = reply;
  }

  async fetch(request: WeatherRequest): Promise<WeatherAnswer> {
    this.requested.push(request);
    const reply = await this.reply();
    return Array.isArray(reply) ? { hours: reply } : reply;
  }
}

const siteAt = (id: string, latitude: number | null, longitude: number | null) =>
  ({ id, accountId: "a", plant: { id, latitude, longitude } }) as Site;

const running: WeatherService[] = [];
afterEach(async () => {
  for (const service of running.splice(0)) await service.stop();
});

function startService(sources: WeatherSource[], sites = [siteAt("home", 48.2, 16.4)]) {
  const clock = manualClock(new Date(NOW));
  const wall = manualClock(new Date(NOW));
  const bus = createBus();
  const components = new HealthRegistry(clock);
  const documents = memoryDocuments();
  const changes: string[] = [];
  bus.on("weather.updated", ({ siteId }) => void changes.push(siteId));
  const make = () => {
    const service = new WeatherService({
      clock,
      wall,
      bus,
      components,
      documents,
      sources,
      sites: new SiteRuntimes(bus, sites),
      log: silentLog,
      random: () => 0.5,
    });
    running.push(service);
    return service;
  };
  const advance = async (ms: number) => {
    await wall.advance(ms);
    await clock.advance(ms);
  };
  const part = () => componentOf(components, "weather_source");
  const request = (service: WeatherService, at: string, siteId = "home") =>
    service.series(siteId).hour(Date.parse(at));
  return { bus, clock, wall, documents, changes, make, advance, part, request };
}

const sky = (count = 48) => hours("2026-03-02T08:00:00Z", count, { ghi: 300, temperatureC: 5 });

describe("WeatherService", () => {
  it("requests each place once from the first source, and again after an hour", async () => {
    const first = new ScriptedSource("first", () => sky());
    const second = new ScriptedSource("second", () => sky());
    const sites = [siteAt("home", 48.2, 16.4), siteAt("granny", 48.2, 16.4), siteAt("hut", 47, 13)];
    const { make, changes, advance, part } = startService([first, second], sites);
    await make().start();
    await advance(0);
    expect(first.requested.map(({ place }) => place.latitude)).toEqual([48.2, 47]);
    expect(second.requested).toEqual([]);
    expect(changes.sort()).toEqual(["granny", "home", "hut"]);
    expect(part()).toMatchObject({ state: "ok", detail: expect.stringContaining("Using first") });
    await advance(HOUR_MS);
    expect(first.requested).toHaveLength(4);
  });

  it("requests a place of new settings, and no longer one without sites", async () => {
    const only = new ScriptedSource("only", () => sky());
    const { bus, make, advance, request } = startService(
      [only],
      [siteAt("home", 48.2, 16.4), siteAt("hut", 47, 13)],
    );
    const service = make();
    await service.start();
    await advance(0);
    bus.emit("site.changed", siteAt("home", 46.6, 14.3));
    bus.emit("site.changed", siteAt("hut", 47, 13));
    expect(request(service, "2026-03-02T09:00:00Z")).toBeUndefined();
    await advance(0);
    expect(request(service, "2026-03-02T09:00:00Z")?.ghi).toBe(300);
    bus.emit("site.removed", { siteId: "hut" });
    bus.emit("site.changed", siteAt("new", null, null));
    only.requested.length = 0;
    await advance(HOUR_MS);
    expect(only.requested.map(({ place }) => place.latitude)).toEqual([46.6]);
  });

  it("does not retry for a place removed during a request", async () => {
    let refuse = (_: Error) => {};
    const only = new ScriptedSource("only", () => new Promise((_, reject) => (refuse = reject)));
    const { bus, make, advance } = startService([only], [siteAt("hut", 47, 13)]);
    await make().start();
    await advance(0);
    bus.emit("site.removed", { siteId: "hut" });
    refuse(new FetchError("It is offline."));
    await advance(0);
    only.reply = () => Promise.reject(new FetchError("It is offline."));
    await advance(HOUR_MS);
    expect(only.requested).toHaveLength(1);
  });

  it("uses the next source while the first fails, and retries the first", async () => {
    const first = new ScriptedSource("first", () => Promise.reject(new FetchError("It is offline.")));
    const second = new ScriptedSource("second", () => sky());
    const { make, advance, part, request } = startService([first, second]);
    const service = make();
    await service.start();
    await advance(0);
    expect(request(service, "2026-03-02T09:00:00Z")?.ghi).toBe(300);
    expect(part()).toMatchObject({ state: "degraded", detail: expect.stringContaining("It is offline.") });
    first.reply = () => sky().map((hour) => ({ ...hour, ghi: 500 }));
    await advance(MINUTE_MS);
    expect(request(service, "2026-03-02T09:00:00Z")?.ghi).toBe(500);
    expect(part()?.state).toBe("ok");
  });

  it("waits for Retry-After in wall time", async () => {
    const only = new ScriptedSource("only", () =>
      Promise.reject(new FetchError("Busy.", { retryAfterMs: 30 * MINUTE_MS })),
    );
    const { make, clock, wall } = startService([only]);
    await make().start();
    await clock.advance(0);
    await clock.advance(5 * HOUR_MS);
    expect(only.requested).toHaveLength(1);
    await wall.advance(31 * MINUTE_MS);
    expect(only.requested).toHaveLength(2);
  });

  it("sends no request before an answer expires", async () => {
    const only = new ScriptedSource("only", async () => ({
      hours: sky(),
      freshUntil: new Date("2026-03-02T10:40:00Z"),
    }));
    const { make, advance } = startService([only]);
    await make().start();
    await advance(0);
    await advance(HOUR_MS);
    await advance(HOUR_MS);
    expect(only.requested).toHaveLength(1);
    await advance(HOUR_MS);
    expect(only.requested).toHaveLength(2);
  });

  it("keeps hours and readings that a later answer does not contain", async () => {
    const only = new ScriptedSource("only", () => sky());
    const { make, advance, request } = startService([only]);
    const service = make();
    await service.start();
    await advance(0);
    only.reply = () => hours("2026-03-02T09:00:00Z", 2, { temperatureC: 9, cloudCoverPct: 40 });
    await advance(HOUR_MS);
    expect(request(service, "2026-03-02T10:00:00Z")).toMatchObject({
      ghi: 300,
      temperatureC: 9,
      cloudCoverPct: 40,
    });
    expect(request(service, "2026-03-03T20:00:00Z")).toMatchObject({ ghi: 300, temperatureC: 5 });
  });

  it("provides the stored weather after a restart without network, and reports it", async () => {
    const only = new ScriptedSource("only", () => sky());
    const { make, advance, request, part } = startService([only]);
    await make().start();
    await advance(0);
    await running.splice(0)[0]!.stop();
    only.reply = () => Promise.reject(new Error("No network."));
    const service = make();
    await service.start();
    expect(request(service, "2026-03-02T09:00:00Z")).toMatchObject({ ghi: 300, temperatureC: 5 });
    expect(service.issuedAt("home")).toEqual(new Date(NOW));
    await advance(0);
    expect(part()).toMatchObject({ state: "down", detail: expect.stringContaining("No network.") });
    expect(part()?.detail).toContain("Weather is available until 2026-03-04T09:10:00+01:00");
  });

  it("ignores hours far from now, as from a source during a replay", async () => {
    const only = new ScriptedSource("only", () => hours("2027-01-01T00:00:00Z", 48, { ghi: 1 }));
    const { make, advance, part } = startService([only]);
    const service = make();
    await service.start();
    await advance(0);
    expect(service.series("home").isEmpty).toBe(true);
    expect(part()).toMatchObject({
      state: "degraded",
      detail: expect.stringContaining("average values are used"),
    });
  });

  it("sends no request for a plant without coordinates", async () => {
    const only = new ScriptedSource("only", () => sky());
    const { make, advance, part } = startService([only], [siteAt("home", null, null)]);
    const service = make();
    await service.start();
    await advance(2 * HOUR_MS);
    expect(only.requested).toEqual([]);
    expect(service.series("home").isEmpty).toBe(true);
    expect(part()?.state).toBe("ok");
  });

  it("reads a recorded answer over HTTP, and keeps it during faults", async () => {
    const server = await answeringServer(json(recorded("openmeteo_forecast_hourly_2026-03-02.json")));
    const { make, advance, request, part } = startService([
      openMeteoSource({ url: server.url, timeoutMs: 2_000 }),
    ]);
    const service = make();
    await service.start();
    await eventually(() => expect(request(service, "2026-03-02T10:00:00Z")?.ghi).toBe(487.2));
    const faults: [string, Parameters<typeof server.answer>[0]][] = [
      ["status 500", (_request, response) => void response.writeHead(500).end()],
      ["not complete JSON", json("<html>maintenance</html>")],
      ["did not answer within", () => {}],
      ["cannot be reached or closed the connection", (request) => void request.socket.destroy()],
      ["usable hour", json('{"hourly":{"time":[],"temperature_2m":[]}}')],
    ];
    for (const [detail, fault] of faults) {
      server.answer(fault);
      await advance(2 * HOUR_MS);
      await eventually(() => expect(part()?.detail).toContain(detail));
      expect(part()?.state).toBe("down");
      expect(request(service, "2026-03-02T10:00:00Z")?.ghi).toBe(487.2);
    }
    await server.close();
  });
});
