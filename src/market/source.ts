import type { Validators } from "../net/fetch.js";
import type { Cancel } from "../time/clock.js";
import type { PricePoint } from "./price-series.js";

/** What the keeper wants to know. A source may answer more (a file gives all it has) or less (a hole is a hole). */
export interface PriceRequest {
  from: Date;
  to: Date;
  now: Date;
  /** What the source's last answer came with. */
  validators?: Validators | undefined;
  signal: AbortSignal;
}

export interface PriceAnswer {
  /** Prices in any order, without holes: an hour that has no price is left out. */
  points: PricePoint[];
  /** True when nothing changed since the answer that `validators` belong to; `points` is empty then. */
  notModified?: boolean;
  validators?: Validators;
  /** What could not be used although the rest could; sentences. */
  warnings?: string[];
}

/** Where published prices come from. Constructors only assign; nothing runs before `fetch` or `watch`. */
export interface PriceSource {
  /** For log and status, such as `awattar` or `file prices.csv`. */
  readonly name: string;
  /** True when it is read from this machine: fast, and worth waiting for at the start. */
  readonly local: boolean;
  /** Rejects with an Error whose message is a sentence; a FetchError may carry the server's Retry-After. */
  fetch(request: PriceRequest): Promise<PriceAnswer>;
  /** Calls `changed` when a fetch would give something new. */
  watch?(changed: () => void): Cancel;
}
