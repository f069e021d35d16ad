import { afterEach, describe, expect, it } from "vitest";
import { createBus } from "../../../src/core/bus.js";
import { DAY_MS, HOUR_MS } from "../../../src/core/domain/interval.js";
import type { PricePoint } from "../../../src/core/domain/price.js";
import { HealthRegistry } from "../../../src/core/health-registry.js";
import { silentLog } from "../../../src/core/log.js";
import { PriceSeries } from "../../../src/forecast/market/price-series.js";
import type { ForecastRun } from "../../../src/forecast/price/forecast.js";
import type { MarketDays } from "../../../src/forecast/price/market-days.js";
import { readRun } from "../../../src/forecast/price/run-document.js";
import { ForecastService } from "../../../src/forecast/price/service.js";
import { trainOn } from "../../../src/forecast/price/train.js";
import type { TrainedModel } from "../../../src/forecast/price/trainer.js";
import type { Training } from "../../../src/forecast/price/training.js";
import type { DocumentArchive } from "../../../src/store/archive.js";
import { componentOf } from "../../support/components.js";
import { manualClock } from "../../support/manual-clock.js";

function hours(from: string, count: number, price = 50): PricePoint[] {
  return Array.from({ length: count }, (_, index) => ({
    start: new Date(Date.parse(from) + index * HOUR_MS),
    minutes: 60,
    eurPerMwh: price + (index % 24),
  }));
}

/** Documents stored as text, as on disk. */
function memoryDocuments(): DocumentArchive & { texts: Map<string, string> } {
  const texts = new Map<string, string>();
  return {
    texts,
    get: async (name) => (texts.has(name) ? JSON.parse(texts.get(name)!) : undefined),
    put: async (name, value) => void texts.set(name, JSON.stringify(value)),
  };
}

const running: ForecastService[] = [];
afterEach(async () => {
  for (const service of running.splice(0)) await service.stop();
});

function setUp({ now = "2026-01-15T08:10:00Z", prices = hours("2025-12-15T23:00:00Z", 24 * 31) } = {}) {
  const clock = manualClock(new Date(now));
  const bus = createBus();
  const components = new HealthRegistry(clock);
  const documents = memoryDocuments();
  const runs: ForecastRun[] = [];
  bus.on("forecast.updated", (run) => runs.push(run));
  let series = PriceSeries.of(prices);
  const make = (training?: Training) => {
    const schedule = "5 */6 * * *";
    const published = () => series;
    const service = new ForecastService({
      clock,
      bus,
      components,
      documents,
      prices: { published },
      schedule,
      log: silentLog,
      ...(training && { training }),
    });
    running.push(service);
    return service;
  };
  const publish = (points: PricePoint[]) => {
    series = series.with(points);
    bus.emit("price.updated", series);
  };
  const part = () => componentOf(components, "forecast");
  return { clock, bus, documents, make, publish, runs, part };
}

describe("forecast service", () => {
  it("makes and stores a run at the first start", async () => {
    const { make, runs, documents, part } = setUp();
    const service = make();
    expect(service.hours(1)).toBeUndefined();
    await service.start();
    expect(runs).toHaveLength(1);
    expect(runs[0]).toMatchObject({
      trigger: "scheduled",
      tier: "exponential_mean",
      modelVersion: "exponential-mean-2",
    });
    expect(runs[0]?.hours).toHaveLength(192);
    expect(part()).toMatchObject({
      state: "ok",
      detail: expect.stringContaining("2026-01-16T00:00:00+01:00"),
    });
    await service.stop();
    expect(readRun(JSON.parse(documents.texts.get("forecast/last")!))).toEqual(runs[0]);
  });

  it("uses the stored run after a restart while it contains the published prices", async () => {
    const { make, runs, clock, publish } = setUp();
    const first = make();
    await first.start();
    await first.stop();
    await clock.advance(3 * HOUR_MS);
    const second = make();
    await second.start();
    expect(runs).toHaveLength(1);
    expect(second.current()).toEqual(runs[0]);
    expect(second.hours(168)?.[0]?.start.toISOString()).toBe("2026-01-15T11:00:00.000Z");
    await second.stop();
    publish([{ start: new Date("2026-01-15T20:00:00Z"), minutes: 60, eurPerMwh: 777 }]);
    const third = make();
    await third.start();
    expect(runs).toHaveLength(2);
    expect(third.current()?.issuedAt).toEqual(clock.now());
  });

  it("does not use a stored run that has ended, is from the future, or is damaged", async () => {
    for (const days of [9, -9]) {
      const { make, runs, documents } = setUp();
      await make().start();
      await running.at(-1)?.stop();
      const later = setUp({
        now: new Date(Date.parse("2026-01-15T08:10:00Z") + days * DAY_MS).toISOString(),
      });
      later.documents.texts.set("forecast/last", documents.texts.get("forecast/last")!);
      await later.make().start();
      expect([runs.length, later.runs.length]).toEqual([1, 1]);
    }
    const { make, runs, documents } = setUp();
    documents.texts.set("forecast/last", '{"version":1,"hours":[[1,2,3,"guess"]]}');
    await make().start();
    expect(runs).toHaveLength(1);
  });

  it("runs on schedule by the replay clock, also across a clock change", async () => {
    const { make, runs, clock } = setUp({ now: "2026-03-28T22:00:00Z" });
    await make().start();
    await clock.advance(13 * HOUR_MS);
    // 00:05, 06:05 and 12:05 in Vienna, in a night with one hour less.
    expect(
      runs.slice(1).map(({ issuedAt, trigger }) => [issuedAt.toISOString().slice(11, 16), trigger]),
    ).toEqual([
      ["23:05", "scheduled"],
      ["04:05", "scheduled"],
      ["10:05", "scheduled"],
    ]);
  });

  it("runs on new prices: day_ahead if they extend further, otherwise a correction", async () => {
    const { make, runs, publish } = setUp();
    await make().start();
    publish([{ start: new Date("2026-01-15T20:00:00Z"), minutes: 60, eurPerMwh: 777 }]);
    publish(hours("2026-01-15T23:00:00Z", 24));
    publish(hours("2025-11-01T00:00:00Z", 24));
    expect(runs.map(({ trigger }) => trigger)).toEqual(["scheduled", "scheduled", "day_ahead", "scheduled"]);
    expect(runs.at(-1)?.hours.filter(({ source }) => source === "day_ahead")).toHaveLength(39);
  });

  it("runs on manual request", async () => {
    const { make, runs, documents } = setUp();
    const service = make();
    await service.start();
    const run = await service.run("manual");
    expect(runs.at(-1)).toBe(run);
    expect(run.trigger).toBe("manual");
    expect(readRun(JSON.parse(documents.texts.get("forecast/last")!))).toEqual(run);
  });

  it("makes a new run if more hours are requested than the last run has, and emits it asynchronously", async () => {
    const { make, runs, clock } = setUp();
    const service = make();
    await service.start();
    const requested = service.hours(300);
    expect(requested).toHaveLength(300);
    expect(runs).toHaveLength(1);
    await clock.advance(0);
    expect(runs).toHaveLength(2);
    expect(requested?.[0]?.start.toISOString()).toBe("2026-01-15T08:00:00.000Z");
  });

  it("reports that the climatology is used", async () => {
    const { make, part, publish } = setUp({ prices: [] });
    await make().start();
    expect(part()).toMatchObject({
      state: "degraded",
      detail: "No price is known; using average prices.",
    });
    publish(hours("2026-01-14T23:00:00Z", 24));
    expect(part()?.detail).toBe("Too few prices are known; using average prices.");
    publish(hours("2025-12-14T23:00:00Z", 24 * 31));
    expect(part()?.state).toBe("ok");
  });

  it("keeps the run in memory if it cannot be saved", async () => {
    const { make, documents, runs } = setUp();
    documents.put = async () => {
      throw new Error("no space left");
    };
    documents.get = async () => {
      throw new Error("unreadable");
    };
    const service = make();
    await service.start();
    expect(service.hours(168)).toHaveLength(168);
    expect(runs).toHaveLength(1);
  });
});

describe("forecast service with a model to train", () => {
  const long = () => hours("2025-05-15T22:00:00Z", 24 * 246 - 23);
  let once: TrainedModel | undefined;
  /** A model of those prices that names `days` as its training days. */
  function modelOf(days: MarketDays): TrainedModel {
    once ??= trainOn(days)!;
    return { ...once, trainedTo: days.last, knownDays: days.knownDays };
  }

  /** A training that the test ends. */
  function byHand() {
    const started: MarketDays[] = [];
    const ends: { resolve(model: TrainedModel | undefined): void; reject(error: Error): void }[] = [];
    let stopped = 0;
    const training: Training = {
      train: (days) => {
        started.push(days);
        return new Promise((resolve, reject) => void ends.push({ resolve, reject }));
      },
      stop: async () => void stopped++,
    };
    return { ...training, started, ends, stopped: () => stopped };
  }

  it("uses a lower tier at first, the model after its training, and the stored model after a restart", async () => {
    const training = byHand();
    const { make, runs, part, clock, documents } = setUp({ prices: long() });
    const service = make(training);
    await service.start();
    expect(runs.map(({ tier }) => tier)).toEqual(["exponential_mean"]);
    expect(training.started).toHaveLength(1);
    training.ends[0]!.resolve(modelOf(training.started[0]!));
    await clock.advance(0);
    expect(runs.map(({ tier, modelVersion }) => [tier, modelVersion])[1]).toEqual(["ridge", "ridge-2"]);
    expect(part()).toMatchObject({ state: "ok", detail: expect.stringContaining("Using model ridge-2.") });
    await service.stop();
    expect(documents.texts.get("forecast/model")!.length).toBeLessThan(5_000_000);
    const before = runs.at(-1)!.hours;
    documents.texts.delete("forecast/last");
    const second = make(training);
    await second.start();
    expect(training.started).toHaveLength(1);
    expect(second.current()?.tier).toBe("ridge");
    expect(second.current()?.hours).toEqual(before);
  });

  it("trains again when another day is published, one training at a time, without a new run", async () => {
    const training = byHand();
    const { make, runs, publish, clock } = setUp({ prices: long() });
    await make(training).start();
    publish(hours("2026-01-15T23:00:00Z", 24));
    publish(hours("2025-05-01T22:00:00Z", 24));
    expect(training.started).toHaveLength(1);
    training.ends[0]!.resolve(modelOf(training.started[0]!));
    await clock.advance(0);
    expect(training.started).toHaveLength(2);
    const count = runs.length;
    training.ends[1]!.resolve(modelOf(training.started[1]!));
    await clock.advance(0);
    expect(training.started).toHaveLength(2);
    expect(runs).toHaveLength(count);
  });

  it("reports why a training failed, keeps working, and tries again with the next day", async () => {
    const training = byHand();
    const { make, runs, part, publish, clock } = setUp({ prices: long() });
    const service = make(training);
    await service.start();
    training.ends[0]!.reject(new Error("out of memory"));
    await clock.advance(0);
    expect(part()).toMatchObject({
      state: "degraded",
      detail: expect.stringContaining("out of memory Using model exponential-mean-2."),
    });
    await service.run("manual");
    expect(training.started).toHaveLength(1);
    publish(hours("2026-01-15T23:00:00Z", 24));
    expect(training.started).toHaveLength(2);
    training.ends[1]!.resolve(modelOf(training.started[1]!));
    await clock.advance(0);
    expect(part()?.state).toBe("ok");
    expect(runs.at(-1)?.tier).toBe("ridge");
  });

  it("stops a running training and ignores its result", async () => {
    const training = byHand();
    const { make, runs, clock, documents } = setUp({ prices: long() });
    const service = make(training);
    await service.start();
    await service.stop();
    expect(training.stopped()).toBe(1);
    training.ends[0]!.resolve(modelOf(training.started[0]!));
    await clock.advance(0);
    expect(runs).toHaveLength(1);
    expect(documents.texts.has("forecast/model")).toBe(false);
  });

  it("trains again in place of a model of an earlier version, and does not train on a short history", async () => {
    const training = byHand();
    const { make, documents } = setUp({ prices: long() });
    documents.texts.set("forecast/model", '{"version":1,"modelVersion":"ridge-1","fits":[]}');
    await make(training).start();
    expect(training.started).toHaveLength(1);
    const short = byHand();
    await setUp().make(short).start();
    expect(short.started).toHaveLength(0);
  });

  it("trains the same model in a child process", async () => {
    const { make, runs, bus } = setUp({ prices: long() });
    const service = make();
    const trained = new Promise((resolve) => {
      bus.on("forecast.updated", ({ tier }) => tier === "ridge" && resolve(undefined));
    });
    await service.start();
    await trained;
    const training = byHand();
    const twin = setUp({ prices: long() });
    await twin.make(training).start();
    training.ends[0]!.resolve(modelOf(training.started[0]!));
    await twin.clock.advance(0);
    expect(runs.at(-1)?.hours).toEqual(twin.runs.at(-1)?.hours);
  });
});
