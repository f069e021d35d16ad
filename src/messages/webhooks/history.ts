import { SerialQueue } from "../../core/work/serial-queue.js";
import type { DocumentArchive } from "../../store/archive.js";
import type { DeliveryAttempt } from "./attempt.js";

/** Recorded deliveries per webhook. */
const KEPT = 50;
/** Consecutive failures after which a webhook counts as failing. */
const FAILING = 3;
/** Version of the stored format; other versions are ignored. */
const VERSION = 1;

/** The delivery of an event, or the reason why it was not sent. */
export interface Delivery extends DeliveryAttempt {
  /** Time of sending on the gateway's clock. */
  time: Date;
  /** Kind of the event. */
  event: string;
}

interface SiteHistory {
  failuresInARow: number;
  /** Newest first. */
  deliveries: readonly Delivery[];
}

const NOTHING: SiteHistory = { failuresInARow: 0, deliveries: [] };

/** The last deliveries of each webhook; persistent. */
export class DeliveryHistory {
  readonly #documents: DocumentArchive;
  readonly #onError: (error: unknown) => void;
  readonly #bySite = new Map<string, SiteHistory>();
  readonly #writes = new SerialQueue();

  constructor(documents: DocumentArchive, onError: (error: unknown) => void) {
    this.#documents = documents;
    this.#onError = onError;
  }

  /** Loads the stored history of these sites. */
  async load(siteIds: readonly string[]): Promise<void> {
    for (const siteId of siteIds) {
      try {
        const kept = fromJson(await this.#documents.get(documentName(siteId)));
        if (kept !== undefined) this.#bySite.set(siteId, kept);
      } catch (error) {
        this.#onError(error);
      }
    }
  }

  /** The last 50 deliveries, newest first. */
  deliveries(siteId: string): readonly Delivery[] {
    return this.#of(siteId).deliveries;
  }

  /** True after three failures in a row, until a delivery succeeds. */
  isFailing(siteId: string): boolean {
    return this.#of(siteId).failuresInARow >= FAILING;
  }

  /** Resolves when the delivery is stored; storage errors are reported, not thrown. */
  add(siteId: string, delivery: Delivery): Promise<void> {
    const { failuresInARow, deliveries } = this.#of(siteId);
    return this.#put(siteId, {
      failuresInARow: nextFailureCount(failuresInARow, delivery),
      deliveries: [delivery, ...deliveries].slice(0, KEPT),
    });
  }

  /** Resets the failure count after the URL has changed. */
  resetFailures(siteId: string): Promise<void> {
    return this.#put(siteId, { ...this.#of(siteId), failuresInARow: 0 });
  }

  remove(siteId: string): Promise<void> {
    return this.#put(siteId, NOTHING);
  }

  /** Resolves when all additions are stored. */
  async flush(): Promise<void> {
    await this.#writes.idle();
  }

  #of(siteId: string): SiteHistory {
    return this.#bySite.get(siteId) ?? NOTHING;
  }

  #put(siteId: string, history: SiteHistory): Promise<void> {
    if (history === NOTHING) this.#bySite.delete(siteId);
    else this.#bySite.set(siteId, history);
    return this.#writes
      .run(() => this.#documents.put(documentName(siteId), { version: VERSION, ...history }))
      .catch(this.#onError);
  }
}

/** Events that were not sent do not count: they say nothing about the receiver. */
function nextFailureCount(failuresInARow: number, { error }: Delivery): number {
  if (error === null) return 0;
  return error.code === "overflow" || error.code === "stopped" ? failuresInARow : failuresInARow + 1;
}

function documentName(siteId: string): string {
  return `webhook/${siteId}`;
}

function fromJson(stored: unknown): SiteHistory | undefined {
  const { version, failuresInARow, deliveries } = (stored ?? {}) as { version?: unknown } & SiteHistory;
  if (version !== VERSION) return undefined;
  return { failuresInARow, deliveries: deliveries.map((one) => ({ ...one, time: new Date(one.time) })) };
}
