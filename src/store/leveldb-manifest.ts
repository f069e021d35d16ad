/** The files of a LevelDB database according to its MANIFEST. */
export interface Version {
  /** The oldest log still in use; 0 in a database that was never used. */
  logNumber: number;
  /** Size in bytes of each table, by number. */
  tables: Map<number, number>;
}

/** Tags of the fields of a record (LevelDB, db/version_edit.cc). */
const TAG = {
  comparator: 1,
  logNumber: 2,
  nextFileNumber: 3,
  lastSequence: 4,
  compactPointer: 5,
  deletedFile: 6,
  newFile: 7,
  previousLogNumber: 9,
};

/** Applies the records of a MANIFEST. Throws RangeError for an invalid record. */
export function playManifest(records: readonly Buffer[]): Version {
  const version: Version = { logNumber: 0, tables: new Map() };
  for (const record of records) playRecord(new Fields(record), version);
  return version;
}

function playRecord(fields: Fields, version: Version): void {
  const deleted: number[] = [];
  const added: [number, number][] = [];
  while (!fields.isAtEnd) {
    const tag = fields.number();
    switch (tag) {
      case TAG.comparator:
        fields.skipText();
        break;
      case TAG.logNumber:
        version.logNumber = fields.number();
        break;
      case TAG.nextFileNumber:
      case TAG.lastSequence:
      case TAG.previousLogNumber:
        fields.number();
        break;
      case TAG.compactPointer:
        fields.number();
        fields.skipText();
        break;
      case TAG.deletedFile:
        fields.number();
        deleted.push(fields.number());
        break;
      case TAG.newFile: {
        fields.number();
        added.push([fields.number(), fields.number()]);
        fields.skipText();
        fields.skipText();
        break;
      }
      default:
        throw new RangeError(`Unknown field ${tag} in a MANIFEST.`);
    }
  }
  // A table moved to another level is deleted and added in one record.
  for (const table of deleted) version.tables.delete(table);
  for (const [table, bytes] of added) version.tables.set(table, bytes);
}

/** Reads the fields of a record in order. */
class Fields {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#bytes.length;
  }

  /** A varint. */
  number(): number {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = this.#bytes[this.#at++];
      if (byte === undefined) throw new RangeError("A record of a MANIFEST ends too early.");
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
    }
  }

  skipText(): void {
    const length = this.number();
    this.#at += length;
    if (this.#at > this.#bytes.length) throw new RangeError("A record of a MANIFEST ends too early.");
  }
}
