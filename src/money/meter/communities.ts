import type { RawRow, RawSeries } from "./rows.js";
import { round6 } from "./series.js";

/** Parts and total may differ by rounding, kWh. */
const ROUNDING_KWH = 0.0015;

/**
 * The series of a file with one series per quantity of a meter point: shares of several communities add up, a total that is repeated
 * for each of them is one value, and of the feed-in what a producer delivered to its community is taken off, so that it counts once.
 */
export function joinCommunities(raw: readonly RawSeries[]): RawSeries[] {
  const groups = new Map<string, RawSeries[]>();
  for (const series of raw) {
    const { meterPoint, code, direction, unit, block, name } = series;
    const key = [meterPoint, code, direction, unit, block, name].join("|");
    groups.set(key, [...(groups.get(key) ?? []), series]);
  }
  const joined = [...groups.values()].map(joinGroup);
  return joined
    .map((series) => ({ ...series, communities: communitiesOf(series, joined) }))
    .map((series) => withoutDelivered(series, joined));
}

/** The series of a file without those that only tell whether its totals are right. */
export function withoutChecks(raw: readonly RawSeries[]): RawSeries[] {
  return raw.filter(({ check }) => check === undefined);
}

/**
 * Rows that disagree with the sum of their parts in the same file: draw = residual draw + share, share = shares of the communities,
 * feed-in = rest + delivered.
 */
export function partsThatDiffer(raw: readonly RawSeries[]): number {
  return raw.reduce((count, total) => count + differences(total, partsOf(total, raw)), 0);
}

function rowsAt(series: RawSeries): ReadonlyMap<string, RawRow> {
  const keys = keysOf(series.rows);
  return new Map(series.rows.map((row, index) => [keys[index]!, row]));
}

function partsOf(total: RawSeries, raw: readonly RawSeries[]): RawSeries[] {
  const others = raw.filter((one) => one !== total && isSameMeter(one, total));
  if (total.check !== undefined) return [];
  if (total.direction === "community")
    return others.filter(({ check, isDelivered }) => check === "part" && isDelivered === total.isDelivered);
  // What was delivered is taken off already.
  if (total.direction === "export")
    return others.some(({ isDelivered }) => isDelivered)
      ? others.filter(({ check }) => check === "left")
      : [];
  if (total.direction !== "import") return [];
  const own = others.filter(({ check }) => check === undefined);
  const residual = own.find(({ direction }) => direction === "residual");
  const share = own.find(({ direction, isDelivered }) => direction === "community" && !isDelivered);
  return residual === undefined || share === undefined ? [] : [residual, share];
}

function differences(total: RawSeries, parts: readonly RawSeries[]): number {
  if (parts.length === 0) return 0;
  const keys = keysOf(total.rows);
  const all = parts.map(rowsAt);
  return total.rows.filter(({ value }, index) => {
    const values = all.map((rows) => rows.get(keys[index]!)?.value);
    if (value === undefined || values.includes(undefined)) return false;
    return Math.abs(value - sumOf(values)) > ROUNDING_KWH;
  }).length;
}

function sumOf(values: readonly (number | undefined)[]): number {
  return values.reduce<number>((sum, value) => sum + (value ?? 0), 0);
}

function isSameMeter(one: RawSeries, other: RawSeries): boolean {
  return one.meterPoint === other.meterPoint && one.block === other.block;
}

/** The communities that a share is of: as its rows name them, else those of the columns of its parts. */
function communitiesOf(series: RawSeries, all: readonly RawSeries[]): string[] {
  if (series.direction !== "community" || series.check !== undefined) return [...(series.communities ?? [])];
  const parts = partsOf(series, all).filter(({ rows }) => rows.some(({ value }) => value !== undefined));
  return [...new Set([series, ...parts].flatMap(({ communities = [] }) => communities))].sort();
}

/** Rows by time; equal times of the doubled hour in autumn by their occurrence. */
function keysOf(rows: readonly RawRow[]): string[] {
  const seen = new Map<number, number>();
  return rows.map(({ ms }) => {
    const nth = seen.get(ms) ?? 0;
    seen.set(ms, nth + 1);
    return `${ms}|${nth}`;
  });
}

function joinGroup(group: readonly RawSeries[]): RawSeries {
  const first = group[0]!;
  if (group.length === 1) return first;
  const rows = group.map((one) => one.rows);
  return {
    ...first,
    dropped: group.reduce((sum, { dropped }) => sum + dropped, 0),
    unreadable: group.reduce((sum, { unreadable }) => sum + unreadable, 0),
    communities: group.flatMap(({ communities = [] }) => communities),
    rows: first.direction === "community" ? addedRows(rows) : repeatedRows(rows),
  };
}

/** The rows of a total that is repeated: the first value of each time. */
function repeatedRows(all: readonly (readonly RawRow[])[]): RawRow[] {
  const rows = new Map<string, RawRow>();
  for (const own of all) {
    const keys = keysOf(own);
    for (const [index, row] of own.entries())
      if (rows.get(keys[index]!)?.value === undefined) rows.set(keys[index]!, row);
  }
  return [...rows.values()];
}

/** The sums of shares; unknown where one of them is missing within its membership. */
function addedRows(all: readonly (readonly RawRow[])[]): RawRow[] {
  const members = all.map((rows) => {
    const keys = keysOf(rows);
    const published = rows.filter(({ value }) => value !== undefined).map(({ ms }) => ms);
    return {
      rows: new Map(rows.map((row, index) => [keys[index]!, row])),
      firstMs: published.reduce((ms, one) => Math.min(ms, one), Number.POSITIVE_INFINITY),
      lastMs: published.reduce((ms, one) => Math.max(ms, one), Number.NEGATIVE_INFINITY),
    };
  });
  const keys = [...new Set(members.flatMap(({ rows }) => [...rows.keys()]))];
  return keys.map((key) => {
    const { ms, isUtc } = members.find(({ rows }) => rows.has(key))!.rows.get(key)!;
    const parts = members.map(({ rows, firstMs, lastMs }) => {
      const row = rows.get(key);
      if (row?.value !== undefined) return row;
      // Before its first share a membership has not begun; a time that has no row any more is after its end.
      const isOutside = ms < firstMs || (row === undefined && ms > lastMs);
      return { value: isOutside ? 0 : undefined, isEstimated: false };
    });
    const values = parts.map(({ value }) => value);
    return {
      ms,
      isUtc,
      value: values.includes(undefined) ? undefined : round6(sumOf(values)),
      isEstimated: parts.some(({ isEstimated }) => isEstimated),
    };
  });
}

/** The feed-in that is left after the delivery to the community; unknown while the delivery is not published. */
function withoutDelivered(series: RawSeries, all: readonly RawSeries[]): RawSeries {
  if (series.direction !== "export" || !series.isWhole) return series;
  const delivered = all.find((one) => one.isDelivered && one.check === undefined && isSameMeter(one, series));
  if (delivered === undefined) return series;
  const firstMs = delivered.rows.reduce(
    (first, { value, ms }) => (value === undefined ? first : Math.min(first, ms)),
    Number.POSITIVE_INFINITY,
  );
  const keys = keysOf(series.rows);
  const taken = rowsAt(delivered);
  const rows = series.rows.map((row, index): RawRow => {
    const value = taken.get(keys[index]!)?.value;
    if (row.value === undefined || (value === undefined && row.ms < firstMs)) return row;
    return { ...row, value: value === undefined ? undefined : Math.max(0, round6(row.value - value)) };
  });
  return { ...series, rows };
}
