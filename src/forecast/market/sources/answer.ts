import { HOUR_MS } from "../../../core/domain/interval.js";
import type { PricePoint } from "../../../core/domain/price.js";
import { FetchError, fetchText, parseJson, type Validators } from "../../../core/net/fetch.js";
import { pointsOf, whyUnusable } from "../points.js";
import type { PriceAnswer, PriceRequest } from "../source.js";

/** Most warnings of one answer that are reported. */
const MAX_WARNINGS = 3;

export interface PriceHttpOptions {
  /** Another address: a mirror, or a recorded answer. */
  url?: string | undefined;
  timeoutMs?: number | undefined;
}

/** Result of a parser. */
export interface ParsedPrices {
  points: PricePoint[];
  warnings: string[];
}

/** Requests JSON, conditionally if validators are known, and has `parse` read it. Rejects with FetchError. */
export async function requestPrices(
  url: URL,
  { signal, validators }: PriceRequest,
  timeoutMs: number | undefined,
  parse: (body: unknown, host: string) => ParsedPrices,
): Promise<PriceAnswer> {
  const answer = await fetchText(url, {
    signal,
    validators,
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  });
  const validity: { validators?: Validators } =
    answer.validators === undefined ? {} : { validators: answer.validators };
  if (answer.notModified) return { points: [], notModified: true, ...validity };
  return { ...parse(parseJson(answer.body, url.host), url.host), ...validity };
}

/**
 * The rows of one answer, in any order: checks each one, keeps the last of several for the same start and length, and
 * makes price points of them. A row without a length gets it from the spacing to its neighbours, see `lengthsOf`.
 */
export class PriceRows {
  readonly #withoutLength = new Map<number, number>();
  readonly #hours = new Map<number, number>();
  readonly #quarters = new Map<number, number>();

  /**
   * Adds a row: start in ms since the epoch, price in EUR/MWh or null for a gap. Returns why the row cannot be used;
   * undefined when it was added.
   */
  add(startMs: number, price: unknown, minutes?: 60 | 15): string | undefined {
    const eurPerMwh = typeof price === "number" ? price : Number.NaN;
    const problem = whyUnusable(startMs, price === null ? 0 : eurPerMwh);
    if (problem !== undefined) return problem;
    if (minutes === 60 && startMs % HOUR_MS !== 0) return "an hourly price must start on a full hour";
    if (minutes === undefined) this.#withoutLength.set(startMs, eurPerMwh);
    else if (price !== null) (minutes === 60 ? this.#hours : this.#quarters).set(startMs, eurPerMwh);
    return undefined;
  }

  /** Hours come before quarter-hours: where an answer has both, the finer price is applied last and wins. */
  points(): PricePoint[] {
    return [
      ...withLength(this.#hours, 60),
      ...withLength(this.#quarters, 15),
      ...pointsOf(this.#withoutLength),
    ];
  }
}

function withLength(prices: ReadonlyMap<number, number>, minutes: 60 | 15): PricePoint[] {
  return [...prices]
    .sort(([a], [b]) => a - b)
    .map(([startMs, eurPerMwh]) => ({ start: new Date(startMs), minutes, eurPerMwh }));
}

/** The warning for an item of a list that is not used. */
export function itemWarning(index: number, from: string, problem: string): string {
  return `Item ${index} of the answer of ${from} is ignored: ${problem}.`;
}

/** The result of a parser, with the first few warnings. Throws FetchError when warnings are all there is. */
export function parsedPrices(points: PricePoint[], warnings: readonly string[], from: string): ParsedPrices {
  if (points.length === 0 && warnings.length > 0)
    throw new FetchError(`${from} answered without a usable price. ${warnings[0]}`);
  return { points, warnings: warnings.slice(0, MAX_WARNINGS) };
}
