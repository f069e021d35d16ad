import { stat } from "node:fs/promises";
import { join } from "node:path";
import { type BatchOperation, ClassicLevel } from "classic-level";
import { StoreError, toStoreError } from "./errors.js";
import { examineSeries, keepLogs } from "./series-check.js";

export type SeriesOperation = BatchOperation<ClassicLevel<string, Buffer>, string, Buffer>;

/** How long after a write that failed the next one is tried, when nobody writes anything by himself. */
const RECOVERY_MS = 2_000;
/** Written to learn whether the disk takes anything again. */
const PROBE: SeriesOperation = { type: "put", key: "meta/probe", value: Buffer.alloc(1) };

/** Told after each write whether the disk takes what it is given. */
export type StoreHealth = (fault: StoreError | undefined) => void;

/** A range of keys, in order. */
export interface KeyRange {
  gte: string;
  lt: string;
  limit?: number;
  reverse?: boolean;
}

/**
 * The embedded database of everything that comes in series. Its lock file is what keeps a second gateway out of the
 * data folder. Every write is flushed to disk before it resolves.
 */
export class SeriesDatabase {
  readonly #level: ClassicLevel<string, Buffer>;
  readonly #folder: string;
  readonly #onHealth: StoreHealth;
  /** Which file the lock is on the disk; another or none at its place: the folder was taken away. */
  #lockFile: string | undefined;
  #closed = false;
  #failed = false;
  #reopening: Promise<void> | undefined;
  #recovery: NodeJS.Timeout | undefined;

  private constructor(folder: string, onHealth: StoreHealth) {
    this.#folder = folder;
    this.#onHealth = onHealth;
    this.#level = new ClassicLevel(folder, { keyEncoding: "utf8", valueEncoding: "buffer" });
    // Errors are thrown by the operation that met them; level repeats some as events.
    this.#level.on("error", () => {});
  }

  /**
   * Opens or creates the database; `onWarning` is told in a sentence what of it could not be read. Throws StoreError:
   * `storage_in_use` when another process has it open, `storage_damaged` when a file is missing or not whole.
   */
  static async open(
    folder: string,
    onHealth: StoreHealth = () => {},
    onWarning: (sentence: string) => void = () => {},
  ): Promise<SeriesDatabase> {
    const { damage, brokenLogs } = await examineSeries(folder);
    if (damage !== undefined) throw damaged(folder, damage);
    if (brokenLogs.length > 0) {
      const kept = await keepLogs(folder, brokenLogs, new Date());
      onWarning(
        `${brokenLogs.join(", ")} in ${folder} is damaged: some of the newest telemetry may be lost. The rest of it is ` +
          `used, and the damaged file is kept in ${kept}.`,
      );
    }
    const database = new SeriesDatabase(folder, onHealth);
    try {
      await database.#level.open();
      database.#lockFile = await database.#lockFileNow();
    } catch (cause) {
      throw toStoreError(cause, folder);
    }
    return database;
  }

  get(key: string): Promise<Buffer | undefined> {
    return this.#run(() => this.#level.get(key));
  }

  /** Whether each of the keys is held, in their order. */
  hasMany(keys: string[]): Promise<boolean[]> {
    return this.#run(() => this.#level.hasMany(keys));
  }

  /** Keys and values of a range. */
  entries(range: KeyRange): Promise<[string, Buffer][]> {
    return this.#run(() => this.#level.iterator(range).all());
  }

  /** Keys of a range. */
  keys(range: KeyRange): Promise<string[]> {
    return this.#run(() => this.#level.keys(range).all());
  }

  /** Keys and values of a range in portions, for ranges too long to hold; a snapshot of the moment it begins. */
  async *portions(range: KeyRange, size: number): AsyncGenerator<[string, Buffer][]> {
    const iterator = await this.#run(async () => this.#level.iterator(range));
    try {
      for (;;) {
        const portion = await this.#run(() => iterator.nextv(size));
        if (portion.length === 0) return;
        yield portion;
      }
    } finally {
      await iterator.close();
    }
  }

  /** All of the operations or none of them, flushed to disk when it resolves. */
  async write(operations: SeriesOperation[]): Promise<void> {
    if (operations.length === 0) return;
    await this.#run(async () => {
      try {
        await this.#level.batch(operations, { sync: true });
        // Files that were removed take what is written as before, and are gone with the process.
        if ((await this.#lockFileNow()) !== this.#lockFile) throw this.#takenAway();
      } catch (cause) {
        // A log with a torn record in it must not be appended to: what follows the tear could be lost at the next
        // start although it was acknowledged. Reopening begins a new log.
        this.#failed = true;
        throw cause;
      }
    }).catch((cause: StoreError) => {
      if (!this.#closed) {
        this.#onHealth(cause);
        this.#tryLater();
      }
      throw cause;
    });
    this.#onHealth(undefined);
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#recovery);
    await this.#reopening?.catch(() => {});
    await this.#level.close();
  }

  async #run<Result>(operation: () => Promise<Result>): Promise<Result> {
    if (this.#closed) {
      throw new StoreError("storage_unavailable", `${this.#folder} is closed; the gateway is stopping.`);
    }
    try {
      if (this.#failed) {
        this.#reopening ??= this.#reopen().finally(() => {
          this.#reopening = undefined;
        });
      }
      await this.#reopening;
      return await operation();
    } catch (cause) {
      throw toStoreError(cause, this.#folder);
    }
  }

  /** A store that is full gets well when somebody makes room, not only when somebody writes. */
  #tryLater(): void {
    clearTimeout(this.#recovery);
    this.#recovery = setTimeout(() => void this.write([PROBE]).catch(() => {}), RECOVERY_MS).unref();
  }

  async #reopen(): Promise<void> {
    // An empty database in the place of what was taken away would look like a recovery.
    if ((await this.#lockFileNow()) === undefined) throw this.#takenAway();
    await this.#level.close();
    await this.#level.open();
    this.#lockFile = await this.#lockFileNow();
    this.#failed = false;
  }

  async #lockFileNow(): Promise<string | undefined> {
    const found = await stat(join(this.#folder, "LOCK"), { bigint: true }).catch(() => undefined);
    return found && `${found.dev} ${found.ino}`;
  }

  #takenAway(): StoreError {
    return new StoreError(
      "storage_unavailable",
      `${this.#folder} was removed or replaced while the gateway runs; nothing can be kept. Put it back, or restart the gateway.`,
    );
  }
}

function damaged(folder: string, what: string): StoreError {
  return new StoreError(
    "storage_damaged",
    `The database in ${folder} is damaged (${what}); nothing of it was changed. Restore the folder from a backup, or move ` +
      "it away to begin a new one.",
  );
}
