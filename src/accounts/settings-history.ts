import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import type { PlantSettings, TelemetryMapEntry } from "../config/settings.js";
import { HOUR_MS } from "../core/domain/interval.js";
import type { Log } from "../core/log.js";
import { isRecord, recordOf } from "../core/net/json.js";
import { SerialQueue } from "../core/work/serial-queue.js";
import type { DocumentArchive } from "../store/archive.js";
import type { SettingsChange, SiteRegistry, SiteSettings } from "./site-registry.js";

/** A change can be undone for this long, wall clock. */
export const UNDO_HOURS = 24;
/** A save waits this long for its effect on the plan; then its page says that the plan is being recalculated. */
const WAIT_MS = 2000;
/** Changes that are too old are deleted this often: what they replaced may contain passwords. */
const CLEANING_MS = HOUR_MS;

/** The part of the settings that a change is about, as it was set in the portal and as it is in force. */
interface Side {
  own: { plant: Record<string, unknown>; telemetry?: SiteSettings["telemetry"] };
  inForce: { plant: Partial<PlantSettings>; telemetry?: readonly TelemetryMapEntry[] };
}

/** A saved change of settings. */
export interface SavedChange {
  id: string;
  savedAtMs: number;
  /** Keys of the plant that it set, and whether it set the topics of other devices. */
  keys: readonly string[];
  isTelemetry: boolean;
  before: Side;
  after: Side;
  /** Expected cost of the plan before and after, EUR; null: there was no plan. Left out until it is computed. */
  effect?: { beforeEur: number | null; afterEur: number | null };
}

/** Why a change cannot be undone. */
export class UndoError extends Error {
  constructor(readonly code: "expired" | "changed") {
    super(
      code === "expired"
        ? "This change can no longer be undone."
        : "The settings have been changed again since; the change cannot be undone.",
    );
    this.name = "UndoError";
  }
}

/** The plan of the sites, as far as a change of settings affects it. */
export interface PlanEffects {
  /** Expected cost of the horizon, EUR; undefined while there is no plan. */
  expectedCostEur(siteId: string): number | undefined;
  /** Resolves when the plan is computed for the present settings. */
  recalculated(siteId: string): Promise<void>;
}

export interface SettingsHistoryOptions {
  sites: Pick<SiteRegistry, "get" | "list" | "telemetryMap" | "change">;
  documents: DocumentArchive;
  plan: PlanEffects;
  log: Pick<Log, "error">;
  wallNowMs?: (() => number) | undefined;
  /** Longest wait for the effect on the plan; default two seconds. */
  waitMs?: number;
}

/** Saves settings of the sites, keeps what each save replaced, and compares the plan before and after. */
export class SettingsHistory {
  readonly #options: SettingsHistoryOptions;
  readonly #writes = new SerialQueue();
  readonly #computing = new Map<string, Promise<void>>();
  #cleaning: NodeJS.Timeout | undefined;
  #isStopped = false;

  constructor(options: SettingsHistoryOptions) {
    this.#options = options;
  }

  start(): void {
    this.#cleaning = setInterval(() => void this.clean(), CLEANING_MS).unref();
    void this.clean();
  }

  /** Deletes changes that can no longer be undone. */
  async clean(): Promise<void> {
    const { sites, documents, log } = this.#options;
    for (const { id } of sites.list()) {
      if (this.#isStopped) return;
      await this.#writes
        .run(async () => {
          const stored = await this.#stored(id);
          const kept = stored.filter((change) => this.#isKept(change));
          if (kept.length < stored.length) await documents.put(nameOf(id), kept.length === 0 ? null : kept);
        })
        .catch((error: unknown) =>
          log.error({ site: id, err: error }, "Former settings could not be deleted."),
        );
    }
  }

  /**
   * Applies a change. Resolves when it is on disk and its effect on the plan is known, or after two seconds; undefined
   * if it changes no value. Throws SiteSettingsError, RangeError for an unknown site, StoreError.
   */
  async save(siteId: string, change: SettingsChange): Promise<SavedChange | undefined> {
    const saved = await this.saveAtOnce(siteId, change);
    if (saved !== undefined) await this.#effectKnown(saved);
    return saved;
  }

  /** Like `save`, but does not wait for the effect on the plan: for pages that do not show it. */
  saveAtOnce(siteId: string, change: SettingsChange): Promise<SavedChange | undefined> {
    const keys = Object.keys(change.plant ?? {});
    return this.#apply(siteId, { keys, isTelemetry: change.telemetry !== undefined }, () => change);
  }

  /**
   * Restores what a change replaced; this is a change, too. Throws UndoError, and as `save` does: SiteSettingsError if
   * the former values do not fit to other sections any more.
   */
  async undo(siteId: string, id: string): Promise<SavedChange | undefined> {
    const change = (await this.list(siteId)).find((one) => one.id === id);
    if (change === undefined) throw new UndoError("expired");
    const { keys, before, after } = change;
    const undone = await this.#apply(siteId, change, (now) => {
      if (!isDeepStrictEqual(sameAsStored(ownOf(change, now)), sameAsStored(after.own)))
        throw new UndoError("changed");
      return {
        // A key that was not set in the portal is reset to the configuration.
        plant: Object.fromEntries(keys.map((key) => [key, before.own.plant[key]])),
        ...(before.own.telemetry !== undefined && { telemetry: before.own.telemetry }),
      };
    });
    if (undone !== undefined) await this.#effectKnown(undone);
    return undone;
  }

  /** The changes that can be undone, the newest first, at most one of each section. Throws StoreError. */
  async list(siteId: string): Promise<SavedChange[]> {
    return (await this.#stored(siteId)).filter((change) => this.#isKept(change));
  }

  /** Whether the effect of a change on the plan is still being computed. */
  isComputing({ id }: SavedChange): boolean {
    return this.#computing.has(id);
  }

  /** Resolves when all effects are computed and stored. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    clearInterval(this.#cleaning);
    await Promise.all(this.#computing.values());
    await this.#writes.idle();
  }

  async #apply(
    siteId: string,
    about: Pick<SavedChange, "keys" | "isTelemetry">,
    changeOf: (now: SiteSettings) => SettingsChange,
  ): Promise<SavedChange | undefined> {
    const { sites } = this.#options;
    const { keys, isTelemetry } = about;
    const inForce = this.#inForce(siteId, about);
    const beforeEur = this.#costEur(siteId);
    const { before, after } = await sites.change(siteId, changeOf);
    const change: SavedChange = {
      id: randomUUID(),
      savedAtMs: this.#nowMs(),
      keys,
      isTelemetry,
      before: { own: ownOf(about, before), inForce },
      after: { own: ownOf(about, after), inForce: this.#inForce(siteId, about) },
    };
    if (isDeepStrictEqual(inForce, change.after.inForce)) return undefined;
    await this.#store(siteId, change);
    const computing = this.#compute(siteId, change, beforeEur).catch((error: unknown) =>
      this.#options.log.error(
        { site: siteId, err: error },
        "The effect of new settings could not be computed.",
      ),
    );
    this.#computing.set(change.id, computing);
    void computing.finally(() => this.#computing.delete(change.id));
    return change;
  }

  /** Resolves when the effect of a change is known, or after two seconds. */
  async #effectKnown({ id }: SavedChange): Promise<void> {
    const waiting = new AbortController();
    const { signal } = waiting;
    await Promise.race([
      this.#computing.get(id),
      delay(this.#options.waitMs ?? WAIT_MS, undefined, { signal }).catch(() => {}),
    ]);
    waiting.abort();
  }

  #isKept({ savedAtMs }: SavedChange): boolean {
    return savedAtMs > this.#nowMs() - UNDO_HOURS * HOUR_MS;
  }

  async #stored(siteId: string): Promise<SavedChange[]> {
    const stored = await this.#options.documents.get(nameOf(siteId));
    return Array.isArray(stored) ? stored.filter(isSavedChange) : [];
  }

  async #compute(siteId: string, change: SavedChange, beforeEur: number | null): Promise<void> {
    await this.#options.plan.recalculated(siteId);
    change.effect = { beforeEur, afterEur: this.#costEur(siteId) };
    await this.#store(siteId, change);
  }

  /** A plan that fails must not keep settings from being saved. */
  #costEur(siteId: string): number | null {
    const { plan, log } = this.#options;
    try {
      return plan.expectedCostEur(siteId) ?? null;
    } catch (error) {
      log.error({ site: siteId, err: error }, "The expected cost of the plan could not be computed.");
      return null;
    }
  }

  /** Stores a change in place of earlier ones about the same settings, which it makes impossible to undo. */
  #store(siteId: string, change: SavedChange): Promise<void> {
    const isReplaced = (one: SavedChange) =>
      one.savedAtMs <= change.savedAtMs &&
      (one.id === change.id ||
        one.keys.some((key) => change.keys.includes(key)) ||
        (one.isTelemetry && change.isTelemetry));
    return this.#writes.run(async () => {
      const others = await this.list(siteId);
      const isOutdated = change.effect !== undefined && others.every(({ id }) => id !== change.id);
      // A later save has replaced it while its effect was computed.
      if (isOutdated) return;
      await this.#options.documents.put(nameOf(siteId), [
        change,
        ...others.filter((one) => !isReplaced(one)),
      ]);
    });
  }

  #inForce(siteId: string, { keys, isTelemetry }: Pick<SavedChange, "keys" | "isTelemetry">) {
    const { sites } = this.#options;
    const entries = Object.entries(sites.get(siteId)?.plant ?? {}).filter(([key]) => keys.includes(key));
    return {
      plant: Object.fromEntries(entries) as Partial<PlantSettings>,
      ...(isTelemetry && { telemetry: sites.telemetryMap(siteId) }),
    };
  }

  #nowMs(): number {
    return this.#options.wallNowMs?.() ?? Date.now();
  }
}

function ownOf({ keys, isTelemetry }: Pick<SavedChange, "keys" | "isTelemetry">, settings: SiteSettings) {
  const entries = Object.entries(settings.plant).filter(
    ([key, value]) => keys.includes(key) && value !== undefined,
  );
  return { plant: Object.fromEntries(entries), ...(isTelemetry && { telemetry: settings.telemetry }) };
}

/** Without the keys that JSON leaves out, so that a stored value equals the present one. */
function sameAsStored<Value>(value: Value): Value {
  return JSON.parse(JSON.stringify(value)) as Value;
}

function isSavedChange(stored: unknown): stored is SavedChange {
  const { id, savedAtMs, keys, before, after } = recordOf(stored);
  return (
    typeof id === "string" &&
    typeof savedAtMs === "number" &&
    Array.isArray(keys) &&
    [before, after].every((side) => isRecord(recordOf(recordOf(side).own).plant))
  );
}

function nameOf(siteId: string): string {
  return `settings-history/${siteId}`;
}
