/**
 * LRU cache of serialised answers. Bounded by count and size, since callers choose the time zone and thereby the number of
 * different answers.
 */
export class AnswerCache {
  readonly #bodies = new Map<string, Buffer>();
  readonly #maxEntries: number;
  readonly #maxBytes: number;
  #bytes = 0;

  constructor({ maxEntries = 256, maxBytes = 16 * 1024 * 1024 } = {}) {
    this.#maxEntries = maxEntries;
    this.#maxBytes = maxBytes;
  }

  get(key: string): Buffer | undefined {
    const body = this.#bodies.get(key);
    if (body !== undefined) {
      this.#bodies.delete(key);
      this.#bodies.set(key, body);
    }
    return body;
  }

  set(key: string, body: Buffer): void {
    this.#remove(key);
    this.#bodies.set(key, body);
    this.#bytes += body.length;
    for (const oldest of this.#bodies.keys()) {
      if (this.#bodies.size <= this.#maxEntries && this.#bytes <= this.#maxBytes) break;
      this.#remove(oldest);
    }
  }

  #remove(key: string): void {
    this.#bytes -= this.#bodies.get(key)?.length ?? 0;
    this.#bodies.delete(key);
  }
}
