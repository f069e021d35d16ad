import type { DocumentArchive } from "./archive.js";
import type { SeriesDatabase } from "./series.js";

/** Small JSON documents, one key each. */
export class LevelDocumentArchive implements DocumentArchive {
  readonly #database: SeriesDatabase;

  constructor(database: SeriesDatabase) {
    this.#database = database;
  }

  /** The document last put under this name; undefined when there is none. Throws StoreError. */
  async get(name: string): Promise<unknown> {
    const bytes = await this.#database.get(`document/${name}`);
    return bytes === undefined ? undefined : JSON.parse(bytes.toString());
  }

  /** Replaces the document; flushed when it resolves. Throws TypeError for what is no JSON, StoreError. */
  async put(name: string, value: unknown): Promise<void> {
    const text: string | undefined = JSON.stringify(value);
    if (text === undefined) throw new TypeError(`The document "${name}" is not representable as JSON.`);
    await this.#database.write([{ type: "put", key: `document/${name}`, value: Buffer.from(text) }]);
  }
}
