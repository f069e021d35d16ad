import { MINUTE_MS } from "../../core/domain/interval.js";
import { rounded } from "../../core/domain/rounding.js";
import { formatIso } from "../../core/time/zone.js";
import type { PriceCurve, PriceDay } from "../../plan/price-curve.js";

/** ct/kWh, as they are shown. */
const shown = (ctKwh: number | undefined) => (ctKwh === undefined ? null : rounded(ctKwh, 2));

/**
 * The prices of today and tomorrow in at most 4 kB: numbers in steps of `minutes` from the start of each day on, and what a card shows
 * beside them. `lowest`, `highest` and `average` are those of today.
 */
export function priceCurveDocument(curve: PriceCurve, { now, zone }: { now: Date; zone: string }) {
  const { minutes, today, tomorrow, forecastFrom } = curve;
  const startOf = ({ start }: PriceDay, index: number) =>
    new Date(start.getTime() + index * minutes * MINUTE_MS);
  const points = [today, tomorrow].flatMap((day) =>
    day.importCtKwh.map((value, index) => ({ start: startOf(day, index), value })),
  );
  const entry = (point: (typeof points)[number] | undefined) =>
    point === undefined ? null : { start: formatIso(point.start, zone), value: shown(point.value) };
  const known = points
    .slice(0, today.importCtKwh.length)
    .flatMap(({ start, value }) => (value === undefined ? [] : [{ start, value }]));
  const extreme = (isBetter: (a: number, b: number) => boolean) =>
    entry(
      known.reduce<(typeof known)[number] | undefined>(
        (best, one) => (best === undefined || isBetter(one.value, best.value) ? one : best),
        undefined,
      ),
    );
  return {
    unit: "ct/kWh",
    minutes,
    today_start: formatIso(today.start, zone),
    today: today.importCtKwh.map(shown),
    tomorrow_start: formatIso(tomorrow.start, zone),
    tomorrow: tomorrow.importCtKwh.map(shown),
    forecast_from: forecastFrom === undefined ? null : formatIso(forecastFrom, zone),
    next: entry(points.find(({ start, value }) => start > now && value !== undefined)),
    lowest: extreme((a, b) => a < b),
    highest: extreme((a, b) => a > b),
    average: shown(
      known.length === 0 ? undefined : known.reduce((sum, { value }) => sum + value, 0) / known.length,
    ),
  };
}
