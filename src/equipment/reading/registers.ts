import type { RegisterType } from "./reading-schema.js";

/** How the words of registers become a value. */
export interface RegisterFormat {
  type: RegisterType;
  words: number;
  /** High word first. */
  isHighFirst: boolean;
  swapsBytes: boolean;
}

export const WORDS: Readonly<Record<RegisterType, number>> = {
  u16: 1,
  i16: 1,
  u32: 2,
  i32: 2,
  f32: 2,
  u64: 4,
  i64: 4,
  f64: 4,
  bitfield: 1,
  string: 1,
};

/** What each type says when it has no value. */
const UNKNOWN: Readonly<Partial<Record<RegisterType, readonly bigint[]>>> = {
  u16: [0xffffn],
  i16: [0x8000n],
  u32: [0xffff_ffffn],
  i32: [0x8000_0000n],
  u64: [0xffff_ffff_ffff_ffffn],
  i64: [0x8000_0000_0000_0000n],
};

/** Magnitudes of floats beyond which nothing is measured: -3.4e38 says "not supported". */
const LARGEST_FLOAT = 1e30;

export interface Decoded {
  /** Undefined: not known. */
  value: number | string | undefined;
  /** As shown: the number, or the hexadecimal words of a value that is not known. */
  raw: number | string;
}

/** The value of registers. `nan`: raw values that mean "not known" besides those of the type; undefined: every value counts. */
export function decodeRegisters(
  words: readonly number[],
  { type, isHighFirst, swapsBytes }: RegisterFormat,
  nan: readonly number[] | undefined,
): Decoded {
  const swapped = swapsBytes ? words.map((word) => ((word & 0xff) << 8) | (word >> 8)) : [...words];
  const unknown: Decoded = { value: undefined, raw: hexOf(swapped) };
  if (type === "string") {
    const text = textOf(swapped);
    return text === "" ? unknown : { value: text, raw: text };
  }
  const ordered = isHighFirst ? swapped : swapped.toReversed();
  const bits = ordered.reduce((sum, word) => (sum << 16n) | BigInt(word), 0n);
  if (nan !== undefined && UNKNOWN[type]?.includes(bits) === true) return unknown;
  const value = numberOf(bits, type, ordered.length);
  if (!Number.isFinite(value)) return unknown;
  if ((type === "f32" || type === "f64") && Math.abs(value) >= LARGEST_FLOAT) return unknown;
  // A sentinel may be stated as the bits, or as the number.
  if (nan?.some((one) => one === value || (Number.isInteger(one) && BigInt(one) === bits)) === true)
    return unknown;
  return { value, raw: value };
}

/** The words of a whole raw value; undefined if the type cannot hold it. */
export function encodeRegisters(
  value: number,
  { type, words, isHighFirst, swapsBytes }: RegisterFormat,
): number[] | undefined {
  const bits = bitsOf(value, type);
  if (bits === undefined) return undefined;
  const high = Array.from({ length: words }, (_, index) =>
    Number((bits >> BigInt(16 * (words - 1 - index))) & 0xffffn),
  );
  const ordered = isHighFirst ? high : high.toReversed();
  return swapsBytes ? ordered.map((word) => ((word & 0xff) << 8) | (word >> 8)) : ordered;
}

function bitsOf(value: number, type: RegisterType): bigint | undefined {
  if (!Number.isFinite(value) || type === "string") return undefined;
  const size = 16 * WORDS[type];
  if (type === "f32" || type === "f64") {
    const bytes = new DataView(new ArrayBuffer(8));
    if (type === "f32") bytes.setFloat32(0, value);
    else bytes.setFloat64(0, value);
    return type === "f32" ? BigInt(bytes.getUint32(0)) : bytes.getBigUint64(0);
  }
  const whole = BigInt(Math.round(value));
  const held = type.startsWith("i") ? BigInt.asIntN(size, whole) : BigInt.asUintN(size, whole);
  return held === whole ? BigInt.asUintN(size, whole) : undefined;
}

function numberOf(bits: bigint, type: RegisterType, words: number): number {
  const size = words * 16;
  switch (type) {
    case "i16":
    case "i32":
    case "i64":
      return Number(BigInt.asIntN(size, bits));
    case "f32":
    case "f64": {
      const bytes = new DataView(new ArrayBuffer(8));
      if (type === "f32") bytes.setUint32(0, Number(bits));
      else bytes.setBigUint64(0, bits);
      return type === "f32" ? bytes.getFloat32(0) : bytes.getFloat64(0);
    }
    default:
      return Number(bits);
  }
}

function textOf(words: readonly number[]): string {
  const bytes = Buffer.from(words.flatMap((word) => [word >> 8, word & 0xff]));
  const end = bytes.indexOf(0);
  const text = bytes.toString("latin1", 0, end < 0 ? bytes.length : end).trim();
  return /^[\x20-\x7e\xa0-\xfe]+$/.test(text) ? text : "";
}

function hexOf(words: readonly number[]): string {
  return `0x${words.map((word) => word.toString(16).toUpperCase().padStart(4, "0")).join("")}`;
}
