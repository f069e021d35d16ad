import { SUNSPEC_END, SUNSPEC_MARKER, type SunSpecModel } from "./sunspec.js";

/** Reads holding registers; undefined: the device has none there. */
export type ReadHolding = (address: number, count: number) => Promise<readonly number[] | undefined>;

const MOST_MODELS = 60;
const MARKER_AND_HEADER = 4;

/**
 * The models of a device, found from their marker on; undefined without a marker. Large pieces are read while the device gives
 * them, since every request costs time.
 */
export async function walkSunSpec(
  read: ReadHolding,
  { bases, maxRegisters }: { bases: readonly number[]; maxRegisters: number },
): Promise<SunSpecModel[] | undefined> {
  const pieces: { start: number; words: readonly number[] }[] = [];
  let isGenerous = true;
  const wordsAt = async (address: number, count: number): Promise<readonly number[] | undefined> => {
    const known = pieces.find(
      ({ start, words }) => start <= address && address + count <= start + words.length,
    );
    if (known !== undefined) return known.words.slice(address - known.start, address - known.start + count);
    let words: readonly number[] | undefined;
    if (isGenerous && address + maxRegisters <= 0x1_0000) {
      words = await read(address, maxRegisters);
      // The map ends before, or the device gives only what it has: from here on in small steps.
      isGenerous = words !== undefined;
    }
    words ??= await read(address, count);
    if (words !== undefined) pieces.push({ start: address, words });
    return words?.slice(0, count);
  };
  for (const base of bases) {
    isGenerous = true;
    const marker = await wordsAt(base, MARKER_AND_HEADER);
    if (marker === undefined || !SUNSPEC_MARKER.every((word, index) => marker[index] === word)) continue;
    const models: SunSpecModel[] = [];
    let address = base + 2;
    while (models.length < MOST_MODELS) {
      const header = await wordsAt(address, 2);
      const [id = SUNSPEC_END, length = 0] = header ?? [];
      if (id === SUNSPEC_END || address + 2 + length > 0x1_0000) break;
      models.push({ id, address, length });
      address += 2 + length;
    }
    return models;
  }
  return undefined;
}
