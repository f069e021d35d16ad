import { beforeAll, describe, expect, it } from "vitest";
import type { PvArraySettings } from "../../../src/config/settings.js";
import type { Site } from "../../../src/config/site.js";
import { SiteRuntimes } from "../../../src/config/site-runtimes.js";
import { createBus } from "../../../src/core/bus.js";
import type { TimedValue } from "../../../src/core/domain/counter.js";
import { DAY_MS, HOUR_MS, QUARTER_MS } from "../../../src/core/domain/interval.js";
import { silentLog } from "../../../src/core/log.js";
import { PvService } from "../../../src/forecast/pv/service.js";
import { WeatherSeries, type WeatherSeriesHour } from "../../../src/forecast/weather/weather-series.js";
import { memoryDocuments } from "../../api/fake-services.js";
import { manualClock } from "../../support/manual-clock.js";

const SOUTH: PvArraySettings = {
  peak_kw: 5,
  tilt_deg: 30,
  azimuth_deg: 180,
  losses_pct: 14,
  inverter_kw: null,
  inverter: null,
  curtailable: false,
};

/** Constant irradiance from 05:00 to 18:00 UTC on each day, independent of the sun's position. */
function weatherFrom(from: string, days: number): WeatherSeries {
  const hours = Array.from({ length: days * 24 }, (_, index): WeatherSeriesHour => {
    const start = new Date(Date.parse(from) + index * HOUR_MS);
    const isDay = start.getUTCHours() >= 5 && start.getUTCHours() < 18;
    return { start, ghi: isDay ? 400 : 0, temperatureC: 15 };
  });
  return WeatherSeries.of(hours);
}

function pvSite({
  now = "2026-06-01T22:10:00Z",
  arrays = [SOUTH],
  inverters = [] as { id: string; kw: number }[],
  place = { latitude: 48.2 as number | null, longitude: 16.4 as number | null },
  weather = weatherFrom("2026-05-28T00:00:00Z", 100),
  /** Ratio of measured to modelled energy; undefined without a meter. */
  measuredShare = undefined as number | undefined,
  documents = memoryDocuments(),
  timezone = "Europe/Vienna",
} = {}) {
  const clock = manualClock(new Date(now));
  const bus = createBus();
  const updates: string[] = [];
  bus.on("pv.updated", ({ siteId }) => void updates.push(siteId));
  const site = {
    id: "home",
    accountId: "a",
    plant: { id: "home", timezone, pv: arrays, inverters, ...place },
  } as unknown as Site;
  const options = {
    clock,
    bus,
    sites: new SiteRuntimes(bus, [site]),
    weather: { series: () => weather },
    documents,
    log: silentLog,
  };
  // The measured energy is derived from a model without learnt corrections.
  const model = new PvService({
    ...options,
    bus: createBus(),
    documents: memoryDocuments(),
    telemetry: { readings: async () => [] },
  });
  const readings = async (_site: string, _reading: string, from: Date, to: Date): Promise<TimedValue[]> => {
    if (measuredShare === undefined) return [];
    const starts: TimedValue[] = [];
    for (let at = from.getTime(); at < to.getTime(); at += QUARTER_MS) {
      const modelKwh = modelled.get(Math.floor(at / HOUR_MS));
      if (modelKwh !== undefined) starts.push({ at: new Date(at), value: modelKwh * measuredShare });
    }
    return starts;
  };
  /** The uncorrected yield of each elapsed hour. */
  const modelled = new Map<number, number>();
  const service = new PvService({ ...options, telemetry: { readings } });
  const remember = () => {
    for (const { hours } of model.forecast("home")?.days ?? [])
      for (const { start, modelKwh } of hours) modelled.set(Math.floor(start.getTime() / HOUR_MS), modelKwh);
  };
  return { clock, bus, updates, service, site, documents, remember };
}

describe("the PV forecast", () => {
  it("has nine complete local days from today", () => {
    const { service } = pvSite();
    const { days, peakKw } = service.forecast("home")!;
    expect(peakKw).toBe(5);
    expect(days.map(({ date }) => date).slice(0, 3)).toEqual(["2026-06-02", "2026-06-03", "2026-06-04"]);
    expect(days).toHaveLength(9);
    expect(days[0]!.hours[0]!.start).toEqual(new Date("2026-06-01T22:00:00Z"));
    // 13 hours of 400 W/m2 on 5 kW less 14 % and thermal losses: at most 22.4 kWh on a horizontal plane.
    expect(days[0]!.kwh).toBeGreaterThan(15);
    expect(days[0]!.kwh).toBeLessThan(27);
  });

  it("follows the plant's settings", async () => {
    const { bus, service, site, updates } = pvSite();
    await service.start();
    const before = service.forecast("home")!.days[0]!.kwh;
    const change = (plant: object) =>
      bus.emit("site.changed", { ...site, plant: { ...site.plant, ...plant } });
    change({ pv: [SOUTH, SOUTH] });
    expect(service.forecast("home")!.days[0]!.kwh).toBeCloseTo(2 * before, 6);
    expect(service.forecast("home")!.peakKw).toBe(10);
    change({ latitude: null, longitude: null });
    expect(service.forecast("home")).toBeUndefined();
    change({});
    expect(service.forecast("home")!.peakKw).toBe(5);
    await Promise.resolve();
    expect(updates.length).toBeGreaterThanOrEqual(3);
    await service.stop();
  });

  it("has days of 23 and 25 hours", () => {
    const hoursOf = (now: string) => pvSite({ now }).service.forecast("home")!.days[0]!.hours.length;
    expect(hoursOf("2026-03-29T08:00:00Z")).toBe(23);
    expect(hoursOf("2026-10-25T08:00:00Z")).toBe(25);
  });

  it("has days without overlap in zones with offsets of fractional hours", () => {
    for (const [timezone, first] of [
      ["Asia/Kathmandu", "2026-06-01T18:15:00Z"],
      ["Australia/Adelaide", "2026-06-01T14:30:00Z"],
    ] as const) {
      const { service } = pvSite({ timezone, now: "2026-06-02T01:00:00Z" });
      const { days } = service.forecast("home")!;
      const starts = days.flatMap(({ hours }) => hours.map(({ start }) => start.getTime()));
      expect(starts[0]).toBe(Date.parse(first));
      expect(starts).toEqual(starts.map((_, index) => starts[0]! + index * HOUR_MS));
      expect(starts).toHaveLength(9 * 24);
      // The full hours of a plan contain all of the energy.
      const steps = starts.map((at) => Math.floor(at / HOUR_MS) * HOUR_MS);
      const laid = service.energy(
        "home",
        [...steps, steps.at(-1)! + HOUR_MS].map((at) => ({
          start: new Date(at),
          end: new Date(at + HOUR_MS),
        })),
      )!;
      const sum = (list: readonly number[]) => list.reduce((total, kwh) => total + kwh, 0);
      expect(sum(laid)).toBeCloseTo(sum(days.map(({ kwh }) => kwh)), 9);
    }
  });

  it("adds up arrays, each limited by its own inverter", () => {
    const east = { ...SOUTH, azimuth_deg: 90 };
    const kwh = (arrays: PvArraySettings[]) => pvSite({ arrays }).service.forecast("home")!.days[0]!.kwh;
    expect(kwh([SOUTH, east])).toBeCloseTo(kwh([SOUTH]) + kwh([east]), 9);
    const small = { ...SOUTH, inverter_kw: 0.5 };
    const day = pvSite({ arrays: [small] }).service.forecast("home")!.days[0]!;
    expect(Math.max(...day.hours.map((hour) => hour.kwh))).toBe(0.5);
  });

  it("uses the climatology without weather data", () => {
    const { days } = pvSite({ weather: WeatherSeries.empty }).service.forecast("home")!;
    expect(days[0]!.hours.every(({ origin }) => origin === "climatology")).toBe(true);
    // 5 kWp in Austria yield about 24 kWh on an average June day.
    expect(days[0]!.kwh).toBeGreaterThan(18);
    expect(days[0]!.kwh).toBeLessThan(30);
  });

  it("is undefined without arrays or without a location", () => {
    expect(pvSite({ arrays: [] }).service.forecast("home")).toBeUndefined();
    expect(pvSite({ place: { latitude: null, longitude: null } }).service.forecast("home")).toBeUndefined();
    expect(pvSite({ arrays: [] }).service.energy("home", [])).toBeUndefined();
  });

  it("works in polar night and polar day", () => {
    const place = { latitude: 78, longitude: 15 };
    const empty = WeatherSeries.empty;
    const [winter] = pvSite({ place, weather: empty, now: "2026-12-21T10:00:00Z" }).service.forecast(
      "home",
    )!.days;
    expect(winter!.kwh).toBe(0);
    const [summer] = pvSite({ place, weather: empty, now: "2026-06-21T10:00:00Z" }).service.forecast(
      "home",
    )!.days;
    expect(summer!.hours.every(({ kwh }) => kwh > 0)).toBe(true);
  });

  it("distributes an hour's energy over the steps of a plan", () => {
    const { service } = pvSite();
    const noon = Date.parse("2026-06-02T10:00:00Z");
    const hour = service.energy("home", [{ start: new Date(noon), end: new Date(noon + HOUR_MS) }])![0]!;
    const parts = service.energy("home", [
      { start: new Date(noon + 20 * 60_000), end: new Date(noon + 30 * 60_000) },
      { start: new Date(noon + 30 * 60_000), end: new Date(noon + 45 * 60_000) },
      { start: new Date(noon + 60 * DAY_MS), end: new Date(noon + 60 * DAY_MS + HOUR_MS) },
    ])!;
    expect(parts[0]!).toBeCloseTo(hour / 6, 9);
    expect(parts[1]!).toBeCloseTo(hour / 4, 9);
    expect(parts[2]!).toBe(0);
  });

  it("is recomputed on new weather and emits an event", async () => {
    const { service, bus, clock, updates } = pvSite();
    await service.start();
    await clock.advance(0);
    await service.learnt();
    updates.length = 0;
    bus.emit("weather.updated", { siteId: "home" });
    await clock.advance(0);
    expect(updates).toEqual(["home"]);
    await service.stop();
  });
});

describe("learning", () => {
  /** A site that has learnt for some days, with a constant ratio of measured to modelled energy. */
  async function learned(days: number, measuredShare: number | undefined) {
    const parts = pvSite({ measuredShare });
    parts.remember();
    await parts.service.start();
    const learn = async (more: number) => {
      for (let day = 0; day < more; day++) {
        parts.remember();
        // Over the hours of the day, each of which would compute the same again.
        await parts.clock.leap(new Date(parts.clock.now().getTime() + DAY_MS));
        await parts.service.learnt();
      }
    };
    await learn(days);
    return { ...parts, learn };
  }
  const ratio = (service: PvService) => {
    const { hours } = service.forecast("home")!.days[1]!;
    const sum = (of: (hour: (typeof hours)[number]) => number) =>
      hours.reduce((total, hour) => total + of(hour), 0);
    return sum(({ kwh }) => kwh) / sum(({ modelKwh }) => modelKwh);
  };

  /** A site that has measured 60 % of the modelled energy for 20 days. */
  let low: Awaited<ReturnType<typeof learned>>;
  beforeAll(async () => {
    low = await learned(20, 0.6);
    await low.service.stop();
  });
  /** What that site has stored, for a test of its own. */
  const storedDocuments = async () => {
    const documents = memoryDocuments();
    await documents.put("pv/home", (await low.documents.get("pv/home"))!);
    return documents;
  };

  it("follows the meter, and changes nothing without a meter", async () => {
    const { service: silent } = await learned(3, undefined);
    expect(ratio(silent)).toBe(1);
    expect(ratio(low.service)).toBeLessThan(0.8);
    expect(ratio(low.service)).toBeGreaterThan(0.58);
  });

  it("narrows P10 and P90 to past errors after ten days", async () => {
    const { service, learn } = await learned(5, 1);
    expect(service.forecast("home")!.days[0]!.band).toEqual({ low: 0.7, high: 1.25 });
    await learn(7);
    const { low, high } = service.forecast("home")!.days[0]!.band;
    expect(low).toBeGreaterThan(0.97);
    expect(high).toBeLessThan(1.03);
    // The first night's forecasts have met eleven days; the later ones by day ahead fewer.
    const [first, second] = service.quality("home");
    expect(first).toMatchObject({ day: 1, days: 12, coverage: 1 });
    expect(first!.maeKwh / first!.meanKwh).toBeLessThan(0.01);
    expect(second).toMatchObject({ day: 2, days: 11 });
    for (const { band } of service.forecast("home")!.days) {
      expect(band.low).toBeLessThanOrEqual(1);
      expect(band.high).toBeGreaterThanOrEqual(1);
    }
  });

  it("does not learn from forecasts based on the climatology, and gives them a wide band", async () => {
    const { service, clock, documents, remember } = pvSite({
      weather: WeatherSeries.empty,
      measuredShare: 1,
    });
    remember();
    await service.start();
    await service.learnt();
    await clock.advance(DAY_MS);
    await service.learnt();
    expect(await documents.get("pv/home")).toMatchObject({
      learntDate: "2026-06-02",
      record: { issued: { "2026-06-03": Array(7).fill(null) } },
      ratios: Array(7).fill([]),
    });
    const { low, high } = service.forecast("home")!.days[0]!.band;
    expect(low).toBeLessThan(0.5);
    expect(high).toBeGreaterThan(1.5);
  });

  it("is discarded when the arrays were changed while the gateway was off", async () => {
    const documents = await storedDocuments();
    const other = pvSite({ documents, arrays: [{ ...SOUTH, azimuth_deg: 90 }] });
    await other.service.start();
    await other.service.learnt();
    expect(ratio(other.service)).toBe(1);
    const again = pvSite({ documents, arrays: [{ ...SOUTH, azimuth_deg: 90 }] });
    await again.service.start();
    expect(ratio(again.service)).toBe(1);
  });

  it("is kept from before arrays could share an inverter, and discarded when they begin to", async () => {
    const documents = await storedDocuments();
    const { inverter: _, ...array } = SOUTH;
    expect(await documents.get("pv/home")).toMatchObject({
      learntOf: JSON.stringify([{ latitude: 48.2, longitude: 16.4 }, [array]]),
    });
    const arrays = [{ ...SOUTH, inverter: "roof" }];
    const other = pvSite({ documents, arrays, inverters: [{ id: "roof", kw: 5 }] });
    await other.service.start();
    expect(ratio(other.service)).toBe(1);
  });

  it("is restored after a restart, and restarted from scratch when damaged", async () => {
    const documents = await storedDocuments();
    const again = pvSite({ documents });
    await again.service.start();
    await again.service.learnt();
    expect(ratio(again.service)).toBeLessThan(0.8);
    await documents.put("pv/home", { bins: { "9/2": { measuredKwh: -1 } } });
    const damaged = pvSite({ documents });
    await damaged.service.start();
    await damaged.service.learnt();
    expect(ratio(damaged.service)).toBe(1);
  });
});
