/** A half-open range of slot indices. */
export interface SlotRange {
  from: number;
  to: number;
}

/**
 * The `count` cheapest slots of the range whatever their neighbours, ascending; of equal cost the earlier ones. As
 * every slot of a given cost is worth the same, this is the earliest of all cheapest sets.
 */
export function cheapestSlots(costs: Float64Array, range: SlotRange, count: number): number[] {
  const indices = Array.from({ length: range.to - range.from }, (_, offset) => range.from + offset);
  return indices
    .sort((a, b) => costs[a]! - costs[b]! || a - b)
    .slice(0, count)
    .sort((a, b) => a - b);
}
