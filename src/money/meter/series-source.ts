import { type EnergyStep, MINUTE_MS, QUARTER_MS } from "../../core/domain/interval.js";
import type { MeterQuantity, MeterSeries } from "../../core/domain/meter.js";
import { type MeteredSource, meteredEnergy } from "../../telemetry/metered-energy.js";
import { usualQuantity } from "./choose.js";

/** The draw from the grid that the series of a file show, shares of communities included; empty where they show none. */
export async function drawOf(all: readonly MeterSeries[]): Promise<EnergyStep[]> {
  const starts = all.flatMap((one) => [one.starts[0]!, one.starts.at(-1)! + one.stepMinutes * MINUTE_MS]);
  const stretch = { start: new Date(Math.min(...starts)), end: new Date(Math.max(...starts)) };
  return all.length === 0 ? [] : (await meteredEnergy(sourceOf(all), "", stretch)).gridImport;
}

/** The first series of each quantity, as an import would hold them. */
function sourceOf(all: readonly MeterSeries[]): MeteredSource {
  const of = (quantity: MeterQuantity) => all.find((one) => usualQuantity(one) === quantity);
  return {
    quantities: () => [...new Set(all.map(usualQuantity))],
    spans: (_, quantity) => {
      const one = of(quantity);
      if (one === undefined) return [];
      const { communities, starts, stepMinutes } = one;
      const lastMs = starts.at(-1)! + stepMinutes * MINUTE_MS - QUARTER_MS;
      return [{ communities, firstMs: starts[0]!, lastMs }];
    },
    energy: async (_, quantity) => {
      const one = of(quantity);
      if (one === undefined) return [];
      const parts = one.stepMinutes / 15;
      return [...one.starts].flatMap((startMs, index) =>
        Array.from({ length: parts }, (__, part) => ({
          start: new Date(startMs + part * QUARTER_MS),
          end: new Date(startMs + (part + 1) * QUARTER_MS),
          kwh: one.values[index]! / parts,
          isEstimated: one.estimates[index] === 1,
          communities: one.communities,
        })),
      );
    },
  };
}
