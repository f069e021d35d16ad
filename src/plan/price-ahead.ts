import { DAY_MS } from "../core/domain/interval.js";
import type { StepReason } from "./explain.js";
import type { StepPrice } from "./site-input.js";

/** Whether a later price is what the reason is about: dearer for energy that is stored or kept, cheaper for energy that is used. */
const DIRECTION: Partial<Record<StepReason["code"], 1 | -1>> = {
  cheap_import: 1,
  pv_surplus: 1,
  kept_for_later: 1,
  dear_import: -1,
};

/** Difference that a text with one decimal shows, ct. */
const LEAST_SHOWN_CT = 0.1;

/**
 * The figures of a reason with the import price of the next 24 hours that an owner would compare with: the highest one of a step
 * that needs energy, or the lowest one, where it lies on the side that explains the action.
 */
export function withPriceAhead(
  reason: StepReason,
  t: number,
  { prices, needsEnergy }: { prices: readonly StepPrice[]; needsEnergy: (t: number) => boolean },
): StepReason {
  const direction = DIRECTION[reason.code];
  // Where the worth of the energy does not explain the action, no price does.
  if (direction === undefined || reason.figures.valueCtKwh === undefined) return reason;
  const endMs = prices[t]!.start.getTime() + DAY_MS;
  let best: StepPrice | undefined;
  for (let later = t + 1; later < prices.length && prices[later]!.start.getTime() < endMs; later++) {
    const price = prices[later]!;
    if (direction === 1 && !needsEnergy(later)) continue;
    if (best === undefined || (price.importCtKwh - best.importCtKwh) * direction > 1e-9) best = price;
  }
  if (best === undefined) return reason;
  const { exportCtKwh, storedCtKwh, importCtKwh = 0 } = reason.figures;
  const compared = reason.code === "pv_surplus" ? exportCtKwh! : (storedCtKwh ?? importCtKwh);
  if ((best.importCtKwh - compared) * direction < LEAST_SHOWN_CT) return reason;
  const isExpected = best.source !== "day_ahead";
  return {
    ...reason,
    figures: {
      ...reason.figures,
      laterCtKwh: best.importCtKwh,
      laterAtMs: best.start.getTime(),
      ...(isExpected && { laterIsExpected: 1 }),
    },
  };
}
