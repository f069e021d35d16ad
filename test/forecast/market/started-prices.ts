import { onTestFinished } from "vitest";
import { createBus } from "../../../src/core/bus.js";
import { HOUR_MS } from "../../../src/core/domain/interval.js";
import type { PricePoint } from "../../../src/core/domain/price.js";
import { HealthRegistry } from "../../../src/core/health-registry.js";
import { silentLog } from "../../../src/core/log.js";
import type { PriceSeries } from "../../../src/forecast/market/price-series.js";
import { PriceService } from "../../../src/forecast/market/price-service.js";
import type { PriceAnswer, PriceRequest, PriceSource } from "../../../src/forecast/market/source.js";
import type { PriceArchive } from "../../../src/store/archive.js";
import { componentOf } from "../../support/components.js";
import { manualClock } from "../../support/manual-clock.js";

/** Hourly prices from a time on, each 1 EUR/MWh above the one before. */
export function hours(from: string, count: number, price = 50): PricePoint[] {
  return Array.from({ length: count }, (_, index) => ({
    start: new Date(Date.parse(from) + index * HOUR_MS),
    minutes: 60,
    eurPerMwh: price + index,
  }));
}

/** An archive in memory that records each save. */
export function memoryArchive(
  points: PricePoint[] = [],
): PriceArchive & { saves: PricePoint[][]; full: boolean } {
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
export class ScriptedSource implements PriceSource {
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

/** A service of the sources, with its clocks; it is stopped after the test. */
export function startService(
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
    onTestFinished(() => service.stop());
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
