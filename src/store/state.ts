import { randomUUID } from "node:crypto";
import { type Adapter, Low } from "lowdb";
import { SchemaCheck, technicalText } from "../config/kit/check.js";
import { preparedCheck } from "../config/kit/prepared-check.js";
import type { Log } from "../core/log.js";
import { VERSION } from "../core/version.js";
import { SerialQueue } from "../core/work/serial-queue.js";
import { DurableJson } from "./durable-json.js";
import { StoreError } from "./errors.js";
import type { SeriesDatabase } from "./series.js";
import { type ReadonlyDeep, STATE_SCHEMA, type State, type StateView } from "./state-schema.js";

/** Checks that a document is a state; adds lists missing in states of earlier versions. */
export const stateCheck = new SchemaCheck<State>(STATE_SCHEMA, { defaults: true }, preparedCheck);

/** The later version that wrote a state, whatever its shape; undefined where it is none. Patches of a version share their data. */
export function laterVersion(state: unknown): string | undefined {
  const { writtenBy } = (state ?? {}) as Partial<State>;
  if (typeof writtenBy !== "string") return undefined;
  const [major = 0, minor = 0] = writtenBy.split(".").map(Number);
  const [ownMajor = 0, ownMinor = 0] = VERSION.split(".").map(Number);
  return major > ownMajor || (major === ownMajor && minor > ownMinor) ? writtenBy : undefined;
}

/** Throws StoreError for a state of a later version, whose data this one could spoil; `place` names them in the sentence. */
export function refuseLater(state: unknown, place: string): void {
  const version = laterVersion(state);
  if (version === undefined) return;
  throw new StoreError(
    "storage_later",
    `${place} was written by a later version of hourgate, ${version}, and this is ${VERSION}; install that version, or restore a backup from before the upgrade.`,
  );
}

/** Reads and writes the whole state; validated, and flushed when a write resolves. */
export interface StateAdapter extends Adapter<State> {
  /** Problems that the last read recovered from; sentences for the log. */
  readonly warnings: readonly string[];
  /** The last read did not find all copies; the next write restores them. */
  readonly incomplete: boolean;
}

/** What a store consists of: an opened folder or shard. */
export interface StoredData {
  series: SeriesDatabase;
  state: StateAdapter;
}

/** The gateway's state, always equal in memory and on disk. */
export class StateFile {
  readonly #low: Low<State>;
  #view: StateView;
  readonly #updates = new SerialQueue();

  private constructor(low: Low<State>) {
    this.#low = low;
    this.#view = freeze(low.data);
  }

  /** Reads the state, or creates it at the first start; logs recovered problems. Throws StoreError. */
  static async open(place: string | StateAdapter, log: Pick<Log, "info" | "warn">): Promise<StateFile> {
    const adapter =
      typeof place === "string"
        ? new DurableJson(place, stateCheck, { refuse: (state) => refuseLater(state, place) })
        : place;
    const fresh: State = {
      version: 1,
      writtenBy: VERSION,
      installationId: randomUUID(),
      accounts: [],
      registrations: [],
      recoveries: [],
      sites: [],
      keys: [],
      links: [],
      webhooks: [],
      settings: {},
    };
    const low = new Low<State>(adapter, fresh);
    await low.read();
    for (const warning of adapter.warnings) log.warn({}, warning);
    if (low.data === fresh) {
      await low.write();
    } else if (adapter.incomplete || low.data.writtenBy !== VERSION) {
      low.data.writtenBy = VERSION;
      // One good copy is enough to run; the second one is restored for the next failure.
      await low.write().catch((error: Error) => log.warn({ err: error }, error.message));
    }
    return new StateFile(low);
  }

  /** The state as on disk; frozen. A new object after each update. */
  get data(): StateView {
    return this.#view;
  }

  /**
   * Changes the state and resolves when the change is flushed to disk. Updates run one after another. If `mutate` throws,
   * the draft violates the schema (TypeError) or the disk fails (StoreError), memory and disk are unchanged.
   */
  update<Result>(mutate: (draft: State) => Result): Promise<Result> {
    return this.#updates.run(async () => {
      const before = this.#low.data;
      const draft = structuredClone(before);
      const result = mutate(draft);
      const [fault] = stateCheck.faults(draft);
      if (fault !== undefined)
        throw new TypeError(`This change would make the state invalid: ${technicalText(fault)}.`);
      this.#low.data = draft;
      try {
        await this.#low.write();
      } catch (error) {
        this.#low.data = before;
        throw error;
      }
      this.#view = freeze(draft);
      return result;
    });
  }

  /** Resolves when all pending updates have ended. */
  close(): Promise<void> {
    return this.#updates.idle();
  }
}

function freeze<T>(value: T): ReadonlyDeep<T> {
  if (typeof value === "object" && value !== null) {
    for (const inner of Object.values(value)) freeze(inner);
    Object.freeze(value);
  }
  return value as ReadonlyDeep<T>;
}
