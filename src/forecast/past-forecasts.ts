import { BlendWeights, blend } from "./blend.js";
import { LEADS } from "./features.js";
import { IntervalTracker, type IntervalWidths } from "./intervals.js";
import type { MarketDays } from "./market-days.js";

/** What was said at an origin, until all of it has come true. */
interface Told {
  /** By member: [lead - 1][hour]. */
  predictions: Float64Array[];
  blended: Float64Array;
  spread: number;
  reach: IntervalWidths | undefined;
}

/**
 * What a tier's members have forecast, held against what came: from that the weights of their blend are learnt, and how wrong
 * it is. Nothing of an origin is used before its day has come.
 */
export class PastForecasts {
  readonly #weights: BlendWeights[];
  readonly #intervals = new IntervalTracker();
  readonly #told = new Map<number, Told>();

  constructor(members: number) {
    this.#weights = Array.from({ length: LEADS }, () => new BlendWeights(members));
  }

  /**
   * Takes what the members say at an origin, [lead - 1][hour], NaN where one says nothing. `spread` of the origin's prices;
   * errors are counted in it. `leads`: how many the tier serves.
   */
  tell(
    origin: number,
    predictions: Float64Array[],
    { spread, leads }: { spread: number; leads: number },
  ): void {
    const weights = this.weights();
    this.#told.set(origin, {
      predictions,
      blended: blend(predictions, (index) => weights[Math.floor(index / 24)]!),
      spread,
      reach: this.reach(leads),
    });
  }

  /** Holds what was said of a day against what came. */
  mature(days: MarketDays, day: number): void {
    for (let lead = 1; lead <= LEADS; lead++) {
      const told = this.#told.get(day - lead);
      if (told === undefined || !days.known(day)) continue;
      const base = (lead - 1) * 24;
      const said = told.blended.subarray(base, base + 24);
      if (said.some((price) => Number.isNaN(price))) continue;
      const errors = told.predictions.map((prediction) => {
        let sum = 0;
        for (let hour = 0; hour < 24; hour++)
          sum += Math.abs(days.price(day, hour) - prediction[base + hour]!);
        return sum / 24;
      });
      this.#weights[lead - 1]!.matured(errors);
      const spreads = Array.from(said, (price, hour) => (days.price(day, hour) - price) / told.spread);
      this.#intervals.matured(lead, spreads, told.reach);
    }
    this.#told.delete(day - LEADS);
  }

  /** By lead: weights of the members, sum 1. */
  weights(): number[][] {
    return this.#weights.map((one) => one.weights());
  }

  /** Undefined until each of the first `leads` leads has enough outcomes. */
  reach(leads: number): IntervalWidths | undefined {
    return this.#intervals.reach(leads);
  }

  /** Outcomes held for a lead (1 to 7), at most 120. */
  outcomes(lead: number): number {
    return this.#intervals.origins(lead);
  }
}
