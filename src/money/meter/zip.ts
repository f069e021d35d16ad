import { inflateRawSync } from "node:zlib";

/** A spreadsheet that is not read; `reason` says why. */
export class SpreadsheetError extends Error {
  override readonly name = "SpreadsheetError";
  readonly reason: "too_large" | "encrypted" | "unreadable";

  constructor(reason: SpreadsheetError["reason"], cause?: unknown) {
    super(`The spreadsheet is ${reason.replace("_", " ")}.`, { cause });
    this.reason = reason;
  }
}

const MOST_ENTRIES = 2_000;

/** A file in a zip archive. */
export interface ZipEntry {
  name: string;
  isEncrypted: boolean;
  /** Unpacks it; throws SpreadsheetError where it has more than `mostBytes`. */
  content(mostBytes: number): Buffer;
}

/** The files of a zip archive, packed. Throws SpreadsheetError. */
export function zipEntries(bytes: Uint8Array): ZipEntry[] {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const end = buffer.lastIndexOf(Buffer.from([0x50, 0x4b, 5, 6]));
  if (end < 0 || end + 22 > buffer.length) throw new SpreadsheetError("unreadable");
  const count = buffer.readUInt16LE(end + 10);
  if (count > MOST_ENTRIES) throw new SpreadsheetError("too_large");
  const entries: ZipEntry[] = [];
  let at = buffer.readUInt32LE(end + 16);
  for (let entry = 0; entry < count; entry++) {
    if (at + 46 > buffer.length || buffer.readUInt32LE(at) !== 0x02014b50)
      throw new SpreadsheetError("unreadable");
    const method = buffer.readUInt16LE(at + 10);
    const packedBytes = buffer.readUInt32LE(at + 20);
    const nameBytes = buffer.readUInt16LE(at + 28);
    const local = buffer.readUInt32LE(at + 42);
    if (local + 30 > buffer.length) throw new SpreadsheetError("unreadable");
    const from = local + 30 + buffer.readUInt16LE(local + 26) + buffer.readUInt16LE(local + 28);
    const packed = buffer.subarray(from, from + packedBytes);
    entries.push({
      name: buffer.toString("utf8", at + 46, at + 46 + nameBytes).replaceAll("\\", "/"),
      isEncrypted: (buffer.readUInt16LE(at + 8) & 1) === 1,
      content: (mostBytes) => {
        const content = method === 8 ? inflate(packed, mostBytes) : packed;
        if (content.length > mostBytes) throw new SpreadsheetError("too_large");
        return content;
      },
    });
    at += 46 + nameBytes + buffer.readUInt16LE(at + 30) + buffer.readUInt16LE(at + 32);
  }
  return entries;
}

/**
 * Unpacks the XML files of a zip archive, by name. All files together must not exceed `mostBytes`: a small file can unpack to
 * gigabytes, and the sizes it states may be wrong. Throws SpreadsheetError.
 */
export function unpackXml(bytes: Uint8Array, mostBytes: number): Map<string, Buffer> {
  const files = new Map<string, Buffer>();
  let left = mostBytes;
  for (const { name, content } of zipEntries(bytes)) {
    const unpacked = content(left);
    left -= unpacked.length;
    if (name.endsWith(".xml")) files.set(name, unpacked);
  }
  return files;
}

function inflate(packed: Buffer, limit: number): Buffer {
  try {
    return inflateRawSync(packed, { maxOutputLength: Math.max(1, limit) });
  } catch (error) {
    const isTooLong = (error as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE";
    throw new SpreadsheetError(isTooLong ? "too_large" : "unreadable", error);
  }
}
