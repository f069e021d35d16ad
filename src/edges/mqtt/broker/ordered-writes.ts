import type { ClassicLevel } from "classic-level";

/** Undefined deletes the key. */
export type StoredValue = Buffer | undefined;

const BYTES = { keyEncoding: "utf8", valueEncoding: "buffer" } as const;

/**
 * Writes to the database in the order of the calls, one batch at a time: what is set while a batch is written goes into the
 * next one, and of a key that is set again only the last value is written. A batch is written whole or not at all.
 */
export class OrderedWrites {
  readonly #database: Pick<ClassicLevel, "batch">;
  readonly #onError: (error: unknown) => void;
  #waiting = new Map<string, StoredValue>();
  #next: Promise<void> | undefined;
  #writing: Promise<void> | undefined;

  constructor(database: Pick<ClassicLevel, "batch">, onError: (error: unknown) => void) {
    this.#database = database;
    this.#onError = onError;
  }

  /** Resolves when the value is stored, or could not be; never rejects. */
  set(key: string, value: StoredValue): Promise<void> {
    this.#waiting.set(key, value);
    this.#next ??= (this.#writing ?? Promise.resolve()).then(() => this.#write());
    return this.#next;
  }

  /** Resolves when everything so far is stored. */
  async idle(): Promise<void> {
    await (this.#next ?? this.#writing);
  }

  #write(): Promise<void> {
    const values = this.#waiting;
    this.#waiting = new Map();
    this.#next = undefined;
    const operations = [...values].map(([key, value]) =>
      value === undefined ? ({ type: "del", key } as const) : ({ type: "put", key, value } as const),
    );
    const written = this.#database.batch<string, Buffer>(operations, BYTES).catch(this.#onError);
    this.#writing = written;
    return written;
  }
}
