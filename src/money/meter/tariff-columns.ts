import type { RawRow, RawSeries } from "./rows.js";

/** High and low tariff, in names of columns or in codes. */
const TARIFF = /\b(ht|nt)\b|(hoch|nieder|tag|nacht)tarif|\b[12]\.(8|29)\.[12]\b/i;

/** The energy of both tariffs of a meter as one series; where the file has their total, that one. */
export function joinTariffs(raw: readonly RawSeries[]): RawSeries[] {
  const joined: RawSeries[] = [];
  for (const series of raw) {
    if (!isTariff(series)) joined.push(series);
    else if (!raw.some((other) => !isTariff(other) && isSameQuantity(other, series))) {
      const first = joined.find((other) => isTariff(other) && isSameQuantity(other, series));
      if (first === undefined) joined.push(series);
      else joined[joined.indexOf(first)] = sumOf(first, series);
    }
  }
  return joined;
}

function isTariff({ name, code = "" }: RawSeries): boolean {
  return TARIFF.test(name) || TARIFF.test(code);
}

function isSameQuantity(one: RawSeries, other: RawSeries): boolean {
  return (["meterPoint", "direction", "unit", "block"] as const).every((key) => one[key] === other[key]);
}

/** Row by row; an empty cell beside a value means that the other tariff was in force. */
function sumOf(one: RawSeries, other: RawSeries): RawSeries {
  const added = new Map<string, RawRow>();
  const seen = new Map<string, number>();
  const keyOf = (series: number, { ms }: RawRow) => {
    const nth = seen.get(`${series}|${ms}`) ?? 0;
    seen.set(`${series}|${ms}`, nth + 1);
    return `${ms}|${nth}`;
  };
  for (const [index, { rows }] of [one, other].entries())
    for (const row of rows) {
      const key = keyOf(index, row);
      const known = added.get(key);
      const values = [known?.value, row.value].filter((value) => value !== undefined);
      added.set(key, {
        ms: row.ms,
        isUtc: row.isUtc,
        value: values.length === 0 ? undefined : values.reduce((sum, value) => sum + value, 0),
        isEstimated: (known?.isEstimated ?? false) || row.isEstimated,
      });
    }
  return {
    ...one,
    rows: [...added.values()],
    dropped: one.dropped + other.dropped,
    unreadable: one.unreadable + other.unreadable,
  };
}
