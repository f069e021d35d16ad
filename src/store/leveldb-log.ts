/** Blocks and header of a LevelDB log file, which its MANIFEST is too (LevelDB, doc/log_format.md). */
const BLOCK_BYTES = 32 * 1024;
const HEADER_BYTES = 7;

/** The whole records of a log file, as far as they can be read. */
export interface LogReading {
  records: Buffer[];
  /** A record that is neither whole nor cut off by the end of the file: something has changed the file. */
  isBroken: boolean;
}

/**
 * Reads up to the first record that is not whole. One that ends with the file is what a kill or a power failure leaves
 * of a write that nobody was told of, and no damage; neither are the zeros of a file that was made longer in advance.
 */
export function readLog(bytes: Buffer): LogReading {
  const records: Buffer[] = [];
  const fragments: Buffer[] = [];
  let at = 0;
  while (at + HEADER_BYTES <= bytes.length) {
    const left = BLOCK_BYTES - (at % BLOCK_BYTES);
    if (left < HEADER_BYTES) {
      at += left;
      continue;
    }
    const length = bytes.readUInt16LE(at + 4);
    const type = bytes[at + 6]!;
    if (type === 0 && length === 0)
      return { records, isBroken: bytes.subarray(at).some((byte) => byte !== 0) };
    const end = at + HEADER_BYTES + length;
    if (HEADER_BYTES + length > left || type > 4) return { records, isBroken: true };
    if (end > bytes.length) break;
    if (bytes.readUInt32LE(at) !== maskedCrc32c(bytes.subarray(at + 6, end)))
      return { records, isBroken: true };
    fragments.push(bytes.subarray(at + HEADER_BYTES, end));
    // 1 is a whole record; else 2, 3 … 3, 4 are its parts.
    if (type === 1 || type === 4) records.push(Buffer.concat(fragments.splice(0)));
    at = end;
  }
  return { records, isBroken: false };
}

const CRC32C = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte;
  for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0x82f63b78 : crc >>> 1;
  return crc;
});

/** CRC-32C (RFC 3720, B.4), rotated and shifted as LevelDB stores it. */
function maskedCrc32c(bytes: Buffer): number {
  let crc = 0xffffffff;
  for (const byte of bytes) crc = CRC32C[(crc ^ byte) & 0xff]! ^ (crc >>> 8);
  crc = ~crc >>> 0;
  return (((crc >>> 15) | (crc << 17)) + 0xa282ead8) >>> 0;
}
