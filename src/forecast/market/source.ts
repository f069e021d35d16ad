import type { PricePoint } from "../../core/domain/price.js";
import type { Source, SourceAnswer, SourceRequest } from "../../core/net/source-runner.js";

/** A request for a range of prices. A source may return more (a file returns all its prices) or less. */
export interface PriceRequest extends SourceRequest {
  from: Date;
  to: Date;
  now: Date;
}

export interface PriceAnswer extends SourceAnswer {
  /** Prices in any order, without entries for gaps. Empty if nothing changed. */
  points: PricePoint[];
  /** True if some of the days cannot be a result of the auction and were left out: another source may have them. */
  isRefusedInPart?: boolean;
}

/** A source of published prices. */
export type PriceSource = Source<PriceRequest, PriceAnswer>;
