import { SerialQueue } from "../serial-queue.js";
import type { DocumentArchive } from "../store/archive.js";
import type { DeliveryAttempt } from "./attempt.js";

/** Deliveries that are kept of a webhook. */
const KEPT = 50;
/** So many failures in a row make a webhook a failing one. */
const FAILING = 3;
/** Counts up when the shape of a kept history changes; an older one is then forgotten, not misread. */
const VERSION = 1;

/** One event's delivery, or what became of it instead. */
export interface Delivery extends DeliveryAttempt {
  /** When it was sent, on the gateway's clock. */
  time: Date;
  /** Kind of the event. */
  event: string;
}

interface SiteHistory {
  failuresInARow: number;
  /** The latest first. */
  deliveries: readonly Delivery[];
}

const NOTHING: SiteHistory = { failuresInARow: 0, deliveries: [] };

/** What became of the last deliveries of each webhook; kept over a restart. */
export class DeliveryHistory {
  readonly #documents: DocumentArchive;
  readonly #onError: (error: unknown) => void;
  readonly #bySite = new Map<string, SiteHistory>();
  readonly #writes = new SerialQueue();

  constructor(documents: DocumentArchive, onError: (error: unknown) => void) {
    this.#documents = documents;
    this.#onError = onError;
  }

  /** Restores what is kept of these sites. */
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

  /** The last 50 deliveries, the latest first. */
  deliveries(siteId: string): readonly Delivery[] {
    return this.#of(siteId).deliveries;
  }

  /** True after three failures in a row, until a delivery succeeds. */
  isFailing(siteId: string): boolean {
    return this.#of(siteId).failuresInARow >= FAILING;
  }

  /** Resolves when the delivery is on disk, as far as the disk takes it. */
  add(siteId: string, delivery: Delivery): Promise<void> {
    const { failuresInARow, deliveries } = this.#of(siteId);
    return this.#put(siteId, {
      failuresInARow: countOn(failuresInARow, delivery),
      deliveries: [delivery, ...deliveries].slice(0, KEPT),
    });
  }

  /** Another receiver has not failed yet. */
  forgive(siteId: string): Promise<void> {
    return this.#put(siteId, { ...this.#of(siteId), failuresInARow: 0 });
  }

  remove(siteId: string): Promise<void> {
    return this.#put(siteId, NOTHING);
  }

  /** Resolves when all that was added is on disk. */
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

/** What never left the gateway says nothing about the receiver. */
function countOn(failuresInARow: number, { error }: Delivery): number {
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
