import type { StoreError } from "./errors.js";

/** One change of a batch. Keys are text without the character U+0000. */
export type SeriesOperation = { type: "put"; key: string; value: Buffer } | { type: "del"; key: string };

/** Called after each write; undefined if it succeeded. */
export type StoreHealth = (fault: StoreError | undefined) => void;

export interface StoreEvents {
  onHealth?: StoreHealth | undefined;
  /** Called once when another process has taken over the data; nothing can be written any more. */
  onLost?: ((fault: StoreError) => void) | undefined;
}

/** A range of keys, in the order of their UTF-8 bytes. */
export interface KeyRange {
  gte: string;
  lt: string;
  limit?: number;
  reverse?: boolean;
}

/** The database for time series and documents. All methods throw StoreError. */
export interface SeriesDatabase {
  get(key: string): Promise<Buffer | undefined>;
  /** Whether each of the keys exists, in their order. */
  hasMany(keys: string[]): Promise<boolean[]>;
  entries(range: KeyRange): Promise<[string, Buffer][]>;
  keys(range: KeyRange): Promise<string[]>;
  /**
   * Keys and values of a range in portions, for ranges too long for memory. Changes to keys that were not yet read may be
   * included.
   */
  portions(range: Pick<KeyRange, "gte" | "lt">, size: number): AsyncGenerator<[string, Buffer][]>;
  /** Applies all operations atomically; flushed to disk when it resolves. */
  write(operations: readonly SeriesOperation[]): Promise<void>;
  close(): Promise<void>;
}
