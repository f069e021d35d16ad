import type { Random } from "../../support/random.js";

/** Most inputs that are kept for mutation, and their greatest size. */
const MOST_INPUTS = 1_000;
const LARGEST_BYTES = 64 * 1024;

/** Inputs that reached new code, from which further ones are made. */
export class Corpus {
  readonly #inputs: Buffer[];
  readonly #words: readonly Buffer[];

  /** `words`: what mutations insert, such as keywords of the format. */
  constructor(seeds: readonly Buffer[], words: readonly string[]) {
    this.#inputs = [...seeds];
    this.#words = words.map((word) => Buffer.from(word, "latin1"));
  }

  get size(): number {
    return this.#inputs.length;
  }

  add(input: Buffer): void {
    if (this.#inputs.length < MOST_INPUTS) this.#inputs.push(input);
  }

  /** One of the inputs with up to eight changes. */
  next(random: Random): Buffer {
    let input: Buffer = random.pick(this.#inputs);
    for (let left = random.integer(1, 8); left > 0; left--) input = this.#changed(input, random);
    return input.length > LARGEST_BYTES ? input.subarray(0, LARGEST_BYTES) : input;
  }

  #changed(input: Buffer, random: Random): Buffer {
    const from = random.integer(0, input.length);
    const to = Math.min(input.length, from + random.pick([0, 1, 2, 8, 40, 400]));
    const [before, part, after] = [input.subarray(0, from), input.subarray(from, to), input.subarray(to)];
    switch (random.integer(0, 6)) {
      case 0:
        return Buffer.concat([before, after]);
      case 1:
        return Buffer.concat([before, random.pick(this.#words), after]);
      case 2:
        return Buffer.concat([
          before,
          ...Array.from({ length: random.pick([2, 10, 200]) }, () => part),
          after,
        ]);
      case 3: {
        const other = random.pick(this.#inputs);
        const start = random.integer(0, other.length);
        return Buffer.concat([before, other.subarray(start, start + random.integer(0, 200)), after]);
      }
      case 4:
        return Buffer.concat([before, Buffer.from([random.integer(0, 255)]), input.subarray(from + 1)]);
      case 5:
        return Buffer.concat([before, random.pick(this.#words), input.subarray(to)]);
      default:
        return random.chance(0.2) ? before : Buffer.concat([before, Buffer.from(part).reverse(), after]);
    }
  }
}
