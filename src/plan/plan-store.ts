import type { Interval } from "../core/domain/interval.js";
import type { Log } from "../core/log.js";
import { isRecord, recordOf } from "../core/net/json.js";
import { isListOf, isTime } from "../core/shape.js";
import { SerialQueue } from "../core/work/serial-queue.js";
import type { DocumentArchive } from "../store/archive.js";
import type { PushedPlan } from "./materiality.js";
import type { SitePlan } from "./site-plan.js";

/** What is stored of a site for a restart: its plan, and what is needed of the last material one. */
export interface StoredPlans {
  plan: SitePlan;
  pushed: PushedPlan;
}

/** Increases when the shape of a stored plan changes; older ones are ignored. */
const VERSION = 5;

const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?Z$/;

/** The stored text as a value, with its times; undefined for anything that is not JSON. */
function withTimes(json: string): unknown {
  try {
    return JSON.parse(json, (_, value) =>
      typeof value === "string" && INSTANT.test(value) ? new Date(value) : value,
    );
  } catch {
    return undefined;
  }
}

/** Whether a value is a plan as far as what reads it needs all of it. */
function isPlan(value: unknown): value is SitePlan {
  const { issuedAt, commandSince, scalars, command, expectation, days, ...lists } = recordOf(value);
  return (
    [issuedAt, commandSince].every(isTime) &&
    [scalars, command, expectation].every(isRecord) &&
    [lists.chargeHours, lists.chargeHoursToday, lists.steps].every((list) => isListOf(isInterval)(list)) &&
    isListOf((day): day is unknown => isListOf(isInterval)(recordOf(day).hours))(days)
  );
}

function isPushed(value: unknown): value is PushedPlan {
  const { chargeHours, scalars } = recordOf(value);
  return isListOf(isInterval)(chargeHours) && isRecord(scalars);
}

function isInterval(value: unknown): value is Interval {
  const { start, end } = recordOf(value);
  return isTime(start) && isTime(end);
}

/** Reads and writes the last plans of the sites. */
export class PlanStore {
  readonly #documents: DocumentArchive;
  readonly #log: Log;
  readonly #writes = new SerialQueue();
  /** By site; only the last plans of a site that waits are written. */
  readonly #waiting = new Map<string, StoredPlans>();

  constructor(documents: DocumentArchive, log: Log) {
    this.#documents = documents;
    this.#log = log;
  }

  /** The stored plans of a site; undefined without any in the current version. */
  async load(siteId: string): Promise<StoredPlans | undefined> {
    const { version, json, ...plans } = recordOf(await this.#documents.get(documentName(siteId)));
    if (version !== VERSION) return undefined;
    // Up to 0.2.0 the plans were a text.
    const { plan, pushed = plan } = recordOf(
      withTimes(typeof json === "string" ? json : JSON.stringify(plans)),
    );
    if (isPlan(plan) && isPushed(pushed)) return { plan, pushed };
    this.#log.warn({ site: siteId }, "The stored plan is damaged and is not used; a new one is computed.");
    return undefined;
  }

  /** Writes the plans in the background; an error is logged. */
  save(siteId: string, plans: StoredPlans): void {
    const isWaiting = this.#waiting.has(siteId);
    this.#waiting.set(siteId, plans);
    if (isWaiting) return;
    this.#writes
      .run(() => {
        const plans = this.#waiting.get(siteId)!;
        this.#waiting.delete(siteId);
        return this.#documents.put(documentName(siteId), { version: VERSION, ...plans });
      })
      .catch((error: unknown) =>
        this.#log.error({ site: siteId, err: error }, "The plan could not be written to disk."),
      );
  }

  /** Resolves when everything has been written. */
  idle(): Promise<void> {
    return this.#writes.idle();
  }
}

function documentName(siteId: string): string {
  return `plan/${siteId}`;
}
