import { SUNSPEC_END, SUNSPEC_MARKER, type SunSpecModel } from "./sunspec.js";

/** Reads holding registers; undefined: the device has none there. */
export type ReadHolding = (address: number, count: number) => Promise<readonly number[] | undefined>;

/** The models of a unit, as far as they are known. */
export interface SunSpecMap {
  readonly models: SunSpecModel[];
  /** Address of the next header; undefined: there are no more models. */
  next: number | undefined;
}

const MOST_MODELS = 60;
const MARKER_AND_HEADER = 4;

/** Finds the models of a device. Large pieces are read while the device gives them, since every request costs time. */
export class SunSpecWalk {
  readonly #read: ReadHolding;
  readonly #maxRegisters: number;
  readonly #pieces: { start: number; words: readonly number[] }[] = [];
  #isGenerous = true;

  constructor(read: ReadHolding, maxRegisters: number) {
    this.#read = read;
    this.#maxRegisters = maxRegisters;
  }

  /** The map from its marker on, still without models; undefined without a marker. */
  async find(bases: readonly number[]): Promise<SunSpecMap | undefined> {
    for (const base of bases) {
      this.#isGenerous = true;
      const marker = await this.#wordsAt(base, MARKER_AND_HEADER);
      if (marker !== undefined && SUNSPEC_MARKER.every((word, index) => marker[index] === word))
        return { models: [], next: base + 2 };
    }
    return undefined;
  }

  /** Adds the models that follow, until they are enough or there are no more. */
  async follow(map: SunSpecMap, isEnough: () => boolean = () => false): Promise<void> {
    while (map.next !== undefined && !isEnough()) {
      const address = map.next;
      const header = await this.#wordsAt(address, 2);
      // Another who reads there may have gone on meanwhile.
      if (map.next !== address) continue;
      const [id = SUNSPEC_END, length = 0] = header ?? [];
      const isEnd = id === SUNSPEC_END || address + 2 + length > 0x1_0000;
      if (!isEnd) map.models.push({ id, address, length });
      map.next = isEnd || map.models.length >= MOST_MODELS ? undefined : address + 2 + length;
    }
  }

  async #wordsAt(address: number, count: number): Promise<readonly number[] | undefined> {
    const known = this.#pieces.find(
      ({ start, words }) => start <= address && address + count <= start + words.length,
    );
    if (known !== undefined) return known.words.slice(address - known.start, address - known.start + count);
    let words: readonly number[] | undefined;
    if (this.#isGenerous && address + this.#maxRegisters <= 0x1_0000) {
      words = await this.#read(address, this.#maxRegisters);
      // The map ends before, or the device gives only what it has: from here on in small steps.
      this.#isGenerous = words !== undefined;
    }
    words ??= await this.#read(address, count);
    if (words !== undefined) this.#pieces.push({ start: address, words });
    return words?.slice(0, count);
  }
}
