import { BlendWeights, blend } from "./blend.js";
import { LEADS } from "./features.js";
import { IntervalTracker, type IntervalWidths } from "./intervals.js";
import type { MarketDays } from "./market-days.js";

/** The forecasts of an origin, kept until all outcomes are known. */
interface OriginForecasts {
  /** By member: [lead - 1][hour]. */
  predictions: Float64Array[];
  blended: Float64Array;
  spread: number;
  widths: IntervalWidths | undefined;
}

/**
 * Compares the past forecasts of a tier's members with the outcomes, to determine the weights of their blend and its error
 * intervals. A forecast is used only after its day.
 */
export class PastForecasts {
  readonly #weights: BlendWeights[];
  readonly #intervals = new IntervalTracker();
  readonly #byOrigin = new Map<number, OriginForecasts>();

  constructor(members: number) {
    this.#weights = Array.from({ length: LEADS }, () => new BlendWeights(members));
  }

  /**
   * Adds the forecasts of all members at an origin, [lead - 1][hour], NaN where a member has none. `spread`: that of the
   * origin's prices, the unit of the errors. `leads`: number of leads of the tier.
   */
  add(
    origin: number,
    predictions: Float64Array[],
    { spread, leads }: { spread: number; leads: number },
  ): void {
    const weights = this.weights();
    this.#byOrigin.set(origin, {
      predictions,
      blended: blend(predictions, (index) => weights[Math.floor(index / 24)]!),
      spread,
      widths: this.reach(leads),
    });
  }

  /** Evaluates the forecasts for a day whose prices have become known. */
  mature(days: MarketDays, day: number): void {
    for (let lead = 1; lead <= LEADS; lead++) {
      const forecasts = this.#byOrigin.get(day - lead);
      if (forecasts === undefined || !days.known(day)) continue;
      const base = (lead - 1) * 24;
      const prices = forecasts.blended.subarray(base, base + 24);
      if (prices.some((price) => Number.isNaN(price))) continue;
      const errors = forecasts.predictions.map((prediction) => {
        let sum = 0;
        for (let hour = 0; hour < 24; hour++)
          sum += Math.abs(days.price(day, hour) - prediction[base + hour]!);
        return sum / 24;
      });
      this.#weights[lead - 1]!.matured(errors);
      const spreads = Array.from(prices, (price, hour) => (days.price(day, hour) - price) / forecasts.spread);
      this.#intervals.matured(lead, spreads, forecasts.widths);
    }
    this.#byOrigin.delete(day - LEADS);
  }

  /** Weights of the members by lead, with sum 1. */
  weights(): number[][] {
    return this.#weights.map((one) => one.weights());
  }

  /** Undefined until each of the first `leads` leads has enough outcomes. */
  reach(leads: number): IntervalWidths | undefined {
    return this.#intervals.reach(leads);
  }

  /** Number of outcomes for a lead (1 to 7), at most 120. */
  outcomes(lead: number): number {
    return this.#intervals.origins(lead);
  }
}
