import type { Sample } from "../domain/sample.js";

/** A queue is full: samples arrive faster than they can be stored. */
export class QueueFullError extends Error {}

interface Waiting {
  samples: Sample[];
  resolve(): void;
  reject(error: unknown): void;
}

/**
 * Stores samples of one site in order. Samples that arrive during a write are combined into the next one, because a slow
 * SD card completes only a few writes per second.
 */
export class SiteQueue {
  readonly #store: (samples: Sample[]) => Promise<unknown>;
  readonly #maxSamples: number;
  #waiting: Waiting[] = [];
  #samples = 0;
  #writing = false;

  constructor(store: (samples: Sample[]) => Promise<unknown>, maxSamples = 20_000) {
    this.#store = store;
    this.#maxSamples = maxSamples;
  }

  /** Resolves when the samples are on disk; rejects with the store's error, or QueueFullError. */
  add(samples: Sample[]): Promise<void> {
    if (this.#samples + samples.length > this.#maxSamples)
      return Promise.reject(
        new QueueFullError("Too many samples wait to be stored; send them again more slowly."),
      );
    return new Promise((resolve, reject) => {
      this.#waiting.push({ samples, resolve, reject });
      this.#samples += samples.length;
      if (!this.#writing) void this.#write();
    });
  }

  async #write(): Promise<void> {
    this.#writing = true;
    while (this.#waiting.length > 0) {
      const taken = this.#waiting.splice(0);
      const samples = taken.flatMap((message) => message.samples);
      try {
        await this.#store(samples);
        for (const { resolve } of taken) resolve();
      } catch (error) {
        for (const { reject } of taken) reject(error);
      }
      this.#samples -= samples.length;
    }
    this.#writing = false;
  }
}
