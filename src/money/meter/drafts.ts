import { randomBytes } from "node:crypto";
import { MINUTE_MS } from "../../core/domain/interval.js";
import type { ColumnMapping } from "./columns.js";
import type { MeterReading } from "./read-uploaded.js";

/** How long uploaded files wait for the confirmation, minutes. */
export const DRAFT_MINUTES = 15;
/** Most files that an account can upload before it confirms or discards them. */
export const MOST_DRAFT_FILES = 10;
/** Most bytes of all accounts that wait. */
const MOST_BYTES = 120 * 1024 * 1024;

/** An uploaded file that is not stored yet. */
export interface DraftFile {
  name: string;
  reading: MeterReading;
  /** The file itself, while its columns can still be named. */
  bytes?: Uint8Array;
  /** Columns that it was read with. */
  mapping?: ColumnMapping;
}

/** Uploaded files of an account that wait for the confirmation. */
export interface ImportDraft {
  id: string;
  files: DraftFile[];
}

/** Files that cannot be kept. `too_many`: of this account. `busy`: too much of all accounts. */
export class DraftError extends Error {
  override readonly name = "DraftError";
  readonly reason: "too_many" | "busy";

  constructor(reason: DraftError["reason"]) {
    super(`Uploaded files cannot be kept: ${reason}.`);
    this.reason = reason;
  }
}

/** Uploaded meter files of the accounts until they are confirmed, in memory only and for a limited time. */
export class ImportDrafts {
  readonly #byAccount = new Map<string, { draft: ImportDraft; timer: NodeJS.Timeout }>();
  readonly #keepMs: number;

  constructor(keepMs = DRAFT_MINUTES * MINUTE_MS) {
    this.#keepMs = keepMs;
  }

  get(accountId: string): ImportDraft | undefined {
    return this.#byAccount.get(accountId)?.draft;
  }

  /** Refuses more files than an account can have waiting. Throws DraftError. */
  checkRoom(accountId: string, count: number): void {
    if ((this.get(accountId)?.files.length ?? 0) + count > MOST_DRAFT_FILES) throw new DraftError("too_many");
  }

  /** Adds files to those that wait already and starts the time anew. Throws DraftError, and adds none then. */
  add(accountId: string, files: readonly DraftFile[]): ImportDraft {
    this.checkRoom(accountId, files.length);
    const known = this.get(accountId);
    const all = [...(known?.files ?? []), ...files];
    const others = [...this.#byAccount].flatMap(([id, { draft }]) => (id === accountId ? [] : draft.files));
    if (bytesOf([...others, ...all]) > MOST_BYTES) throw new DraftError("busy");
    return this.#keep(accountId, { id: known?.id ?? randomBytes(9).toString("base64url"), files: all });
  }

  /** Replaces a file of a draft that was read again. */
  replace(accountId: string, { id, files }: ImportDraft, index: number, file: DraftFile): ImportDraft {
    return this.#keep(accountId, { id, files: files.with(index, file) });
  }

  discard(accountId: string): void {
    clearTimeout(this.#byAccount.get(accountId)?.timer);
    this.#byAccount.delete(accountId);
  }

  stop(): void {
    for (const accountId of [...this.#byAccount.keys()]) this.discard(accountId);
  }

  #keep(accountId: string, draft: ImportDraft): ImportDraft {
    this.discard(accountId);
    const timer = setTimeout(() => this.#byAccount.delete(accountId), this.#keepMs);
    timer.unref();
    this.#byAccount.set(accountId, { draft, timer });
    return draft;
  }
}

function bytesOf(files: readonly DraftFile[]): number {
  return files.reduce((sum, { bytes, reading }) => {
    const values = "series" in reading ? reading.series : [];
    return sum + (bytes?.length ?? 0) + values.reduce((total, { starts }) => total + 17 * starts.length, 0);
  }, 0);
}
