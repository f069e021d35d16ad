/** Blocks and header of a LevelDB log file, which its MANIFEST is too (LevelDB, doc/log_format.md). */
const BLOCK_BYTES = 32 * 1024;
const HEADER_BYTES = 7;

/** The readable complete records of a log file. */
export interface LogReading {
  records: Buffer[];
  /** True if a record is damaged and not only truncated at the end of the file. */
  isBroken: boolean;
}

/**
 * Reads up to the first incomplete record. A record truncated at the end of the file is the result of a kill or power
 * failure during an unacknowledged write, not damage; neither are the zeros of a preallocated file.
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
    // 1 is a complete record; 2, 3 … 3, 4 are the fragments of one.
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
