import type { RawRow, RawSeries } from "./rows.js";
import { round6 } from "./series.js";

/** Parts and total may differ by rounding, kWh. */
const ROUNDING_KWH = 0.0015;

/**
 * The series of a file with one series per quantity of a meter point: shares of several communities add up, a total that is repeated
 * for each of them is one value, and of the feed-in what a producer delivered to its community is taken off, so that it counts once.
 */
export function joinCommunities(raw: readonly RawSeries[]): RawSeries[] {
  const joined = new Map<string, RawSeries[]>();
  for (const series of raw) {
    const { meterPoint, code, direction, unit, block, name } = series;
    const key = [meterPoint, code, direction, unit, block, name].join("|");
    joined.set(key, [...(joined.get(key) ?? []), series]);
  }
  const series = [...joined.values()].map((group) => {
    const [first, ...others] = group;
    if (others.length === 0 || first === undefined) return group[0]!;
    const counts = {
      dropped: group.reduce((sum, { dropped }) => sum + dropped, 0),
      unreadable: group.reduce((sum, { unreadable }) => sum + unreadable, 0),
    };
    return {
      ...first,
      ...counts,
      rows: joinRows(
        group.map(({ rows }) => rows),
        first.direction === "community",
      ),
    };
  });
  return series.map((one) => withoutDelivered(one, series));
}

/** Rows that disagree with the sum of their parts in the same file: draw = residual draw + share. */
export function partsThatDiffer(raw: readonly RawSeries[]): number {
  let count = 0;
  for (const total of raw.filter(({ direction }) => direction === "import")) {
    const part = (direction: string) =>
      raw.find(
        (one) =>
          one.direction === direction &&
          !one.isDelivered &&
          one.meterPoint === total.meterPoint &&
          one.block === total.block &&
          one.rows.length === total.rows.length,
      );
    const [residual, share] = [part("residual"), part("community")];
    if (residual === undefined || share === undefined) continue;
    total.rows.forEach(({ value }, index) => {
      const [left, covered] = [residual.rows[index]!.value, share.rows[index]!.value];
      if (value === undefined || left === undefined || covered === undefined) return;
      if (Math.abs(value - left - covered) > ROUNDING_KWH) count++;
    });
  }
  return count;
}

/** Rows by time; equal times of the doubled hour in autumn by their occurrence. */
function keysOf(rows: readonly RawRow[]): string[] {
  const seen = new Map<number, number>();
  return rows.map(({ label: { ms } }) => {
    const nth = seen.get(ms) ?? 0;
    seen.set(ms, nth + 1);
    return `${ms}|${nth}`;
  });
}

function joinRows(all: readonly (readonly RawRow[])[], isShare: boolean): RawRow[] {
  const joined = new Map<string, RawRow>();
  for (const rows of all) {
    const keys = keysOf(rows);
    const firstMs = firstPublished(rows);
    for (const [index, row] of rows.entries()) {
      const key = keys[index]!;
      const known = joined.get(key);
      // A membership that begins later has no share before.
      const value = isShare && row.value === undefined && row.label.ms < firstMs ? 0 : row.value;
      if (known === undefined) joined.set(key, { ...row, value });
      else if (isShare) {
        const isKnown = known.value !== undefined && value !== undefined;
        joined.set(key, {
          label: row.label,
          value: isKnown ? round6(known.value! + value) : undefined,
          isEstimated: known.isEstimated || row.isEstimated,
        });
      } else if (known.value === undefined) joined.set(key, row);
    }
  }
  return [...joined.values()];
}

function firstPublished(rows: readonly RawRow[]): number {
  return rows.reduce((ms, { value, label }) => (value === undefined ? ms : Math.min(ms, label.ms)), Infinity);
}

/** The feed-in that is left after the delivery to the community; unknown while the delivery is not published. */
function withoutDelivered(series: RawSeries, all: readonly RawSeries[]): RawSeries {
  if (series.direction !== "export" || !series.isWhole) return series;
  const delivered = all.find(
    (one) =>
      one.isDelivered &&
      one.meterPoint === series.meterPoint &&
      one.block === series.block &&
      one.rows.length === series.rows.length,
  );
  if (delivered === undefined) return series;
  const firstMs = firstPublished(delivered.rows);
  const rows = series.rows.map((row, index): RawRow => {
    const taken = delivered.rows[index]!.value;
    if (row.value === undefined || (taken === undefined && row.label.ms < firstMs)) return row;
    return { ...row, value: taken === undefined ? undefined : Math.max(0, round6(row.value - taken)) };
  });
  return { ...series, rows };
}
