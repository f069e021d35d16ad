import type { PricePoint } from "../domain/price.js";
import type { Source, SourceAnswer, SourceRequest } from "../net/source-runner.js";

/** What the keeper wants to know. A source may answer more (a file gives all it has) or less (a hole is a hole). */
export interface PriceRequest extends SourceRequest {
  from: Date;
  to: Date;
  now: Date;
}

export interface PriceAnswer extends SourceAnswer {
  /** Prices in any order, without holes: an hour that has no price is left out. Empty when nothing changed. */
  points: PricePoint[];
}

/** Where published prices come from. */
export type PriceSource = Source<PriceRequest, PriceAnswer>;
