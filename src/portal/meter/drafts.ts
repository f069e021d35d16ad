import { randomBytes } from "node:crypto";
import { rename, stat } from "node:fs/promises";
import { MINUTE_MS } from "../../core/domain/interval.js";
import type { MeterQuantity, MeterSeriesFacts } from "../../core/domain/meter.js";
import type { ColumnMapping } from "../../money/meter/columns.js";
import type { MeterReading } from "../../money/meter/read-uploaded.js";
import type { StoredSeries } from "../../store/meter-archive.js";
import { readValues } from "../../store/meter-values.js";
import type { TemporaryFiles } from "../../store/temporary-files.js";

/** How long uploaded files wait for the confirmation, minutes. */
export const DRAFT_MINUTES = 15;
/** Most files that an account can upload before it confirms or discards them. */
export const MOST_DRAFT_FILES = 10;
/** Most bytes on disk that wait, of an account and of all accounts. */
const MOST_BYTES_PER_ACCOUNT = 60 * 1024 * 1024;
const MOST_BYTES = 4 * MOST_BYTES_PER_ACCOUNT;

/** An uploaded file that is not stored yet. */
export interface DraftFile {
  name: string;
  reading: MeterReading;
  /** Columns that it was read with. */
  mapping?: ColumnMapping;
  /** The file itself, while its columns can still be named. */
  path?: string;
  /** File with the values of its series. */
  valuesPath?: string;
}

interface HeldFile extends DraftFile {
  bytes: number;
}

/** Uploaded files of an account that wait for the confirmation. */
export interface ImportDraft {
  id: string;
  files: readonly HeldFile[];
}

/** Files that cannot be kept. `too_many`, `too_large`: those of this account. `busy`: too much of all accounts. */
export class DraftError extends Error {
  override readonly name = "DraftError";
  readonly reason: "too_many" | "too_large" | "busy";

  constructor(reason: DraftError["reason"]) {
    super(`Uploaded files cannot be kept: ${reason}.`);
    this.reason = reason;
  }
}

/** Uploaded meter files of the accounts until they are confirmed: on disk, and for a limited time. */
export class ImportDrafts {
  readonly #files: TemporaryFiles;
  readonly #byAccount = new Map<string, { draft: ImportDraft; timer: NodeJS.Timeout }>();
  readonly #keepMs: number;

  constructor(files: TemporaryFiles, keepMs = DRAFT_MINUTES * MINUTE_MS) {
    this.#files = files;
    this.#keepMs = keepMs;
  }

  get(accountId: string): ImportDraft | undefined {
    return this.#byAccount.get(accountId)?.draft;
  }

  /** Refuses more files than an account can have waiting. Throws DraftError. */
  checkRoom(accountId: string, count: number): void {
    if ((this.get(accountId)?.files.length ?? 0) + count > MOST_DRAFT_FILES) throw new DraftError("too_many");
  }

  /** Path for a file that is added afterwards. */
  newPath(): Promise<string> {
    return this.#files.newPath();
  }

  /**
   * Adds files to those that wait already and starts the time anew; they are moved. Throws DraftError, and adds none then.
   */
  async add(accountId: string, files: readonly DraftFile[]): Promise<void> {
    const moved = await Promise.all(files.map((file) => this.#moved(file)));
    try {
      const added = await Promise.all(moved.map(measured));
      this.checkRoom(accountId, added.length);
      const known = this.get(accountId);
      const all = [...(known?.files ?? []), ...added];
      this.#checkBytes(accountId, all);
      this.#keep(accountId, { id: known?.id ?? randomBytes(9).toString("base64url"), files: all });
    } catch (error) {
      await this.#files.remove(pathsOf(moved));
      throw error;
    }
  }

  /** Replaces a file of a draft that was read again. Throws DraftError, and leaves the draft as it is then. */
  async replace(accountId: string, draft: ImportDraft, index: number, file: DraftFile): Promise<void> {
    const before = pathsOf(draft.files.slice(index, index + 1));
    const after = pathsOf([file]);
    const without = (paths: readonly string[], kept: readonly string[]) =>
      this.#files.remove(paths.filter((path) => !kept.includes(path)));
    try {
      const files = draft.files.with(index, await measured(file));
      this.#checkBytes(accountId, files);
      this.#keep(accountId, { id: draft.id, files });
    } catch (error) {
      await without(after, before);
      throw error;
    }
    await without(before, after);
  }

  /** Some series of a file, by their numbers in it, with their values. */
  async values(
    { reading, valuesPath }: DraftFile,
    chosen: readonly { series: MeterSeriesFacts; index: number; quantity: MeterQuantity }[],
  ): Promise<StoredSeries[]> {
    if (!("series" in reading) || valuesPath === undefined) return [];
    const values = await readValues(valuesPath, reading.series);
    return chosen.map(({ series, index, quantity }) => ({ ...series, quantity, ...values[index]! }));
  }

  /** Removes files that are not added after all. */
  async remove(paths: readonly string[]): Promise<void> {
    await this.#files.remove(paths);
  }

  async discard(accountId: string): Promise<void> {
    const held = this.#byAccount.get(accountId);
    clearTimeout(held?.timer);
    this.#byAccount.delete(accountId);
    await this.#files.remove(pathsOf(held?.draft.files ?? []));
  }

  async stop(): Promise<void> {
    for (const accountId of [...this.#byAccount.keys()]) await this.discard(accountId);
  }

  async #moved({ path, ...file }: DraftFile): Promise<DraftFile> {
    if (path === undefined) return file;
    const moved = await this.#files.newPath();
    await rename(path, moved);
    return { ...file, path: moved };
  }

  #checkBytes(accountId: string, files: readonly HeldFile[]): void {
    const bytes = bytesOf(files);
    if (bytes > MOST_BYTES_PER_ACCOUNT) throw new DraftError("too_large");
    const others = [...this.#byAccount].flatMap(([id, { draft }]) => (id === accountId ? [] : draft.files));
    if (bytesOf(others) + bytes > MOST_BYTES) throw new DraftError("busy");
  }

  #keep(accountId: string, draft: ImportDraft): void {
    clearTimeout(this.#byAccount.get(accountId)?.timer);
    const timer = setTimeout(() => void this.discard(accountId), this.#keepMs);
    timer.unref();
    this.#byAccount.set(accountId, { draft, timer });
  }
}

async function measured(file: DraftFile): Promise<HeldFile> {
  const sizes = await Promise.all(pathsOf([file]).map(async (path) => (await stat(path)).size));
  return { ...file, bytes: sizes.reduce((sum, size) => sum + size, 0) };
}

function pathsOf(files: readonly DraftFile[]): string[] {
  return files.flatMap(({ path, valuesPath }) => [path, valuesPath]).filter((path) => path !== undefined);
}

function bytesOf(files: readonly HeldFile[]): number {
  return files.reduce((sum, { bytes }) => sum + bytes, 0);
}
