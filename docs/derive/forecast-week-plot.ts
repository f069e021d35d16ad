import { HOUR_MS } from "../../src/core/domain/interval.js";
import { actualPrices } from "./recorded.js";
import { COLOURS, label, path, picture, rowsOf, stairs } from "./svg.js";
import { clockHours, days, type Panel, type TimeAxis, ticks, xOn, yOn } from "./time-plot.js";

const SIZE = { width: 720, height: 300 };

/** One hour of a forecast with the actual price, EUR/MWh. */
export interface ForecastAndPrice {
  startMs: number;
  p10: number;
  p50: number;
  p90: number;
  actual: number;
}

/** The hours of docs/derive/recorded/forecast-week.csv, with the recorded prices. */
export function forecastWeek(csv: string): ForecastAndPrice[] {
  const rows = rowsOf(csv);
  const startsMs = rows.map((row) => Date.parse(row.start_utc!));
  const prices = actualPrices(startsMs);
  return rows.map((row, t) => ({
    startMs: startsMs[t]!,
    p10: Number(row.p10_eur_mwh),
    p50: Number(row.p50_eur_mwh),
    p90: Number(row.p90_eur_mwh),
    actual: prices[t]!,
  }));
}

/** The band from P10 to P90 with P50, and the actual prices in another colour. */
export function forecastWeekPlot(hours: readonly ForecastAndPrice[]): string {
  const values = hours.flatMap(({ p10, p90, actual }) => [p10, p90, actual]);
  const lowest = 50 * Math.floor(Math.min(...values) / 50);
  const highest = 50 * Math.ceil(Math.max(...values) / 50);
  const panel: Panel = { top: 44, bottom: 262, lowest, highest };
  const startMs = hours[0]!.startMs;
  const endMs = hours.at(-1)!.startMs + HOUR_MS;
  const axis: TimeAxis = { left: 50, right: SIZE.width - 16, startMs, endMs };
  const edges = [...hours.map((hour) => xOn(axis, hour.startMs)), axis.right];
  const line = (value: (hour: ForecastAndPrice) => number) =>
    stairs(
      edges,
      hours.map((hour) => yOn(panel, value(hour))),
    );
  const lower = stairs(
    [...edges].reverse(),
    [...hours].reverse().map((hour) => yOn(panel, hour.p10)),
  );
  const tickValues = Array.from({ length: (highest - lowest) / 50 + 1 }, (_, index) => lowest + 50 * index);
  const inside = hours.filter(({ p10, p90, actual }) => p10 <= actual && actual <= p90).length;
  return picture(
    {
      ...SIZE,
      title: "A week of the price forecast and the actual prices",
      description: `P10, P50 and P90 of ${hours.length} hours in EUR/MWh; ${inside} of the actual prices lie between P10 and P90.`,
    },
    [
      `<path d="${line((hour) => hour.p90)}${lower.replace("M", "L")}Z" fill="${COLOURS.pale}" fill-opacity="0.6"/>`,
      ...ticks(axis, panel, tickValues),
      ...days(axis, [panel], panel.top - 6),
      path(
        line((hour) => hour.p50),
        `stroke="${COLOURS.blue}" stroke-width="1.5" stroke-dasharray="4 3"`,
      ),
      path(
        line((hour) => hour.actual),
        `stroke="${COLOURS.brown}" stroke-width="1.5"`,
      ),
      ...clockHours(axis, panel.bottom + 16),
      label(axis.left, 18, "EUR/MWh"),
      label(axis.left + 120, 18, "P50 and the band from P10 to P90", ` fill="${COLOURS.blue}"`),
      label(axis.left + 360, 18, "actual", ` fill="${COLOURS.brown}"`),
    ],
  );
}
