import type { RawSeries } from "./rows.js";

/** Blocks that go on where the first one ends are one file appended to another; at the same times they are other values. */
export function joinBlocks(all: readonly RawSeries[]): RawSeries[] {
  const kept: RawSeries[] = [];
  for (const series of all) {
    const first = kept.find(
      (one) =>
        one.block === 0 &&
        one.name === series.name &&
        one.meterPoint === series.meterPoint &&
        one.code === series.code &&
        one.communities?.join() === series.communities?.join(),
    );
    if (series.block <= 0 || first === undefined || isAtSameTimes(series, first)) kept.push(series);
    else {
      first.rows.push(...series.rows);
      first.dropped += series.dropped;
      first.unreadable += series.unreadable;
    }
  }
  return kept;
}

/** Whether most rows have a time that the other series has with another value. */
function isAtSameTimes(one: RawSeries, other: RawSeries): boolean {
  const values = new Map(other.rows.map(({ ms, value }) => [ms, value]));
  const differing = one.rows.filter(({ ms, value }) => values.has(ms) && values.get(ms) !== value);
  return differing.length > one.rows.length / 2;
}
