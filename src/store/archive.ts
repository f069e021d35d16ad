import type { PricePoint } from "../core/domain/price.js";
import { errorMessage } from "../core/error-message.js";
import type { Log } from "../core/log.js";
import type { SeriesDatabase } from "./series.js";

/** Storage of all published prices. A save is flushed to disk when it resolves; it never removes a price. */
export interface PriceArchive {
  load(): Promise<PricePoint[]>;
  save(points: readonly PricePoint[]): Promise<void>;
}

/** Small JSON documents by name; `put` of null removes one (last forecast run, last plan of a site, last answer of a source). */
export interface DocumentArchive {
  get(name: string): Promise<unknown>;
  put(name: string, value: unknown): Promise<void>;
}

/** What `read` makes of a stored document; one that cannot be read counts as not stored, which the log says with what follows. */
export async function restored<Value>(
  documents: Pick<DocumentArchive, "get">,
  name: string,
  read: (stored: unknown) => Value,
  { log, site, warning }: { log: Pick<Log, "warn">; site?: string; warning: string },
): Promise<Value> {
  try {
    return read(await documents.get(name));
  } catch (error) {
    log.warn({ site, reason: errorMessage(error) }, warning);
    return read(undefined);
  }
}

/** Small JSON documents by name, one database key each. */
export class SeriesDocumentArchive implements DocumentArchive {
  readonly #database: Pick<SeriesDatabase, "get" | "write">;
  readonly #log: Pick<Log, "warn">;

  constructor(database: Pick<SeriesDatabase, "get" | "write">, log: Pick<Log, "warn">) {
    this.#database = database;
    this.#log = log;
  }

  /** The document with this name; undefined if there is none, or none that can be read. Throws StoreError. */
  async get(name: string): Promise<unknown> {
    const bytes = await this.#database.get(`document/${name}`);
    if (bytes === undefined) return undefined;
    try {
      return JSON.parse(bytes.toString());
    } catch {
      this.#log.warn(
        { document: name, bytes: bytes.length },
        "A stored document is damaged and is not used.",
      );
      return undefined;
    }
  }

  /** Replaces the document, or removes it (null); flushed when it resolves. Throws TypeError for a value that is not JSON, StoreError. */
  async put(name: string, value: unknown): Promise<void> {
    const key = `document/${name}`;
    if (value === null) return this.#database.write([{ type: "del", key }]);
    const text: string | undefined = JSON.stringify(value);
    if (text === undefined) throw new TypeError(`The document "${name}" is not representable as JSON.`);
    await this.#database.write([{ type: "put", key, value: Buffer.from(text) }]);
  }
}
