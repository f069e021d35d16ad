import { HOUR_MS } from "../../core/domain/interval.js";
import type { LoadModel } from "./load-model.js";
import { presenceAt } from "./presence.js";

/** Hours without an hour of normal use after which nobody seems to be at home. */
const WINDOW_HOURS = 24;
/** Days with which these are compared, and the fewest of them. */
const COMPARED_DAYS = 28;
const FEWEST_DAYS = 10;
/** Most energy of the window, as a share of the usual one. */
const MOST_SHARE = 0.65;

/**
 * Since when nobody seems to be at home, ms: in no hour of the last day was the load above its usual middle, and the day as a whole
 * used much less than the days before at the same hours. undefined: somebody is, or too little is measured to tell.
 */
export function noticedAbsence({ fromMs, hourKwh, periods = [] }: LoadModel): number | undefined {
  const end = hourKwh.length;
  const dayBefore = (index: number, days: number) => {
    const at = index - 24 * days;
    return presenceAt(periods, fromMs + at * HOUR_MS) === undefined ? hourKwh[at] : undefined;
  };
  const isQuiet = (index: number): boolean => {
    const kwh = hourKwh[index];
    // Half of the days before use this much or less at the same hour.
    return typeof kwh === "number" && kwh <= middle(compared(index, dayBefore));
  };
  let from = end;
  while (from > 0 && isQuiet(from - 1)) from--;
  if (end - from < WINDOW_HOURS) return undefined;
  // Hours that use what is usual are not part of it: where the load hardly changes there may be weeks of them.
  while (from < end && hourKwh[from]! >= middle(compared(from, dayBefore))) from++;
  const window = Array.from({ length: WINDOW_HOURS }, (_, k) => end - WINDOW_HOURS + k);
  const used = window.reduce((sum, index) => sum + hourKwh[index]!, 0);
  const usual = Array.from({ length: COMPARED_DAYS }, (_, k) => k + 1).flatMap((days) => {
    const kwh = window.map((index) => dayBefore(index, days));
    return kwh.every((one) => typeof one === "number") ? [kwh.reduce((sum, one) => sum + one, 0)] : [];
  });
  return usual.length >= FEWEST_DAYS && used <= MOST_SHARE * middle(usual)
    ? fromMs + from * HOUR_MS
    : undefined;
}

function compared(
  index: number,
  dayBefore: (index: number, days: number) => number | null | undefined,
): number[] {
  return Array.from({ length: COMPARED_DAYS }, (_, k) => dayBefore(index, k + 1)).filter(
    (kwh) => typeof kwh === "number",
  );
}

/** The median; below everything without enough values. */
function middle(values: readonly number[]): number {
  if (values.length < FEWEST_DAYS) return -Infinity;
  const sorted = [...values].sort((a, b) => a - b);
  const half = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[half]! : (sorted[half - 1]! + sorted[half]!) / 2;
}
