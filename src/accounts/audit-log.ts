import { appendFile, chmod, readFile, rename, stat } from "node:fs/promises";
import { join } from "node:path";
import { errorMessage } from "../core/error-message.js";
import type { Log } from "../core/log.js";
import { SerialQueue } from "../core/work/serial-queue.js";

/** Size at which the file is rotated, bytes, and the number of rotated files that are kept. */
const ROTATE_BYTES = 1024 * 1024;
const KEPT_FILES = 4;
/** Longest value of a field; longer ones are cut. */
const LONGEST_TEXT = 200;
/** Entries that wait for the disk; above it new ones are dropped and counted. */
const QUEUE_LIMIT = 1000;

/** One event: who did what, from where. Never contains a secret. */
export interface AuditEntry {
  /** ISO 8601, UTC, wall time. */
  time: string;
  /** Stable name, such as `sign_in.failed` or `key.replaced`. */
  event: string;
  /** E-mail of the account, or of the attempted sign-in. */
  account?: string;
  /** Address of the client; `command line` for commands. */
  from?: string;
  site?: string;
}

/**
 * The audit log: a file of JSON lines in the data folder (`audit.jsonl`, mode 0600), rotated at 1 MB. A failing disk is
 * logged and does not prevent the event itself.
 */
export class AuditLog {
  readonly #folder: string;
  readonly #log: Pick<Log, "warn">;
  readonly #writes = new SerialQueue();
  readonly #wallNow: () => Date;
  #queued = 0;
  #dropped = 0;
  #bytes: number | undefined;

  constructor({
    folder,
    log,
    wallNow = () => new Date(),
  }: {
    folder: string;
    log: Pick<Log, "warn">;
    wallNow?: () => Date;
  }) {
    this.#folder = folder;
    this.#log = log;
    this.#wallNow = wallNow;
  }

  /** Resolves when all entries are on disk. */
  async stop(): Promise<void> {
    await this.#writes.idle();
  }

  /** Appends an entry in the background. */
  record(entry: Omit<AuditEntry, "time">): void {
    if (this.#queued >= QUEUE_LIMIT) {
      this.#dropped++;
      return;
    }
    const lines = [this.#lineOf(entry)];
    if (this.#dropped > 0) lines.unshift(this.#lineOf({ event: `audit.dropped_${this.#dropped}` }));
    this.#dropped = 0;
    this.#queued++;
    void this.#writes
      .run(() => this.#append(lines.join("")))
      .catch((error: unknown) =>
        this.#log.warn({ reason: errorMessage(error) }, "The audit log could not be written."),
      )
      .finally(() => this.#queued--);
  }

  /** The latest entries, newest first; those that match, at most `count`. */
  async latest(count: number, matches: (entry: AuditEntry) => boolean = () => true): Promise<AuditEntry[]> {
    await this.#writes.idle();
    const found: AuditEntry[] = [];
    for (let index = 0; index <= KEPT_FILES && found.length < count; index++) {
      const text = await readFile(this.#path(index), "utf8").catch(() => "");
      for (const line of text.split("\n").reverse()) {
        const entry = parse(line);
        if (entry !== undefined && matches(entry)) found.push(entry);
        if (found.length === count) break;
      }
    }
    return found;
  }

  #lineOf(entry: Omit<AuditEntry, "time">): string {
    const fields = Object.entries(entry)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [name, String(value).slice(0, LONGEST_TEXT)]);
    return `${JSON.stringify({ time: this.#wallNow().toISOString(), ...Object.fromEntries(fields) })}\n`;
  }

  async #append(text: string): Promise<void> {
    const path = this.#path(0);
    this.#bytes ??= await stat(path).then(
      ({ size }) => size,
      () => 0,
    );
    if (this.#bytes >= ROTATE_BYTES) await this.#rotate();
    await appendFile(path, text, { mode: 0o600 });
    if (this.#bytes === 0) await chmod(path, 0o600);
    this.#bytes += Buffer.byteLength(text);
  }

  async #rotate(): Promise<void> {
    for (let index = KEPT_FILES; index >= 1; index--)
      await rename(this.#path(index - 1), this.#path(index)).catch(() => {});
    this.#bytes = 0;
  }

  #path(index: number): string {
    return join(this.#folder, index === 0 ? "audit.jsonl" : `audit.${index}.jsonl`);
  }
}

function parse(line: string): AuditEntry | undefined {
  try {
    const entry = JSON.parse(line) as Partial<AuditEntry>;
    return typeof entry.time === "string" && typeof entry.event === "string"
      ? (entry as AuditEntry)
      : undefined;
  } catch {
    return undefined;
  }
}
