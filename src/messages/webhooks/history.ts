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
  /** Kinds of the events that wait or are being sent, once for each. */
  unsent: readonly string[];
}

const NOTHING: SiteHistory = { failuresInARow: 0, deliveries: [], unsent: [] };

/** The last deliveries of each webhook; persistent. */
export class DeliveryHistory {
  readonly #documents: DocumentArchive;
  readonly #onError: (error: unknown) => void;
  readonly #bySite = new Map<string, SiteHistory>();
  /** What was unsent when it was loaded, until it is taken. */
  readonly #left = new Map<string, readonly string[]>();
  readonly #writes = new SerialQueue();

  constructor(documents: DocumentArchive, onError: (error: unknown) => void) {
    this.#documents = documents;
    this.#onError = onError;
  }

  /** Loads the stored history of these sites. */
  async load(siteIds: readonly string[]): Promise<void> {
    const restore = async (siteId: string) => {
      try {
        const kept = fromJson(await this.#documents.get(documentName(siteId)));
        if (kept === undefined) return;
        this.#bySite.set(siteId, { ...kept, unsent: [] });
        this.#left.set(siteId, kept.unsent);
      } catch (error) {
        this.#onError(error);
      }
    };
    await Promise.all(siteIds.map(restore));
  }

  /** The last 50 deliveries, newest first. */
  deliveries(siteId: string): readonly Delivery[] {
    return this.#of(siteId).deliveries;
  }

  /** True after three failures in a row, until a delivery succeeds. */
  isFailing(siteId: string): boolean {
    return this.#of(siteId).failuresInARow >= FAILING;
  }

  /** Kinds of the events that a stop or a crash left unsent and that are not queued again; they are then forgotten. */
  takeLeft(siteId: string): string[] {
    const left = this.#left.get(siteId) ?? [];
    this.#left.delete(siteId);
    return left.filter((event) => !this.#of(siteId).unsent.includes(event));
  }

  queued(siteId: string, event: string): void {
    const history = this.#of(siteId);
    this.#put(siteId, { ...history, unsent: [...history.unsent, event] });
  }

  /** A queued event was replaced by a newer one. */
  replaced(siteId: string, event: string): void {
    const history = this.#of(siteId);
    this.#put(siteId, { ...history, unsent: withoutOne(history.unsent, event) });
  }

  /** Resolves when the delivery is stored; storage errors are reported, not thrown. */
  add(siteId: string, delivery: Delivery): Promise<void> {
    const { failuresInARow, deliveries, unsent } = this.#of(siteId);
    return this.#put(siteId, {
      failuresInARow: nextFailureCount(failuresInARow, delivery),
      deliveries: [delivery, ...deliveries].slice(0, KEPT),
      unsent: delivery.error?.code === "stopped" ? unsent : withoutOne(unsent, delivery.event),
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
    if (history === NOTHING) {
      this.#bySite.delete(siteId);
      this.#left.delete(siteId);
    } else this.#bySite.set(siteId, history);
    const unsent = [...(this.#left.get(siteId) ?? []), ...history.unsent];
    return this.#writes
      .run(() => this.#documents.put(documentName(siteId), { version: VERSION, ...history, unsent }))
      .catch(this.#onError);
  }
}

/** Events that were not sent do not count: they say nothing about the receiver. */
function nextFailureCount(failuresInARow: number, { error }: Delivery): number {
  if (error === null) return 0;
  return error.code === "overflow" || error.code === "stopped" ? failuresInARow : failuresInARow + 1;
}

function withoutOne(events: readonly string[], event: string): readonly string[] {
  const index = events.indexOf(event);
  return index < 0 ? events : events.toSpliced(index, 1);
}

function documentName(siteId: string): string {
  return `webhook/${siteId}`;
}

function fromJson(stored: unknown): SiteHistory | undefined {
  const {
    version,
    failuresInARow,
    deliveries,
    unsent = [],
  } = (stored ?? {}) as Partial<SiteHistory> & {
    version?: unknown;
  };
  if (version !== VERSION || failuresInARow === undefined || deliveries === undefined) return undefined;
  return {
    failuresInARow,
    deliveries: deliveries.map((one) => ({ ...one, time: new Date(one.time) })),
    unsent,
  };
}
