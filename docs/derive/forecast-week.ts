import { writeFileSync } from "node:fs";
import { HOUR_MS } from "../../src/core/domain/interval.js";
import { addDays, dayInterval, instantOf, VIENNA } from "../../src/core/time/zone.js";
import { forecastFrom } from "../../src/forecast/price/model.js";
import { recordedPrices } from "./recorded.js";

/**
 * Writes docs/derive/recorded/forecast-week.csv, a week of the forecast for docs/research/forecast.md:
 * `npx tsx docs/derive/forecast-week.ts`, some minutes. Of all origins in the year of the page's first table, the week
 * with the median error over its seven days is selected.
 */
const FIRST = "2025-03-01";
const LAST = "2026-02-20";
/** From 14:00 to the end of the seventh day after tomorrow, including a 25-hour day. */
const HORIZON_HOURS = 10 + 24 * 8 + 1;

const series = recordedPrices();

function weekFrom(origin: string) {
  const published = dayInterval(addDays(origin, 1), VIENNA).end;
  const end = dayInterval(addDays(origin, 8), VIENNA).end;
  const now = instantOf(origin, 14, VIENNA);
  const { hours } = forecastFrom(series.before(published), now, HORIZON_HOURS);
  const forecast = hours.filter(({ start, source }) => source !== "day_ahead" && start < end);
  return forecast.map((hour) => ({ ...hour, actual: series.hour(hour.start.getTime()) ?? Number.NaN }));
}

const weeks: { mae: number; week: ReturnType<typeof weekFrom> }[] = [];
for (let origin = FIRST; origin <= LAST; origin = addDays(origin, 1)) {
  const week = weekFrom(origin);
  const mae = week.reduce((sum, { p50, actual }) => sum + Math.abs(p50 - actual), 0) / week.length;
  if (week.at(-1)!.start.getTime() - week[0]!.start.getTime() === 167 * HOUR_MS) weeks.push({ mae, week });
}
weeks.sort((one, other) => one.mae - other.mae);
const { week } = weeks[Math.floor(weeks.length / 2)]!;
// Actual prices are not copied: the plot reads them from the recorded data.
const rows = week.map(({ start, p10, p50, p90 }) =>
  [start.toISOString().replace(".000", ""), ...[p10, p50, p90].map((price) => price.toFixed(2))].join(","),
);
writeFileSync(
  new URL("recorded/forecast-week.csv", import.meta.url),
  `start_utc,p10_eur_mwh,p50_eur_mwh,p90_eur_mwh\n${rows.join("\n")}\n`,
);
console.log(
  `${weeks.length} weeks; MAE ${weeks.map(({ mae }) => mae.toFixed(1)).filter((_, i) => i % 35 === 0)}`,
);
