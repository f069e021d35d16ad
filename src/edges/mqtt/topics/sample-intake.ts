import type { Site } from "../../../config/site.js";
import type { Sample } from "../../../core/domain/sample.js";
import { errorMessage } from "../../../core/error-message.js";
import type { Log } from "../../../core/log.js";
import type { Clock } from "../../../core/time/clock.js";
import { BatchQueue } from "../../../core/work/batch-queue.js";
import { isUnwritable } from "../../../store/errors.js";
import type { LeftOutReading } from "../../../telemetry/left-out.js";
import { MAX_SAMPLES, parseTelemetry } from "../../../telemetry/parse.js";
import { type HeldReading, heldSentence } from "../../../telemetry/reading-gate.js";
import type { Ingested } from "../../../telemetry/service.js";
import { type Id, idOf, PayloadError } from "./payload.js";

/** The history stores at most one MQTT sample per field in this time. */
const THIN_SECONDS = 10;

export interface SampleIntakeOptions {
  clock: Clock;
  /** Resolves when the samples are on disk. */
  store(siteId: string, samples: Sample[], options: { thinSeconds: number }): Promise<Pick<Ingested, "held">>;
  /** Counts and shows readings that no device can have. */
  leaveOut(siteId: string, readings: readonly LeftOutReading[]): void;
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
   * Resolves with the client's id when the samples are on disk. Throws PayloadError for readings that were rejected, or that are not
   * used because they are not possible after the last ones; the message says whether others were stored.
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
    this.#options.leaveOut(site.id, parsed.outside);
    const samples = parsed.samples.map(({ sample }) => sample);
    let held: readonly HeldReading[] = [];
    if (samples.length > 0) {
      try {
        held = await this.#queueOf(site.id).add(samples);
      } catch (error) {
        // The store says once that the disk takes nothing; each reading would say it again.
        if (!isUnwritable(error))
          this.#options.log.error({ site: site.id, err: error }, "MQTT telemetry could not be stored.");
        throw new PayloadError(`The sample was not stored: ${errorMessage(error)}`, id);
      }
    }
    const faults = [...parsed.rejected.map(({ message }) => message), ...held.map(heldSentence)];
    if (faults.length > 0) {
      const isStored = ({ at, values }: Sample) =>
        Object.keys(values).some((reading) => !held.some((one) => holds(one, reading, at)));
      throw new PayloadError(rejection(faults, samples.some(isStored)), id);
    }
    if (samples.length === 0) throw new PayloadError("The payload contains no sample.", id);
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

function rejection(faults: readonly string[], isInPart: boolean): string {
  const more = faults.length > MAX_NAMED ? ` And ${faults.length - MAX_NAMED} more.` : "";
  const named = faults.slice(0, MAX_NAMED).join(" ");
  return `${isInPart ? "Stored in part." : "Nothing was stored."} ${named}${more}`;
}

/** A queue is full: samples arrive faster than they can be stored. */
export class QueueFullError extends Error {}

/** Stores samples of one site in order; samples that arrive during a write are combined into the next one. */
export class SiteQueue {
  readonly #writes: BatchQueue<Sample[], readonly HeldReading[]>;
  readonly #maxSamples: number;

  constructor(store: (samples: Sample[]) => Promise<Pick<Ingested, "held">>, maxSamples = 20_000) {
    const write = async (messages: readonly Sample[][]) => {
      const { held = [] } = await store(messages.flat());
      return messages.map((samples) =>
        held.filter((one) =>
          samples.some(({ at, values }) => one.reading in values && holds(one, one.reading, at)),
        ),
      );
    };
    this.#writes = new BatchQueue(write, { sizeOf: (samples) => samples.length });
    this.#maxSamples = maxSamples;
  }

  /** Resolves with the readings of them that are not used, when the others are on disk; rejects with the store's error, or QueueFullError. */
  async add(samples: Sample[]): Promise<readonly HeldReading[]> {
    if (this.#writes.size + samples.length > this.#maxSamples)
      throw new QueueFullError("Too many samples wait to be stored; send them again more slowly.");
    return this.#writes.add(samples);
  }
}

/** Whether a reading is the one that is not used, or one that waits with it. */
function holds(held: HeldReading, reading: string, at: Date): boolean {
  return held.reading === reading && (held.used === undefined || at > held.used.at);
}
