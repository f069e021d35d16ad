/**
 * Writes values in the background, the latest of each key: at most one write of a key is in progress, and a value that was
 * replaced while it waited is not written.
 */
export class LatestWrites<Value> {
  readonly #write: (value: Value) => Promise<void>;
  readonly #waiting = new Map<string, Value>();
  #writing: Promise<void> | undefined;

  /** `write` never rejects. */
  constructor(write: (value: Value) => Promise<void>) {
    this.#write = write;
  }

  set(key: string, value: Value): void {
    this.#waiting.set(key, value);
    this.#writing ??= this.#writeAll();
  }

  /** Resolves when everything so far is written. */
  async idle(): Promise<void> {
    await this.#writing;
  }

  async #writeAll(): Promise<void> {
    while (this.#waiting.size > 0) {
      const values = [...this.#waiting.values()];
      this.#waiting.clear();
      await Promise.all(values.map((value) => this.#write(value)));
    }
    this.#writing = undefined;
  }
}
