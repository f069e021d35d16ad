import type { Reading, Sample } from "../core/domain/sample.js";

/** A reading that was not used, with its raw value. */
export interface LeftOutReading {
  reading: Reading;
  at: Date;
  value: number;
}

const MOST_SHOWN = 50;

/** The readings of a site that were not used since the start: their number, and the last ones. */
export class LeftOutReadings {
  #count = 0;
  #last: LeftOutReading[] = [];

  get count(): number {
    return this.#count;
  }

  /** Newest first. */
  list(): readonly LeftOutReading[] {
    return [...this.#last].reverse();
  }

  add(one: LeftOutReading): void {
    this.#count++;
    this.#last.push(one);
    if (this.#last.length > MOST_SHOWN) this.#last.shift();
  }

  /** Samples that count after all. */
  confirm(samples: readonly Sample[]): void {
    if (this.#last.length === 0) return;
    const isConfirmed = ({ reading, at, value }: LeftOutReading) =>
      samples.some((sample) => +sample.at === +at && sample.values[reading] === value);
    const left = this.#last.filter((one) => !isConfirmed(one));
    this.#count -= this.#last.length - left.length;
    this.#last = left;
  }
}
