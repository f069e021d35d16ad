import { constants } from "node:fs";
import { copyFile, readdir, readFile, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { Adapter } from "lowdb";
import { type SchemaCheck, technicalText } from "../config/kit/check.js";
import { errorCode, isUnwritable, StoreError, toStoreError } from "./errors.js";
import { flushFile, flushFolder, writeFlushed } from "./flush.js";

type Reading<T> =
  | { state: "good"; bytes: Buffer; value: T }
  | { state: "missing" }
  | { state: "damaged"; bytes: Buffer; reason: string };

/**
 * A lowdb adapter for a JSON file that survives power loss. Invariants:
 * - `path` and `path.backup` are complete at all times: both are written to temporary files, flushed, then renamed;
 * - both contain the newest state when `write` has resolved (an older backup would make revoked keys valid again);
 * - unreadable content is copied before it is overwritten.
 */
export class DurableJson<T> implements Adapter<T> {
  /** Problems that the last `read` recovered from; sentences for the log. */
  readonly warnings: string[] = [];
  /** `read` did not find two equal good copies; the next `write` restores them. */
  incomplete = false;
  readonly #path: string;
  readonly #backupPath: string;
  readonly #check: SchemaCheck<T>;
  readonly #now: () => Date;
  readonly #refuse: (value: unknown) => void;
  /** Damaged files of the last `read` that are not copied yet, since the disk was full. */
  #notKept: { path: string; bytes: Buffer }[] = [];

  /**
   * `check` is the schema of the content; `now` only names the copies of damaged files; `refuse` throws StoreError for content that is
   * neither good nor damaged.
   */
  constructor(
    path: string,
    check: SchemaCheck<T>,
    { now = () => new Date(), refuse = () => {} }: { now?: () => Date; refuse?(value: unknown): void } = {},
  ) {
    this.#path = path;
    this.#backupPath = `${path}.backup`;
    this.#check = check;
    this.#now = now;
    this.#refuse = refuse;
  }

  /** The content of the file, otherwise of its backup; null if neither exists (first start). Throws StoreError. */
  async read(): Promise<T | null> {
    this.warnings.length = 0;
    this.#notKept = [];
    const main = await this.#readFile(this.#path);
    const backup = await this.#readFile(this.#backupPath);
    this.incomplete = main.state !== "good" || backup.state !== "good" || !main.bytes.equals(backup.bytes);
    const kept = main.state === "damaged" ? await this.#keepIfRoom(this.#path, main.bytes) : undefined;
    const keptBackup =
      backup.state === "damaged" ? await this.#keepIfRoom(this.#backupPath, backup.bytes) : undefined;

    if (main.state === "good") {
      if (backup.state === "damaged") {
        this.warnings.push(
          `The backup ${this.#backupPath} is damaged (${backup.reason}); ${keptBackup} and written again.`,
        );
      }
      return main.value;
    }
    if (backup.state === "good") {
      this.warnings.push(
        main.state === "damaged"
          ? `${this.#path} is damaged (${main.reason}); ${kept} and the backup ${this.#backupPath} is used.`
          : `${this.#path} is missing; the backup ${this.#backupPath} is used.`,
      );
      return backup.value;
    }
    if (main.state === "missing" && backup.state === "missing") return null;
    const damaged = main.state === "damaged" ? main.reason : "missing";
    const second = backup.state === "damaged" ? `damaged (${backup.reason})` : "missing";
    throw new StoreError(
      "storage_damaged",
      `${this.#path} is damaged (${damaged}) and its backup ${this.#backupPath} is ${second}; restore one of them from ` +
        "your own backup, or move both away to start without accounts and keys.",
    );
  }

  /** Writes file and backup, flushed when it resolves; on failure neither has changed. Throws StoreError. */
  async write(data: T): Promise<void> {
    const text = `${JSON.stringify(data, null, 2)}\n`;
    const beside = { main: `${this.#path}.tmp`, backup: `${this.#backupPath}.tmp` };
    try {
      for (const { path, bytes } of this.#notKept) await this.#keep(path, bytes);
      this.#notKept = [];
      // Both are on disk before either is renamed, so that a full disk is detected before anything has changed.
      await writeFlushed(beside.main, text);
      await writeFlushed(beside.backup, text);
      await rename(beside.main, this.#path);
      await rename(beside.backup, this.#backupPath);
      await flushFolder(dirname(this.#path));
    } catch (cause) {
      for (const path of Object.values(beside)) await rm(path, { force: true }).catch(() => {});
      throw toStoreError(cause, this.#path);
    }
  }

  async #readFile(path: string): Promise<Reading<T>> {
    let bytes: Buffer;
    try {
      bytes = await readFile(path);
    } catch (cause) {
      if (errorCode(cause) === "ENOENT") return { state: "missing" };
      throw toStoreError(cause, path);
    }
    if (bytes.length === 0) return { state: "damaged", bytes, reason: "the file is empty" };
    let value: unknown;
    try {
      // Fatal: replacing an invalid byte by a replacement character would silently change the data.
      value = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
    } catch {
      return { state: "damaged", bytes, reason: "it is not valid JSON" };
    }
    this.#refuse(value);
    if (this.#check.fits(value)) return { state: "good", bytes, value };
    return { state: "damaged", bytes, reason: this.#check.faults(value).map(technicalText).join("; ") };
  }

  /** Keeps a damaged file now, or before the next write if the disk is full; what was done, for a sentence. */
  async #keepIfRoom(path: string, bytes: Buffer): Promise<string> {
    try {
      return `it is kept as ${await this.#keep(path, bytes)}`;
    } catch (error) {
      if (!isUnwritable(error)) throw error;
      this.#notKept.push({ path, bytes });
      return "it is left as it is while the disk is full";
    }
  }

  /** Copies a damaged file to `<file>.damaged-<time>`, only once over all starts; returns the path of the copy. */
  async #keep(path: string, bytes: Buffer): Promise<string> {
    const folder = dirname(path);
    const prefix = `${basename(path)}.damaged-`;
    try {
      for (const name of await readdir(folder)) {
        if (name.startsWith(prefix) && bytes.equals(await readFile(join(folder, name))))
          return join(folder, name);
      }
      const stamp = this.#now()
        .toISOString()
        .replace(/[-:]|\.\d+/g, "");
      for (let attempt = 1; ; attempt++) {
        const copy = join(folder, `${prefix}${stamp}${attempt === 1 ? "" : `-${attempt}`}`);
        try {
          await copyFile(path, copy, constants.COPYFILE_EXCL);
        } catch (cause) {
          if (errorCode(cause) === "EEXIST") continue;
          // An incomplete copy could be mistaken for a complete one.
          await rm(copy, { force: true }).catch(() => {});
          throw cause;
        }
        await flushFile(copy);
        await flushFolder(folder);
        return copy;
      }
    } catch (cause) {
      throw toStoreError(cause, path);
    }
  }
}
