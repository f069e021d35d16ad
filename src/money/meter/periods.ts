import { MINUTE_MS } from "../../core/domain/interval.js";
import type { MeterSeries, MeterWarning } from "../../core/domain/meter.js";
import { usualQuantity } from "./choose.js";
import { gapWarnings } from "./gaps.js";
import { round6 } from "./series.js";

/** A larger share of other values at the same times is of another meter. */
const MOST_CONFLICTING = 0.2;
const OF_GAPS = new Set<MeterWarning["code"]>(["gaps", "long_gap"]);

/**
 * Series of several files: those of the same meter, quantity and communities are one, the first value of each time. Undefined where
 * their values at the same times differ, so that they are of several meters.
 */
export function joinPeriods(all: readonly MeterSeries[]): MeterSeries[] | undefined {
  const groups = new Map<string, MeterSeries[]>();
  for (const one of all) {
    const key = [usualQuantity(one), one.meterPoint, one.communities.join()].join("|");
    groups.set(key, [...(groups.get(key) ?? []), one]);
  }
  const joined: MeterSeries[] = [];
  for (const group of groups.values()) {
    const one = group.length === 1 ? group[0]! : joinGroup(group);
    if (one === undefined) return undefined;
    joined.push(one);
  }
  return joined;
}

function joinGroup(group: readonly MeterSeries[]): MeterSeries | undefined {
  const stepMinutes = Math.min(...group.map((one) => one.stepMinutes));
  const known = new Map<number, { kwh: number; isEstimated: number }>();
  let [doubled, conflicting] = [0, 0];
  for (const one of group) {
    const parts = one.stepMinutes / stepMinutes;
    for (const [index, startMs] of one.starts.entries())
      for (let part = 0; part < parts; part++) {
        const at = startMs + part * stepMinutes * MINUTE_MS;
        const kwh = one.values[index]! / parts;
        const first = known.get(at);
        if (first === undefined) known.set(at, { kwh, isEstimated: one.estimates[index]! });
        else {
          doubled++;
          if (first.kwh !== kwh) conflicting++;
        }
      }
  }
  const shortest = Math.min(...group.map(({ starts }) => starts.length));
  if (conflicting > MOST_CONFLICTING * shortest) return undefined;
  const starts = Float64Array.from(known.keys()).sort();
  const values = starts.map((at) => known.get(at)!.kwh);
  const sumOf = (count: "missing" | "doubled" | "dropped") => group.reduce((sum, one) => sum + one[count], 0);
  const estimates = Uint8Array.from(starts, (at) => known.get(at)!.isEstimated);
  return {
    ...group[0]!,
    stepMinutes,
    intervals: starts.length,
    kwh: round6(values.reduce((sum, kwh) => sum + kwh, 0)),
    missing: sumOf("missing"),
    estimated: estimates.reduce((sum, one) => sum + one, 0),
    doubled: sumOf("doubled") + doubled,
    dropped: sumOf("dropped"),
    warnings: warningsOf(group, gapWarnings(starts, stepMinutes), conflicting),
    starts,
    values,
    estimates,
  };
}

function warningsOf(
  group: readonly MeterSeries[],
  gaps: readonly MeterWarning[],
  conflicting: number,
): MeterWarning[] {
  const own = group.flatMap(({ warnings }) => warnings.filter(({ code }) => !OF_GAPS.has(code)));
  const distinct = new Map(own.map((warning) => [JSON.stringify(warning), warning]));
  const conflicts = conflicting > 0 ? [{ code: "conflicting", count: conflicting } as const] : [];
  return [...gaps, ...distinct.values(), ...conflicts];
}
