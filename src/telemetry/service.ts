import { type Bus, subscribe } from "../bus.js";
import type { TimedValue } from "../domain/counter.js";
import { DAY_MS, HOUR_MS } from "../domain/interval.js";
import type { LiveState, Reading, Sample } from "../domain/sample.js";
import type { Log } from "../log.js";
import type { SampleArchive } from "../store/sample-archive.js";
import type { Cancel, Clock } from "../time/clock.js";
import { onEach } from "../time/clock.js";

/**
 * Old history is thinned by a clock that nobody has set for so long: what is thinned is not to be had back, and a clock that
 * begins in another century is set right within minutes, if at all.
 */
const STEADY_MS = HOUR_MS;

/** What became of the samples of one call. */
export interface Ingested {
  /** Samples stored; duplicates are among them. */
  accepted: number;
  /** Samples whose readings were all held already for that instant; their last values count. */
  duplicates: number;
  /** The live state after them. */
  latest: LiveState;
}

export interface TelemetryOptions {
  clock: Clock;
  bus: Bus;
  samples: SampleArchive;
  /** The plants whose telemetry is taken at the start; the bus tells of later ones. */
  sites: readonly { id: string }[];
  log: Pick<Log, "warn" | "error">;
}

/** Takes in samples, keeps the live state of each site, tells the bus what moved it. */
export class TelemetryService {
  readonly #options: TelemetryOptions;
  readonly #live = new Map<string, LiveState>();
  readonly #stops: Cancel[] = [];
  readonly #underWay = new Set<Promise<unknown>>();
  #cancelWait: Cancel = () => {};

  constructor(options: TelemetryOptions) {
    this.#options = options;
  }

  /** Restores the live state of every site, and begins to thin old history once a day. Throws StoreError. */
  async start(): Promise<void> {
    const { bus, clock, samples, sites } = this.#options;
    for (const { id } of sites) this.#live.set(id, await samples.latest(id));
    this.#stops.push(
      subscribe(bus, {
        "site.changed": ({ id }) => {
          if (!this.#live.has(id)) this.#live.set(id, {});
        },
        "site.removed": ({ siteId }) => void this.#live.delete(siteId),
      }),
      () => this.#cancelWait(),
      onEach(clock, DAY_MS, () => this.#compactWhenSteady()),
    );
    // A gateway that is switched off every night would else never come to it.
    this.#compactWhenSteady();
  }

  /** Resolves when everything that was taken in is stored. */
  async stop(): Promise<void> {
    for (const stop of this.#stops.splice(0)) stop();
    await Promise.allSettled(this.#underWay);
  }

  /**
   * Stores the samples and resolves when they are flushed to disk, the live state holds them and the bus has told each
   * that moved it. An older sample goes to history alone. With `thinSeconds` history keeps at most one value a reading
   * and window of that length. Throws RangeError for an unknown site, StoreError.
   */
  async ingest(
    siteId: string,
    samples: readonly Sample[],
    { thinSeconds = 0 }: { thinSeconds?: number } = {},
  ): Promise<Ingested> {
    // Throws before anything of an unknown site is stored.
    this.live(siteId);
    const { duplicates, moved, latest } = await this.#track(
      this.#options.samples.append(siteId, samples, thinSeconds, this.#options.clock.now()),
    );
    // The site may have been removed while the disk was busy.
    if (this.#live.has(siteId)) this.#live.set(siteId, latest);
    const { bus } = this.#options;
    this.#tell(() => bus.emit("telemetry.stored", { siteId, samples }));
    for (const sample of moved) this.#tell(() => bus.emit("telemetry.received", { siteId, sample }));
    return { accepted: samples.length, duplicates, latest };
  }

  /** The last value of each reading of a site, empty before the first one. Throws RangeError for an unknown site. */
  live(siteId: string): LiveState {
    const live = this.#live.get(siteId);
    if (live === undefined)
      throw new RangeError(`There is no plant "${siteId}"; name one of the configuration.`);
    return live;
  }

  /** History of one reading in `[from, to)`, in order of time. Throws StoreError. */
  readings(siteId: string, reading: Reading, from: Date, to: Date): Promise<TimedValue[]> {
    return this.#options.samples.range(siteId, reading, from, to);
  }

  /** A listener that throws must not make a stored sample look refused. */
  #tell(emit: () => unknown): void {
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
        `Old telemetry was not thinned, the next try is tomorrow: ${error.message}`,
      );
    });
    void this.#track(compacted);
  }

  #track<Result>(work: Promise<Result>): Promise<Result> {
    const settled = work.then(
      () => {},
      () => {},
    );
    this.#underWay.add(settled);
    void settled.then(() => this.#underWay.delete(settled));
    return work;
  }
}
