import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../core/domain/interval.js";
import type { LabelKind, MeterSeries, MeterWarning } from "../../core/domain/meter.js";
import { type Label, toInstants } from "../../core/time/time-labels.js";
import { offsetMinutes, VIENNA } from "../../core/time/zone.js";
import { areReadings, differencesOf } from "./counter-readings.js";
import { USABLE_STEPS } from "./finer-steps.js";
import { type MeterFormat, operatorOf } from "./formats.js";
import { gapWarnings } from "./gaps.js";
import { keepRows } from "./kept-rows.js";
import { regularRows } from "./regular-rows.js";
import type { RawSeries } from "./rows.js";
import { foldText } from "./text.js";

const DAY_STEP_MINUTES = 22 * 60;
/** kWh per unit; power is the mean of the interval. */
const UNIT_KWH: Readonly<Record<string, number>> = { kWh: 1, Wh: 0.001, MWh: 1000 };
const UNIT_KW: Readonly<Record<string, number>> = { kW: 1, W: 0.001 };

/** No home draws so much, kW; single values above it are glitches, more of them have another unit. */
const HOME_KW = 650;
const MOST_GLITCHES = 0.02;

/** A larger share of rows with another value for the same time is of another meter or direction. */
const MOST_CONFLICTING = 0.2;

/** Formats that do not tell whether energy is that of intervals. */
const UNCERTAIN_FORMATS = new Set(["other", "columns"]);
/** Values that never fall are counter readings when they are more than homes take for long: 16 kW. */
const COUNTED_KWH_MINUTE = 16 / 60;

/** Why rows are no series of quarter-hours or hours. */
export type SeriesFault =
  | { code: "day_values" }
  | { code: "wrong_step"; minutes: number }
  | { code: "wrong_unit"; unit: string }
  | { code: "label_unknown" }
  | { code: "several_values" }
  | { code: "wrong_magnitude"; kwh: number }
  | { code: "no_values" };

/** Completes the rows of a series: instants, step, energy, duplicates and counts; or the reason why that is not possible. */
export function completeSeries(
  raw: RawSeries,
  format: Omit<MeterFormat, "label"> & { label?: LabelKind },
  file: string,
): MeterSeries | SeriesFault {
  const labelled = withLateMidnights(raw.rows);
  if (labelled.every(({ value }) => value === undefined))
    return { code: raw.dropped > 0 && labelled.length === 0 ? "day_values" : "no_values" };
  const { ms: instants, skipped: isSkipped, singleHours } = toInstants(labelled);
  // Some exports have the last second of the interval, or are a few seconds late.
  const minutes = instants.map((at) => Math.round(at / MINUTE_MS) * MINUTE_MS);
  const stated = { rows: labelled, ms: minutes, skipped: isSkipped };
  const statedMinutes = usualStep(minutes);
  const isCounter =
    raw.isCounter === true ||
    (UNCERTAIN_FORMATS.has(format.id) &&
      raw.unit in UNIT_KWH &&
      areReadings(stated, statedMinutes * (COUNTED_KWH_MINUTE / UNIT_KWH[raw.unit]!)));
  const read = isCounter ? differencesOf(stated, statedMinutes) : { ...stated, stepMinutes: statedMinutes };
  if (read.stepMinutes >= DAY_STEP_MINUTES) return { code: "day_values" };
  const proven = labelKindOf(labelled, read.stepMinutes);
  const usual = format.hasCommonNames ? (proven ?? format.label) : format.label;
  const label = isCounter ? "start" : (usual ?? raw.label ?? proven);
  const isPower = raw.unit in UNIT_KW;
  const regular = regularRows(read, { isEnd: label === "end", isPower });
  if (regular === undefined) return { code: "wrong_step", minutes: read.stepMinutes };
  if (label === undefined) return { code: "label_unknown" };
  const { rows, ms, skipped, stepMinutes } = regular;
  const factor = UNIT_KWH[raw.unit] ?? (UNIT_KW[raw.unit] ?? Number.NaN) * (stepMinutes / 60);
  if (Number.isNaN(factor)) return { code: "wrong_unit", unit: raw.unit };

  const startOf = (index: number) => ms[index]! - (regular.isEnd ? stepMinutes * MINUTE_MS : 0);
  const { kept, count } = keepRows(rows, skipped, startOf);
  if (kept.indexes.length === 0) return { code: "no_values" };
  if (count.conflicting > MOST_CONFLICTING * rows.length) return { code: "several_values" };

  const homeKwh = HOME_KW * (stepMinutes / 60);
  let [glitches, mostKwh] = [0, 0];
  for (const index of kept.indexes) {
    const kwh = rows[index]!.value! * factor;
    if (kwh <= homeKwh) continue;
    glitches++;
    mostKwh = Math.max(mostKwh, kwh);
  }
  if (glitches > Math.max(5, MOST_GLITCHES * kept.indexes.length))
    return { code: "wrong_magnitude", kwh: round6(mostKwh) };

  const merged = new Map<number, string>();
  if (format.mergesAutumn && rows === labelled) {
    const lastMs = kept.starts.at(-1)!;
    // A file that ends within the hour does not show whether there is a second one.
    for (const [date, indexes] of singleHours)
      for (const startMs of indexes.map(startOf))
        if (lastMs >= startMs + 2 * HOUR_MS && kept.at(startMs) >= 0 && kept.at(startMs + HOUR_MS) < 0)
          merged.set(startMs, date);
  }
  const starts = new Float64Array(kept.starts.length + merged.size);
  starts.set(kept.starts);
  starts.set(
    Float64Array.from(merged.keys(), (startMs) => startMs + HOUR_MS),
    kept.starts.length,
  );
  starts.sort();
  const values = new Float64Array(starts.length);
  const estimates = new Uint8Array(starts.length);
  let kwh = 0;
  let estimated = 0;
  let next = 0;
  for (const [at, startMs] of starts.entries()) {
    const isSecond = kept.starts[next] !== startMs;
    const { value, isEstimated } = rows[kept.indexes[isSecond ? kept.at(startMs - HOUR_MS) : next++]!]!;
    const energy = round6(value! * factor);
    if (!isSecond) {
      kwh += energy;
      if (isEstimated) estimated++;
    }
    values[at] = isSecond || merged.has(startMs) ? energy / 2 : energy;
    estimates[at] = isEstimated ? 1 : 0;
  }
  const warnings: MeterWarning[] = [...gapWarnings(starts, stepMinutes), ...regular.warnings];
  const warn = (code: "conflicting" | "negative" | "unreadable" | "off_grid", n: number) =>
    n > 0 && warnings.push({ code, count: n });
  warn("conflicting", count.conflicting);
  warn("negative", count.negative);
  warn("unreadable", raw.unreadable);
  warn("off_grid", count.offGrid);
  for (const date of new Set(merged.values())) warnings.push({ code: "merged_hour", date });
  const isProven = raw.label !== undefined || (format.hasCommonNames && proven !== undefined);
  if (isCounter) warnings.push({ code: "counter" });
  else if ((format.labelIsAssumed || format.label === undefined) && !isProven)
    warnings.push({ code: "label_assumed", label });
  if (format.unitIsAssumed) warnings.push({ code: "unit_assumed" });
  const direction = raw.direction ?? fileDirection(file) ?? "import";
  if (raw.isSigned && direction === "export") warnings.push({ code: "signed" });
  if (raw.direction === undefined || format.directionIsAssumed)
    warnings.push({ code: "direction_assumed", direction });
  return {
    file,
    operator: operatorOf(format, raw.meterPoint),
    format: format.id,
    meterPoint: raw.meterPoint,
    direction,
    isDelivered: raw.isDelivered,
    communities: raw.communities ?? [],
    unit: raw.unit,
    label,
    stepMinutes,
    intervals: kept.starts.length,
    kwh: round6(kwh),
    missing: count.missing,
    estimated,
    doubled: count.doubled,
    dropped: raw.dropped + count.negative + count.offGrid,
    warnings,
    starts,
    values,
    estimates,
  };
}

/** Words for feed-in in the name of a file; "export" is none, as most files are exports. */
const FEED_IN_FILE = /einspeis|rueckspeis|rueckliefer|ueberschuss|feed-?in/;

function fileDirection(file: string): "export" | undefined {
  return FEED_IN_FILE.test(foldText(file.split(/[\\/]/).at(-1)!)) ? "export" : undefined;
}

/** Energy to a millionth of a kWh: files contain binary noise beyond it. */
export function round6(kwh: number): number {
  return Math.round(kwh * 1e6) / 1e6;
}

/** The most frequent distance of neighbouring instants, minutes; a quarter-hour for a single row. */
function usualStep(ms: Float64Array): number {
  const sorted = Float64Array.from(ms).sort();
  const counts = new Map<number, number>();
  for (let index = 1; index < sorted.length; index++) {
    const minutes = Math.round((sorted[index]! - sorted[index - 1]!) / MINUTE_MS);
    if (minutes > 0) counts.set(minutes, (counts.get(minutes) ?? 0) + 1);
  }
  const [most] = [...counts].sort(([a, n], [b, m]) => m - n || a - b);
  return most?.[0] ?? 15;
}

/** What the times of a table of an unknown format prove; undefined when they are not of whole days. */
export function provenLabel(labels: readonly Label[]): LabelKind | undefined {
  if (labels.length === 0) return undefined;
  const rows = labels.map((label) => ({ ...label, value: undefined, isEstimated: false }));
  return labelKindOf(withLateMidnights(rows), usualStep(toInstants(labels).ms));
}

/** Start labels of whole days run from 00:00, end labels to 00:00 of the next day; undefined when neither is certain. */
function labelKindOf(rows: RawSeries["rows"], stepMinutes: number): LabelKind | undefined {
  const [first, last] = firstAndLast(rows);
  const minuteOf = (ms: number) => (ms / MINUTE_MS) % 1440;
  for (const minutes of [
    [wallMs(first), wallMs(last)],
    [first.ms, last.ms],
  ].map((pair) => pair.map(minuteOf))) {
    if (minutes[0] === 0 && minutes[1] === 1440 - stepMinutes) return "start";
    if (minutes[0] === stepMinutes && minutes[1] === 0) return "end";
  }
  return undefined;
}

function firstAndLast(rows: RawSeries["rows"]): [Label, Label] {
  let [first, last] = [rows[0]!, rows[0]!];
  for (const row of rows) {
    if (row.ms < first.ms) first = row;
    if (row.ms > last.ms) last = row;
  }
  return [first, last];
}

/** What clocks in Vienna show, as if it were UTC. */
function wallMs({ ms, isUtc }: Label): number {
  return isUtc ? ms + offsetMinutes(ms, VIENNA) * MINUTE_MS : ms;
}

/**
 * Some exports with end labels give the midnight at the end of a day the date of that day: 00:15 … 23:45, 00:00. Such a midnight
 * belongs to the next day.
 */
function withLateMidnights(rows: RawSeries["rows"]): RawSeries["rows"] {
  const isMidnight = (index: number) => rows[index]!.ms % DAY_MS === 0;
  const isLate = (index: number) => {
    const before = (rows[index - 1]?.ms ?? 0) - rows[index]!.ms;
    return USABLE_STEPS.includes((DAY_MS - before) / MINUTE_MS);
  };
  const midnights = [...rows.keys()].filter(isMidnight);
  if (midnights.length === 0 || !midnights.every(isLate) || rows.some(({ isUtc }) => isUtc)) return rows;
  return rows.map((row, index) => (isMidnight(index) ? { ...row, ms: row.ms + DAY_MS } : row));
}
