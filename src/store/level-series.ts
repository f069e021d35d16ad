import { stat } from "node:fs/promises";
import { join } from "node:path";
import { ClassicLevel } from "classic-level";
import { isUnwritable, StoreError, toStoreError } from "./errors.js";
import { ReadCopy } from "./read-copy.js";
import type { KeyRange, SeriesDatabase, SeriesOperation, StoreHealth } from "./series.js";
import { copyLogs, examineSeries } from "./series-check.js";

/** Time after a failed write until the next attempt. */
const RECOVERY_MS = 2_000;
/** Written to test whether the disk is writable again. */
const PROBE: SeriesOperation = { type: "put", key: "meta/probe", value: Buffer.alloc(1) };

/**
 * The embedded database, a folder of LevelDB. Its lock file prevents a second gateway in the same data folder.
 * Every write is flushed to disk when it resolves.
 *
 * LevelDB opens a folder only if it can write to it. While the disk is full a copy elsewhere is read instead, and writes
 * are refused until the folder can be opened.
 */
export class LevelSeries implements SeriesDatabase {
  /** Undefined until it is open. */
  #opened: ClassicLevel<string, Buffer> | undefined;
  readonly #folder: string;
  readonly #onHealth: StoreHealth;
  readonly #onWarning: (sentence: string) => void;
  /** Damaged logs of which a copy must be kept before the folder is opened. */
  #brokenLogs: string[] = [];
  /** What is read while the folder cannot be opened. */
  #copy: ReadCopy | undefined;
  /** Identity of the lock file on disk; it changes if the folder was removed or replaced. */
  #lockFile: string | undefined;
  #closed = false;
  #failed = false;
  #reopening: Promise<void> | undefined;
  #recovery: NodeJS.Timeout | undefined;

  private constructor(folder: string, onHealth: StoreHealth, onWarning: (sentence: string) => void) {
    this.#folder = folder;
    this.#onHealth = onHealth;
    this.#onWarning = onWarning;
  }

  /**
   * Opens or creates the database; calls `onWarning` with a sentence about unreadable parts, and `onHealth` if the disk is
   * full and it can only be read. Throws StoreError: `storage_in_use` if another process has it open, `storage_damaged` if
   * a file is missing or incomplete.
   */
  static async open(
    folder: string,
    onHealth: StoreHealth = () => {},
    onWarning: (sentence: string) => void = () => {},
  ): Promise<LevelSeries> {
    const { damage, brokenLogs } = await examineSeries(folder);
    if (damage !== undefined) throw damaged(folder, damage);
    const database = new LevelSeries(folder, onHealth, onWarning);
    database.#brokenLogs = brokenLogs;
    try {
      await database.#openFolder();
    } catch (cause) {
      const fault = toStoreError(cause, folder);
      await database.#openCopy(fault);
      if (database.#copy === undefined) throw fault;
      database.#failed = true;
      onHealth(fault);
      database.#retryLater();
    }
    return database;
  }

  get #level(): ClassicLevel<string, Buffer> {
    if (this.#opened === undefined) throw new RangeError("The database is not open.");
    return this.#opened;
  }

  /** Resolves if the folder is open, so that other files in it may be written. Throws StoreError. */
  writable(): Promise<void> {
    return this.#run(async () => {}, true);
  }

  get(key: string): Promise<Buffer | undefined> {
    return this.#run(() => this.#level.get(key));
  }

  hasMany(keys: string[]): Promise<boolean[]> {
    return this.#run(() => this.#level.hasMany(keys));
  }

  entries(range: KeyRange): Promise<[string, Buffer][]> {
    return this.#run(() => this.#level.iterator(range).all());
  }

  keys(range: KeyRange): Promise<string[]> {
    return this.#run(() => this.#level.keys(range).all());
  }

  /** A snapshot of its start. */
  async *portions(range: Pick<KeyRange, "gte" | "lt">, size: number): AsyncGenerator<[string, Buffer][]> {
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

  async write(operations: readonly SeriesOperation[]): Promise<void> {
    if (operations.length === 0) return;
    await this.#run(async () => {
      try {
        await this.#level.batch([...operations], { sync: true });
        // Writes to removed files succeed, but their content is lost when the process ends.
        if ((await this.#lockFileNow()) !== this.#lockFile) throw this.#folderRemoved();
      } catch (cause) {
        // Nothing may be appended to a log with an incomplete record: later acknowledged writes could be lost at the next
        // start. Reopening begins a new log.
        this.#failed = true;
        throw cause;
      }
    }, true).catch((cause: StoreError) => {
      if (!this.#closed) {
        this.#onHealth(cause);
        this.#retryLater();
      }
      throw cause;
    });
    this.#onHealth(undefined);
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#recovery);
    await this.#reopening?.catch(() => {});
    await this.#opened?.close();
    await this.#copy?.remove();
  }

  async #run<Result>(operation: () => Promise<Result>, isWrite = false): Promise<Result> {
    if (this.#closed) {
      throw new StoreError("storage_unavailable", `${this.#folder} is closed; the gateway is stopping.`);
    }
    try {
      const isReadable = () => !isWrite && this.#copy !== undefined;
      if (this.#failed && !isReadable()) {
        this.#reopening ??= this.#reopen().finally(() => {
          this.#reopening = undefined;
        });
        await this.#reopening.catch((cause: unknown) => {
          if (!isReadable()) throw cause;
        });
      }
      return await operation();
    } catch (cause) {
      throw toStoreError(cause, this.#folder);
    }
  }

  /** Repeats a write, so that the recovery of the disk is detected even without other writes. */
  #retryLater(): void {
    clearTimeout(this.#recovery);
    this.#recovery = setTimeout(() => void this.write([PROBE]).catch(() => {}), RECOVERY_MS).unref();
  }

  async #reopen(): Promise<void> {
    // A new empty database in place of a removed folder would look like a recovery.
    if ((await this.#lockFileNow()) === undefined) throw this.#folderRemoved();
    if (this.#copy === undefined) await this.#opened?.close();
    try {
      await this.#openFolder();
    } catch (cause) {
      if (this.#copy === undefined) await this.#openCopy(cause);
      throw cause;
    }
    this.#failed = false;
  }

  async #openFolder(): Promise<void> {
    if (this.#brokenLogs.length > 0) {
      const kept = await copyLogs(this.#folder, this.#brokenLogs, new Date());
      this.#onWarning(
        `${this.#brokenLogs.join(", ")} in ${this.#folder} is damaged: some of the newest telemetry may be lost. The rest of it is ` +
          `used, and the damaged file is kept in ${kept}.`,
      );
      this.#brokenLogs = [];
    }
    const opened = levelOf(this.#folder);
    await opened.open();
    const [before, copy] = [this.#opened, this.#copy];
    this.#opened = opened;
    this.#copy = undefined;
    this.#lockFile = await this.#lockFileNow();
    await before?.close();
    await copy?.remove();
  }

  /** Reads from a copy if the disk is full and there is space elsewhere. */
  async #openCopy(cause: unknown): Promise<void> {
    if (!isUnwritable(cause)) return;
    const copy = await ReadCopy.create(this.#folder);
    if (copy === undefined) return;
    const level = levelOf(copy.folder);
    try {
      await level.open();
    } catch {
      return copy.remove();
    }
    this.#opened = level;
    this.#copy = copy;
  }

  async #lockFileNow(): Promise<string | undefined> {
    const found = await stat(join(this.#folder, "LOCK"), { bigint: true }).catch(() => undefined);
    return found && `${found.dev} ${found.ino}`;
  }

  #folderRemoved(): StoreError {
    return new StoreError(
      "storage_unavailable",
      `${this.#folder} was removed or replaced while the gateway runs; nothing can be stored. Restore the folder, or restart the gateway.`,
    );
  }
}

function levelOf(folder: string): ClassicLevel<string, Buffer> {
  const level = new ClassicLevel<string, Buffer>(folder, { keyEncoding: "utf8", valueEncoding: "buffer" });
  // Errors are thrown by the failed operation; level also emits some as events.
  level.on("error", () => {});
  return level;
}

function damaged(folder: string, what: string): StoreError {
  return new StoreError(
    "storage_damaged",
    `The database in ${folder} is damaged (${what}); it was not changed. Restore the folder from a backup, or move ` +
      "it away to start with a new one.",
  );
}
