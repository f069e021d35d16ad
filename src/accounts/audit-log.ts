import { appendFile, chmod, readFile, rename, stat } from "node:fs/promises";
import { join } from "node:path";
import { errorMessage } from "../core/error-message.js";
import type { Log } from "../core/log.js";
import { SerialQueue } from "../core/work/serial-queue.js";
import type { AuditEntry } from "./audit-entry.js";
import { DelayedSignIns } from "./delayed-sign-ins.js";

/** Number of rotated files that are kept. */
const KEPT_FILES = 4;

/** A file of lines (`<name>.jsonl`, mode 0600) that is rotated at a size; four rotated files are kept. */
class RotatedLines {
  readonly #folder: string;
  readonly #name: string;
  readonly #rotateBytes: number;
  #bytes: number | undefined;

  constructor({ folder, name, rotateBytes }: { folder: string; name: string; rotateBytes: number }) {
    this.#folder = folder;
    this.#name = name;
    this.#rotateBytes = rotateBytes;
  }

  /** Calls must not overlap. Throws the error of the file system. */
  async append(text: string): Promise<void> {
    const path = this.#path(0);
    this.#bytes ??= await stat(path).then(
      ({ size }) => size,
      () => 0,
    );
    if (this.#bytes >= this.#rotateBytes) await this.#rotate();
    await appendFile(path, text, { mode: 0o600 });
    if (this.#bytes === 0) await chmod(path, 0o600);
    this.#bytes += Buffer.byteLength(text);
  }

  /** All lines, the newest first. */
  async *newestFirst(): AsyncGenerator<string> {
    for (let index = 0; index <= KEPT_FILES; index++) {
      const text = await readFile(this.#path(index), "utf8").catch(() => "");
      yield* text.split("\n").reverse();
    }
  }

  async #rotate(): Promise<void> {
    for (let index = KEPT_FILES; index >= 1; index--)
      await rename(this.#path(index - 1), this.#path(index)).catch(() => {});
    this.#bytes = 0;
  }

  #path(index: number): string {
    return join(this.#folder, index === 0 ? `${this.#name}.jsonl` : `${this.#name}.${index}.jsonl`);
  }
}

/** Events that strangers can cause at any time. They are kept apart, so that they displace no change. */
const REFUSALS = new Set(["sign_in.failed", "sign_in.code_failed", "sign_in.delayed"]);

/** Size at which a file is rotated, bytes. */
const ROTATE_BYTES = 1024 * 1024;
/** Longest value of a field; longer ones are cut. */
const LONGEST_TEXT = 200;
/** Entries that wait for the disk; above it new ones are dropped and counted. */
const QUEUE_LIMIT = 1000;

/**
 * The audit log: JSON lines in the data folder, changes in `audit.jsonl`, refused sign-ins in `audit-refused.jsonl`. Attempts
 * that were held back are one line for each address and minute. A failing disk is logged and does not prevent the event
 * itself.
 */
export class AuditLog {
  readonly #changes: RotatedLines;
  readonly #refusals: RotatedLines;
  readonly #delayed: DelayedSignIns;
  readonly #log: Pick<Log, "warn">;
  readonly #writes = new SerialQueue();
  readonly #wallNow: () => Date;
  #queued = 0;
  #dropped = 0;

  constructor({
    folder,
    log,
    wallNow = () => new Date(),
    rotateBytes = ROTATE_BYTES,
  }: {
    folder: string;
    log: Pick<Log, "warn">;
    wallNow?: () => Date;
    rotateBytes?: number;
  }) {
    this.#changes = new RotatedLines({ folder, name: "audit", rotateBytes });
    this.#refusals = new RotatedLines({ folder, name: "audit-refused", rotateBytes });
    this.#log = log;
    this.#wallNow = wallNow;
    this.#delayed = new DelayedSignIns(wallNow, (entries) =>
      this.#write(this.#refusals, entries.map(lineOf).join("")),
    );
  }

  /** Resolves when all entries are on disk. */
  async stop(): Promise<void> {
    this.#delayed.flush();
    await this.#writes.idle();
  }

  /** Appends an entry in the background. */
  record(entry: Omit<AuditEntry, "time" | "count">): void {
    if (entry.event === "sign_in.delayed") {
      this.#delayed.add(entry);
      return;
    }
    const isRefusal = REFUSALS.has(entry.event);
    // Half of the queue is left for changes.
    if (this.#queued >= (isRefusal ? QUEUE_LIMIT / 2 : QUEUE_LIMIT)) {
      this.#dropped++;
      return;
    }
    const time = this.#wallNow().toISOString();
    const lines = [lineOf({ time, ...entry })];
    if (this.#dropped > 0) lines.unshift(lineOf({ time, event: `audit.dropped_${this.#dropped}` }));
    this.#dropped = 0;
    this.#write(isRefusal ? this.#refusals : this.#changes, lines.join(""));
  }

  /** The latest entries, newest first; those that match, at most `count`. */
  async latest(count: number, matches: (entry: AuditEntry) => boolean = () => true): Promise<AuditEntry[]> {
    await this.#writes.idle();
    const found = this.#delayed.entries().filter(matches);
    for (const file of [this.#changes, this.#refusals]) {
      let left = count;
      for await (const line of file.newestFirst()) {
        if (left === 0) break;
        const entry = parse(line);
        if (entry === undefined || !matches(entry)) continue;
        found.push(entry);
        left--;
      }
    }
    return found.sort((a, b) => Date.parse(b.time) - Date.parse(a.time)).slice(0, count);
  }

  #write(file: RotatedLines, text: string): void {
    this.#queued++;
    void this.#writes
      .run(() => file.append(text))
      .catch((error: unknown) =>
        this.#log.warn({ reason: errorMessage(error) }, "The audit log could not be written."),
      )
      .finally(() => this.#queued--);
  }
}

function lineOf({ count, ...texts }: AuditEntry): string {
  const fields = Object.entries(texts)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => [name, value.slice(0, LONGEST_TEXT)]);
  return `${JSON.stringify({ ...Object.fromEntries(fields), ...(count !== undefined && { count }) })}\n`;
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
