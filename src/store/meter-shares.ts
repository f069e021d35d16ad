import type { MeterQuantity, MeterSeries } from "../core/domain/meter.js";
import type { BlockQuarter } from "./meter-blocks.js";

/** Metered energy of a quarter-hour. */
export interface MeteredQuarter extends BlockQuarter {
  /** The communities whose shares it holds; empty: not named. */
  communities: readonly string[];
  /** The values of several imports that add up. */
  shares?: readonly Pick<MeteredQuarter, "kwh" | "communities">[];
}

const SHARES: readonly MeterQuantity[] = ["community", "delivered"];

/** Whether values of two imports are shares of different communities, so that they add up. */
export function isOtherShare(
  quantity: MeterQuantity,
  one: readonly string[],
  other: readonly string[],
): boolean {
  if (!SHARES.includes(quantity) || one.length === 0 || other.length === 0) return false;
  return !one.some((id) => other.includes(id));
}

/** What a series does to an earlier one of the same time. */
export function overlapOf(
  quantity: MeterQuantity,
  earlier: readonly string[] = [],
  { communities }: Pick<MeterSeries, "communities">,
): "overlaps" | "adds" | "replaces_share" {
  if (isOtherShare(quantity, earlier, communities)) return "adds";
  const areNamed = earlier.length > 0 && communities.length > 0;
  return SHARES.includes(quantity) && !areNamed ? "replaces_share" : "overlaps";
}

/** One value of the shares of a quarter-hour. */
export function sumOf(quarters: readonly MeteredQuarter[]): MeteredQuarter {
  const [first] = quarters;
  if (quarters.length === 1) return first!;
  return {
    ...first!,
    kwh: quarters.reduce((sum, { kwh }) => sum + kwh, 0),
    isEstimated: quarters.some(({ isEstimated }) => isEstimated),
    communities: quarters.flatMap(({ communities }) => communities),
    shares: quarters,
  };
}
