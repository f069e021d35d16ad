import { QUARTER_MS } from "../core/domain/interval.js";
import type { MeteredSpan } from "../store/meter-import.js";
import type { MeteredQuarter } from "../store/meter-shares.js";

/** Shares are final on this day of the following month (UTC), with a day of reserve. */
const FINAL_DAY = 17;
/** Shares of a file that names no community. */
const UNNAMED = "";

/**
 * The communities that a site is a member of at a time, by the spans of the published shares: not before the first one of each, and
 * not after its last one where the draw is known for longer than until the final shares of that time were due. Otherwise shares
 * after the last one are not published yet.
 */
export function memberships(
  spans: readonly MeteredSpan[],
  lastKnownMs: number,
): (ms: number) => readonly string[] {
  const all = new Map<string, { firstMs: number; endMs: number }>();
  for (const { communities, firstMs, lastMs } of spans)
    for (const id of communities.length === 0 ? [UNNAMED] : communities) {
      const known = all.get(id);
      all.set(id, {
        firstMs: Math.min(firstMs, known?.firstMs ?? firstMs),
        endMs: Math.max(lastMs, known?.endMs ?? lastMs),
      });
    }
  const members = [...all].map(([id, { firstMs, endMs }]) => {
    const next = new Date(endMs + QUARTER_MS);
    const hasEnded = lastKnownMs >= Date.UTC(next.getUTCFullYear(), next.getUTCMonth() + 1, FINAL_DAY);
    return { id, firstMs, endMs: hasEnded ? endMs : Number.POSITIVE_INFINITY };
  });
  return (ms) => members.filter((one) => ms >= one.firstMs && ms <= one.endMs).map(({ id }) => id);
}

/** The shares of all communities of a quarter-hour, kWh; undefined while one of them is not published. */
export function sharesOf(
  quarter: MeteredQuarter | undefined,
  members: readonly string[],
): number | undefined {
  if (quarter === undefined) return members.length === 0 ? 0 : undefined;
  return isWhole(quarter, members) ? quarter.kwh : undefined;
}

/** Whether a value takes all communities into account; one that names none does. */
export function isWhole({ communities }: MeteredQuarter, members: readonly string[]): boolean {
  return communities.length === 0 || members.every((id) => id === UNNAMED || communities.includes(id));
}
