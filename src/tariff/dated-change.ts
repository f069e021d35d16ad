import { addDays } from "../core/time/zone.js";
import { isSame, ownPeriods } from "./apply-presets.js";
import { periodAt, type Tariff, type TariffPeriod } from "./tariff.js";

/**
 * A tariff with a change from a local date on. What holds before that date stays, and so does a period that begins later.
 * A period that begins on that date takes the change on. Without a tariff the change holds for all time.
 */
export function changedFrom(
  tariff: Tariff | null,
  date: string,
  change: (period: TariffPeriod) => TariffPeriod,
): readonly TariffPeriod[] {
  if (tariff === null) return [change({})];
  const periods = ownPeriods(tariff);
  const inForce = periodAt(periods, date);
  const changed = { ...change(structuredClone(inForce)), valid_from: date };
  const before = withoutGap(
    periods.filter(({ valid_from = "" }) => valid_from < date),
    date,
  );
  const after = periods.filter(({ valid_from = "" }) => valid_from > date);
  // Before its first date the first period holds too.
  const earlier = before.length > 0 ? before : [undated(inForce)];
  const isUnchanged = isSame(undated(changed), undated(earlier.at(-1)!));
  return [...earlier, ...(isUnchanged ? [] : [changed]), ...after];
}

function undated({ valid_from: _, ...period }: TariffPeriod): TariffPeriod {
  return period;
}

/** Amounts that were known until an earlier day went on until the change. */
function withoutGap(periods: readonly TariffPeriod[], date: string): TariffPeriod[] {
  const last = periods.at(-1);
  const dayBefore = addDays(date, -1);
  if (last?.known_until === undefined || last.known_until >= dayBefore) return [...periods];
  return [...periods.slice(0, -1), { ...last, known_until: dayBefore }];
}
