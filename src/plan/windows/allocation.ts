import type { Interval } from "../../core/domain/interval.js";
import { localDate } from "../../core/time/zone.js";

/** A half-open range of slot indices. */
export interface SlotRange {
  from: number;
  to: number;
}

/** The slots of each local day, in order of time; a slot belongs to the day in which it starts. */
export function localDays(
  slots: readonly Interval[],
  timezone: string,
  dateOf = (start: Date) => localDate(start, timezone),
): SlotRange[] {
  const days: SlotRange[] = [];
  let current: string | undefined;
  for (const [index, { start }] of slots.entries()) {
    const date = dateOf(start);
    if (date !== current) days.push({ from: index, to: index });
    current = date;
    days.at(-1)!.to = index + 1;
  }
  return days;
}

/**
 * Splits `demand` (slots) over days of the given capacities (slots) as evenly as possible. A remainder goes to the
 * earlier days; what exceeds the capacity of a day is split in the same way over the other days.
 */
export function evenShares(capacities: readonly number[], demand: number): number[] {
  const shares = capacities.map(() => 0);
  let rest = demand;
  for (;;) {
    const open = capacities.flatMap((capacity, day) => (shares[day]! < capacity ? [day] : []));
    if (rest === 0 || open.length === 0) return shares;
    const each = Math.max(1, Math.floor(rest / open.length));
    for (const day of open) {
      const take = Math.min(each, capacities[day]! - shares[day]!, rest);
      shares[day]! += take;
      rest -= take;
    }
  }
}

/**
 * Assigns whole segments (`lengths`, in slots) to days, the longest first, each to the day with the fewest slots so
 * far for which `fits` is true; of equal days to the earlier. Returns the indices of the segments of each day, or
 * undefined if a segment fits into no day.
 */
export function dealSegments(
  lengths: readonly number[],
  dayCount: number,
  fits: (day: number, lengths: readonly number[]) => boolean,
): number[][] | undefined {
  const dealt: number[][] = Array.from({ length: dayCount }, () => []);
  const loads = dealt.map(() => 0);
  const longestFirst = lengths
    .map((_, segment) => segment)
    .sort((a, b) => lengths[b]! - lengths[a]! || a - b);
  for (const segment of longestFirst) {
    const day = loads
      .map((_, index) => index)
      .sort((a, b) => loads[a]! - loads[b]! || a - b)
      .find((index) =>
        fits(
          index,
          [...dealt[index]!, segment].map((each) => lengths[each]!),
        ),
      );
    if (day === undefined) return undefined;
    dealt[day]!.push(segment);
    loads[day]! += lengths[segment]!;
  }
  return dealt.map((segments) => segments.sort((a, b) => a - b));
}

/** The `count` cheapest slots of the range, ascending; of equal cost the earlier ones. */
export function cheapestSlots(costs: Float64Array, range: SlotRange, count: number): number[] {
  const indices = Array.from({ length: range.to - range.from }, (_, offset) => range.from + offset);
  return indices
    .sort((a, b) => costs[a]! - costs[b]! || a - b)
    .slice(0, count)
    .sort((a, b) => a - b);
}
