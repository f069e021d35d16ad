import { createHash } from "node:crypto";
import type { TariffCost } from "./compare-tariff.js";
import type { ComparedCase, ComparisonData } from "./site-comparison.js";

/** Costs that are kept; the oldest one gives way. */
const MOST_COSTS = 40;

/** Costs that were computed of a site, for the next question about the same past: the home as it is is part of each. */
export class KnownCosts {
  readonly #costs = new Map<string, TariffCost>();

  /** The cost of each case; `compute` is asked for those that are not known. */
  async of(
    data: ComparisonData,
    cases: readonly ComparedCase[],
    compute: (cases: readonly ComparedCase[]) => Promise<readonly TariffCost[]>,
  ): Promise<TariffCost[]> {
    const past = digestOf(data);
    const keys = cases.map(
      ({ tariff, change, rankedOnly }) => `${past} ${JSON.stringify([tariff, change, rankedOnly])}`,
    );
    const unknown = cases.filter((_, index) => !this.#costs.has(keys[index]!));
    const computed = unknown.length === 0 ? [] : await compute(unknown);
    const costs = cases.map((one, index) => {
      const position = unknown.indexOf(one);
      return position < 0 ? this.#costs.get(keys[index]!)! : computed[position]!;
    });
    costs.forEach((cost, index) => {
      this.#keep(keys[index]!, cost);
    });
    return costs;
  }

  #keep(key: string, cost: TariffCost): void {
    this.#costs.delete(key);
    this.#costs.set(key, cost);
    if (this.#costs.size > MOST_COSTS) this.#costs.delete(this.#costs.keys().next().value!);
  }
}

/** Identifies all that a cost depends on, besides its case. */
function digestOf({ prices, load, pv, vehicle, ...others }: ComparisonData): string {
  const hash = createHash("sha256");
  const series = [prices.eurPerMwh, load, pv ?? new Float64Array(0), vehicle];
  for (const values of series) hash.update(`${values.length} `).update(values);
  return hash.update(JSON.stringify([prices.startMs, pv === undefined, others])).digest("hex");
}
