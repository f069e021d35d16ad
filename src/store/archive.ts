import type { PricePoint } from "../domain/price.js";

/** What services keep on disk, as they see it; the embedded database behind it is the store's own affair. */

/** Every published price ever held. A save is flushed to disk before it resolves; it never removes a price. */
export interface PriceArchive {
  load(): Promise<PricePoint[]>;
  save(points: readonly PricePoint[]): Promise<void>;
}

/** Small JSON documents by name (last forecast run, last plan of a site, last answer of a source). */
export interface DocumentArchive {
  get(name: string): Promise<unknown>;
  put(name: string, value: unknown): Promise<void>;
}
