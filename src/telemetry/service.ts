import type { SiteParts, SiteRuntime, SiteRuntimes } from "../config/site-runtimes.js";
import type { Bus } from "../core/bus.js";
import type { TimedValue } from "../core/domain/counter.js";
import { type FreshnessLimits, freshness } from "../core/domain/freshness.js";
import { ceilTo, DAY_MS, type EnergyStep, floorTo, HOUR_MS, QUARTER_MS } from "../core/domain/interval.js";
import {
  type LiveState,
  type Reading,
  readingOfSlot,
  type Sample,
  type SlotReading,
} from "../core/domain/sample.js";
import type { SlotNumber } from "../core/domain/slot.js";
import type { HealthRegistry } from "../core/health-registry.js";
import type { Log } from "../core/log.js";
import { type Cancel, type Clock, onEach } from "../core/time/clock.js";
import type { SampleArchive } from "../store/sample-archive.js";
import { withAggregateReadings } from "./aggregate-batteries.js";
import type { LeftOutReading } from "./left-out.js";
import { plausibleReadings } from "./plausible-history.js";
import { type Readings, slotEnergySteps } from "./reading-energies.js";
import type { HeldReading } from "./reading-gate.js";
import { readingLimits } from "./reading-limits.js";
import { SiteGate } from "./site-gate.js";

/**
 * Old history is compacted only after the clock has not been set for this long: compaction cannot be undone, and a
 * clock with a wrong date is usually set within minutes of the start.
 */
const STEADY_MS = HOUR_MS;

/** Result of one call. */
export interface Ingested {
  /** Number of stored samples, including duplicates. */
  accepted: number;
  /** Number of samples whose readings were all stored for that instant already; their last values count. */
  duplicates: number;
  /** The live state after the samples. */
  latest: LiveState;
  /** Readings that are not used because the last ones rule them out; left out: none. */
  held?: readonly HeldReading[];
}

export interface TelemetryOptions {
  clock: Clock;
  bus: Bus;
  samples: SampleArchive;
  sites: SiteRuntimes;
  /** Age from which readings of slots no longer apply. */
  freshness: FreshnessLimits;
  /** Where readings that are not used are shown; left out: in the log only. */
  components?: Pick<HealthRegistry, "report" | "remove">;
  log: Pick<Log, "warn" | "error">;
}

interface SiteReadings {
  runtime: SiteRuntime;
  live: LiveState;
  gate: SiteGate;
}

/**
 * Stores samples, holds the live state of each site, and publishes changes on the bus. A reading that is impossible after the last
 * one is neither stored nor live until it is confirmed.
 */
export class TelemetryService {
  readonly #options: TelemetryOptions;
  readonly #sites: SiteParts<SiteReadings>;
  readonly #stops: Cancel[] = [];
  readonly #pending = new Set<Promise<unknown>>();
  #cancelWait: Cancel = () => {};

  constructor(options: TelemetryOptions) {
    this.#options = options;
    this.#sites = options.sites.parts<SiteReadings>({
      create: (runtime) => ({
        runtime,
        live: {},
        gate: new SiteGate({
          ...options,
          runtime,
          release: (samples) => this.#store(this.#sites.of(runtime.site.id), samples, 0),
        }),
      }),
      remove: ({ gate }) => gate.stop(),
    });
  }

  /** Restores the live state of every site, and starts to compact old history once a day. Throws StoreError. */
  async start(): Promise<void> {
    const { clock, samples } = this.#options;
    for (const site of this.#sites) site.live = await samples.latest(site.runtime.site.id);
    this.#stops.push(
      () => this.#cancelWait(),
      () => {
        for (const { gate } of this.#sites) gate.stop();
      },
      onEach(clock, DAY_MS, () => this.#compactWhenSteady()),
    );
    // Also run soon after the start, for gateways that are switched off every night.
    this.#compactWhenSteady();
  }

  /** Resolves when all accepted samples are stored. */
  async stop(): Promise<void> {
    for (const stop of this.#stops.splice(0)) stop();
    await Promise.allSettled(this.#pending);
  }

  /**
   * Stores the samples and resolves when they are flushed to disk, are part of the live state and have been published
   * on the bus. Samples older than the live state are only added to the history. With `thinSeconds` the history keeps
   * at most one value per reading and period of that length. Throws RangeError for an unknown site, StoreError.
   */
  async ingest(
    siteId: string,
    samples: readonly Sample[],
    { thinSeconds = 0 }: { thinSeconds?: number } = {},
  ): Promise<Ingested> {
    // Throws before anything of an unknown site is stored.
    const site = this.#sites.of(siteId);
    const passed = site.gate.pass(samples, site.live);
    const { duplicates, latest } = await this.#store(site, passed, thinSeconds);
    const held = site.gate.held();
    return { accepted: samples.length, duplicates, latest, ...(held.length > 0 && { held }) };
  }

  /** Counts and shows readings that no device can have; they were rejected. Throws RangeError for an unknown site. */
  leaveOut(siteId: string, readings: readonly LeftOutReading[]): void {
    if (readings.length > 0) this.#sites.of(siteId).gate.leave(readings);
  }

  async #store(site: SiteReadings, samples: readonly Sample[], thinSeconds: number) {
    const { bus, clock, freshness: limits, samples: archive } = this.#options;
    const { id: siteId, plant } = site.runtime.site;
    const { batteries } = plant;
    const complete = withAggregateReadings(samples, { batteries, live: site.live, limits });
    const { duplicates, moved, latest } = await this.#track(
      archive.append(siteId, complete, thinSeconds, clock.now()),
    );
    site.live = latest;
    this.#emit(() => bus.emit("telemetry.stored", { siteId, samples: complete }));
    for (const sample of moved) this.#emit(() => bus.emit("telemetry.received", { siteId, sample }));
    return { duplicates, latest };
  }

  /** The last value of each reading of a site, empty before the first one. Throws RangeError for an unknown site. */
  live(siteId: string): LiveState {
    return this.#sites.of(siteId).live;
  }

  /** The fresh readings of a slot; undefined without any. Throws RangeError for an unknown site. */
  slotState(siteId: string, slot: SlotNumber): MeasuredSlot | undefined {
    const { clock, freshness } = this.#options;
    return measuredSlotOf(this.live(siteId), slot, { now: clock.now(), limits: freshness });
  }

  /**
   * Measured energy of a slot in the quarter-hours from `from` to `to` in which it is known. Throws StoreError.
   */
  async slotEnergy(siteId: string, slot: SlotNumber, from: Date, to: Date): Promise<EnergyStep[]> {
    const stretch = {
      start: new Date(floorTo(from.getTime(), QUARTER_MS)),
      end: new Date(ceilTo(to.getTime(), QUARTER_MS)),
    };
    const readings: Readings = {};
    for (const reading of [readingOfSlot(slot, "power_kw"), readingOfSlot(slot, "energy_kwh")]) {
      const since = new Date(stretch.start.getTime() - DAY_MS);
      readings[reading] = await this.#options.samples.range(siteId, reading, since, stretch.end);
    }
    return slotEnergySteps(readings, slot, stretch, readingLimits(this.#sites.of(siteId).runtime.site.plant));
  }

  /** The possible readings of one kind in `[from, to)`, in order of time. Throws StoreError. */
  async readings(siteId: string, reading: Reading, from: Date, to: Date): Promise<readonly TimedValue[]> {
    const site = this.#sites.get(siteId);
    const stored = await this.#options.samples.range(siteId, reading, from, to);
    return plausibleReadings(stored, site && readingLimits(site.runtime.site.plant).get(reading));
  }

  /** Readings of a site that were not used since the start: their number, and the last ones, newest first. */
  leftOut(siteId: string): { count: number; last: readonly LeftOutReading[] } {
    return this.#sites.get(siteId)?.gate.leftOut() ?? { count: 0, last: [] };
  }

  /** A listener that throws must not make a stored sample appear rejected. */
  #emit(emit: () => unknown): void {
    try {
      emit();
    } catch (error) {
      this.#options.log.error({ err: error }, "A listener of telemetry failed; the sample is stored.");
    }
  }

  #compactWhenSteady(): void {
    const { clock } = this.#options;
    this.#cancelWait();
    const waitMs = STEADY_MS - clock.steadyMs();
    if (waitMs <= 0) this.#compact();
    else
      this.#cancelWait = clock.at(new Date(clock.now().getTime() + waitMs), () => this.#compactWhenSteady());
  }

  #compact(): void {
    const compacted = this.#options.samples.compact(this.#options.clock.now()).catch((error: Error) => {
      this.#options.log.warn(
        { err: error },
        `Old telemetry could not be compacted; the next attempt is tomorrow: ${error.message}`,
      );
    });
    void this.#track(compacted);
  }

  #track<Result>(work: Promise<Result>): Promise<Result> {
    const settled = work.then(
      () => {},
      () => {},
    );
    this.#pending.add(settled);
    void settled.then(() => this.#pending.delete(settled));
    return work;
  }
}

/** What a slot's device measures now. */
interface MeasuredSlot {
  powerKw?: number;
  /** State of charge of the vehicle. */
  socPct?: number;
  temperatureC?: number;
  /** Time of the newest of these values. */
  at: Date;
}

/** The fresh readings of a slot; undefined without any. */
function measuredSlotOf(
  live: LiveState,
  slot: SlotNumber,
  { now, limits }: { now: Date; limits: FreshnessLimits },
): MeasuredSlot | undefined {
  const times: Date[] = [];
  const fresh = (reading: SlotReading) => {
    const last = live[readingOfSlot(slot, reading)];
    if (last === undefined || freshness(last.at, now, limits) !== "fresh") return undefined;
    times.push(last.at);
    return last.value;
  };
  const powerKw = fresh("power_kw");
  const socPct = fresh("soc_pct");
  const temperatureC = fresh("temperature_c");
  if (times.length === 0) return undefined;
  return {
    ...(powerKw !== undefined && { powerKw }),
    ...(socPct !== undefined && { socPct }),
    ...(temperatureC !== undefined && { temperatureC }),
    at: new Date(Math.max(...times.map(Number))),
  };
}
