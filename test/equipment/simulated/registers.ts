/** Types of values in registers, big-endian; `le`: the low word comes first, each word being big-endian. */
type Kind = "u16" | "i16" | "u32" | "i32" | "f32" | "u64" | "i64" | "f64";
export type RegisterType = Kind | `${"u32" | "i32" | "f32" | "u64"}le` | `text${number}`;

/**
 * A value at an address as on the wire. Null is what the family sends for "not available": the last element, or what SunSpec
 * says for the type.
 */
export type Row = readonly [
  address: number,
  type: RegisterType,
  value: number | string | null,
  missing?: bigint | undefined,
];

const BYTES: Record<Kind, number> = { u16: 2, i16: 2, u32: 4, i32: 4, f32: 4, u64: 8, i64: 8, f64: 8 };

const NOT_IMPLEMENTED: Record<Kind, bigint> = {
  u16: 0xffffn,
  i16: 0x8000n,
  u32: 0xffff_ffffn,
  i32: 0x8000_0000n,
  f32: 0x7fc0_0000n,
  u64: 0xffff_ffff_ffff_ffffn,
  i64: 0x8000_0000_0000_0000n,
  f64: 0x7ff8_0000_0000_0000n,
};

/** The words of one value. */
export function words(type: RegisterType, value: number | string | null, missing?: bigint): number[] {
  if (type.startsWith("text")) {
    const text = Buffer.alloc(Number(type.slice(4)) * 2);
    text.write(String(value ?? ""), "latin1");
    return wordsOf(text);
  }
  const isLowFirst = type.endsWith("le");
  const kind = (isLowFirst ? type.slice(0, -2) : type) as Kind;
  const bytes = Buffer.alloc(BYTES[kind]);
  if (value === null || typeof value === "string") writeBits(bytes, missing ?? NOT_IMPLEMENTED[kind]);
  else if (kind === "f32") bytes.writeFloatBE(value);
  else if (kind === "f64") bytes.writeDoubleBE(value);
  else writeBits(bytes, BigInt(Math.round(value)));
  const list = wordsOf(bytes);
  return isLowFirst ? list.reverse() : list;
}

/** The registers of a table by address. */
export function registersOf(rows: readonly Row[]): Map<number, number> {
  const registers = new Map<number, number>();
  for (const [address, type, value, missing] of rows)
    for (const [index, word] of words(type, value, missing).entries()) registers.set(address + index, word);
  return registers;
}

function writeBits(bytes: Buffer, bits: bigint): void {
  const unsigned = BigInt.asUintN(bytes.length * 8, bits);
  for (let at = 0; at < bytes.length; at += 1)
    bytes[at] = Number((unsigned >> BigInt(8 * (bytes.length - 1 - at))) & 0xffn);
}

function wordsOf(bytes: Buffer): number[] {
  return Array.from({ length: bytes.length / 2 }, (_, index) => bytes.readUInt16BE(index * 2));
}
