import type { PricePoint } from "../../../core/domain/price.js";
import { FetchError, fetchParsed } from "../../../core/net/fetch.js";
import { numberFromText } from "../../../core/number-text.js";
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
  const { freshUntil: _, ...answer } = await fetchParsed<PriceAnswer>(
    url,
    { signal, validators, timeoutMs },
    parse,
    { points: [] },
  );
  return answer;
}

/**
 * The rows of one answer, in any order: checks each one and makes price points of them. A row without a length gets it from the
 * spacing to its neighbours, see `lengthsOf`. Two prices for one interval are both points, for the gate to refuse them; with
 * `lastWins` the later row replaces the earlier one.
 */
export class PriceRows {
  readonly #lastWins: boolean;
  readonly #withoutLength = new Map<number, number>();
  readonly #hours = new Map<number, number>();
  readonly #quarters = new Map<number, number>();
  readonly #repeated: { startMs: number; minutes: 60 | 15 | undefined; eurPerMwh: number }[] = [];

  constructor({ lastWins = false } = {}) {
    this.#lastWins = lastWins;
  }

  /**
   * Adds a row: start in ms since the epoch, price in EUR/MWh (a number, or a text with one) or null for a gap. Returns why the row cannot be used;
   * undefined when it was added.
   */
  add(startMs: number, price: unknown, minutes?: 60 | 15): string | undefined {
    const number = typeof price === "string" ? numberFromText(price) : price;
    const eurPerMwh = typeof number === "number" ? number : Number.NaN;
    const problem = whyUnusable(startMs, price === null ? 0 : eurPerMwh);
    if (problem !== undefined) return problem;
    if (minutes !== undefined && price === null) return undefined;
    const rows = minutes === undefined ? this.#withoutLength : minutes === 60 ? this.#hours : this.#quarters;
    const isRepeated = !Number.isNaN(rows.get(startMs) ?? Number.NaN) && price !== null;
    if (this.#lastWins || !isRepeated) rows.set(startMs, eurPerMwh);
    else if (rows.get(startMs) !== eurPerMwh) this.#repeated.push({ startMs, minutes, eurPerMwh });
    return undefined;
  }

  /** Hours come before quarter-hours: where an answer has both, the finer price is applied last and wins. */
  points(): PricePoint[] {
    const spaced = pointsOf(this.#withoutLength);
    const lengths = new Map(
      this.#repeated.length === 0 ? [] : spaced.map(({ start, minutes }) => [start.getTime(), minutes]),
    );
    return [
      ...withLength(this.#hours, 60),
      ...withLength(this.#quarters, 15),
      ...spaced,
      ...this.#repeated.map(({ startMs, minutes, eurPerMwh }) => ({
        start: new Date(startMs),
        minutes: minutes ?? lengths.get(startMs) ?? 60,
        eurPerMwh,
      })),
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
