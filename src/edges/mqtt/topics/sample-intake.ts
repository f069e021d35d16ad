import type { Site } from "../../../config/site.js";
import type { Sample } from "../../../core/domain/sample.js";
import { errorMessage } from "../../../core/error-message.js";
import type { Log } from "../../../core/log.js";
import type { Clock } from "../../../core/time/clock.js";
import { MAX_SAMPLES, parseTelemetry } from "../../../telemetry/parse.js";
import { type Id, idOf, PayloadError } from "./payload.js";

/** The history stores at most one MQTT sample per field in this time. */
const THIN_SECONDS = 10;

export interface SampleIntakeOptions {
  clock: Clock;
  /** Resolves when the samples are on disk. */
  store(siteId: string, samples: Sample[], options: { thinSeconds: number }): Promise<unknown>;
  log: Log;
}

/** Checks and stores telemetry received over MQTT; samples of one plant are stored in order. */
export class SampleIntake {
  readonly #options: SampleIntakeOptions;
  readonly #queues = new Map<string, SiteQueue>();

  constructor(options: SampleIntakeOptions) {
    this.#options = options;
  }

  /**
   * Resolves with the client's id when the samples are on disk. Throws PayloadError for rejected readings; the message
   * says whether valid ones were stored.
   */
  async take(site: Site, body: Record<string, unknown>): Promise<Id | undefined> {
    const id = idOf(body);
    const now = this.#options.clock.now();
    const parsed = parseTelemetry(body, {
      now,
      zone: site.plant.timezone,
      batteries: site.plant.batteries.map((battery) => battery.id),
    });
    if (parsed.tooMany)
      throw new PayloadError(
        `A batch holds at most ${MAX_SAMPLES} samples; this one has ${parsed.count}.`,
        id,
      );
    if (parsed.samples.length > 0) {
      try {
        await this.#queueOf(site.id).add(parsed.samples.map(({ sample }) => sample));
      } catch (error) {
        this.#options.log.error({ site: site.id, err: error }, "MQTT telemetry could not be stored.");
        throw new PayloadError(`The sample was not stored: ${errorMessage(error)}`, id);
      }
    }
    if (parsed.rejected.length > 0)
      throw new PayloadError(rejection(parsed.rejected, parsed.samples.length), id);
    if (parsed.samples.length === 0) throw new PayloadError("The payload contains no sample.", id);
    return id;
  }

  /** Removes the queue of a removed plant. */
  forget(siteId: string): void {
    this.#queues.delete(siteId);
  }

  #queueOf(siteId: string): SiteQueue {
    let queue = this.#queues.get(siteId);
    if (queue === undefined) {
      queue = new SiteQueue((samples) => this.#options.store(siteId, samples, { thinSeconds: THIN_SECONDS }));
      this.#queues.set(siteId, queue);
    }
    return queue;
  }
}

const MAX_NAMED = 3;

function rejection(rejected: { index: number; field: string; message: string }[], stored: number): string {
  const named = rejected.slice(0, MAX_NAMED).map(({ message }) => message);
  const more = rejected.length > MAX_NAMED ? ` And ${rejected.length - MAX_NAMED} more.` : "";
  return `${stored > 0 ? "Stored in part." : "Nothing was stored."} ${named.join(" ")}${more}`;
}

/** A queue is full: samples arrive faster than they can be stored. */
export class QueueFullError extends Error {}

interface Waiting {
  samples: Sample[];
  resolve(): void;
  reject(error: unknown): void;
}

/**
 * Stores samples of one site in order. Samples that arrive during a write are combined into the next one, because a slow
 * SD card completes only a few writes per second.
 */
export class SiteQueue {
  readonly #store: (samples: Sample[]) => Promise<unknown>;
  readonly #maxSamples: number;
  #waiting: Waiting[] = [];
  #samples = 0;
  #writing = false;

  constructor(store: (samples: Sample[]) => Promise<unknown>, maxSamples = 20_000) {
    this.#store = store;
    this.#maxSamples = maxSamples;
  }

  /** Resolves when the samples are on disk; rejects with the store's error, or QueueFullError. */
  add(samples: Sample[]): Promise<void> {
    if (this.#samples + samples.length > this.#maxSamples)
      return Promise.reject(
        new QueueFullError("Too many samples wait to be stored; send them again more slowly."),
      );
    return new Promise((resolve, reject) => {
      this.#waiting.push({ samples, resolve, reject });
      this.#samples += samples.length;
      if (!this.#writing) void this.#write();
    });
  }

  async #write(): Promise<void> {
    this.#writing = true;
    while (this.#waiting.length > 0) {
      const taken = this.#waiting.splice(0);
      const samples = taken.flatMap((message) => message.samples);
      try {
        await this.#store(samples);
        for (const { resolve } of taken) resolve();
      } catch (error) {
        for (const { reject } of taken) reject(error);
      }
      this.#samples -= samples.length;
    }
    this.#writing = false;
  }
}
