import { readCsv } from "../../../core/csv.js";
import { HOUR_MS } from "../../../core/domain/interval.js";
import { isRecord } from "../../../core/net/json.js";
import { parseTime } from "../../../core/time/zone.js";
import { HourMeans } from "../hour-means.js";
import type { ParsedWeather } from "../source.js";
import type { WeatherReading } from "../weather-series.js";
import { parseMetNo } from "./met-no.js";
import { parseOpenMeteo } from "./open-meteo.js";

/** Column names by reading. */
const COLUMNS: Record<string, WeatherReading> = {
  ghi_w_m2: "ghi",
  dni_w_m2: "dni",
  dhi_w_m2: "dhi",
  temperature_c: "temperatureC",
  temp_c: "temperatureC",
  temp_air_c: "temperatureC",
  cloud_cover_pct: "cloudCoverPct",
  wind_speed_ms: "windSpeedMs",
  wind_speed_10m_ms: "windSpeedMs",
  precipitation_mm: "precipitationMm",
  precip_mm_h: "precipitationMm",
};

/** Columns with a rate, mm per hour, instead of the sum of the row. */
const RATES = new Set(["precip_mm_h"]);

/**
 * Reads a weather file: a recorded answer of Open-Meteo or MET Norway as JSON, or CSV with a header that contains `start_utc`
 * and at least one of the columns above, hourly or finer, in any order. Empty cells are gaps; the last of several rows for one
 * time counts. Throws an Error that says what to do.
 */
export function parseWeatherFile(text: string): ParsedWeather {
  const trimmed = text.replace(/^\uFEFF/, "").trim();
  if (!/^[[{]/.test(trimmed)) return parseCsv(trimmed);
  let body: unknown;
  try {
    body = JSON.parse(trimmed);
  } catch {
    throw new Error("it is not complete JSON.");
  }
  return isRecord(body) && isRecord(body.properties)
    ? parseMetNo(body, "the file")
    : parseOpenMeteo(body, "the file");
}

function parseCsv(text: string): ParsedWeather {
  const { names, rows, hasSemicolons } = readCsv(text);
  const startColumn = names.indexOf("start_utc");
  const columns = names.flatMap((name, column) => {
    const reading = COLUMNS[name];
    return reading === undefined ? [] : [{ name, column, reading }];
  });
  if (startColumn < 0 || columns.length === 0)
    throw new Error(`its first line must name start_utc and one of ${Object.keys(COLUMNS).join(", ")}.`);

  const rowOf = new Map<number, readonly string[]>();
  let badTimes = 0;
  for (const { cells } of rows) {
    const at = parseTime(cells[startColumn] ?? "", "UTC")?.getTime();
    if (at === undefined) badTimes++;
    else rowOf.set(at, cells);
  }
  const means = new HourMeans();
  const times = [...rowOf.keys()].sort((a, b) => a - b);
  times.forEach((at, index) => {
    const stepMs = (times[index + 1] ?? Number.NaN) - at;
    const hours = stepMs < HOUR_MS ? stepMs / HOUR_MS : lastStepHours(times, index);
    for (const { name, column, reading } of columns) {
      const value = numberOf(rowOf.get(at)![column], hasSemicolons);
      means.add(at, reading, RATES.has(name) && value !== undefined ? value * hours : value);
    }
  });
  const hours = means.hours();
  if (hours.length === 0) throw new Error("it contains no weather; add rows below its header.");
  const warnings = [
    ...(badTimes === 0 ? [] : [`${badTimes} lines have no usable start_utc.`]),
    ...(means.unusable === 0 ? [] : [`${means.unusable} implausible values were ignored.`]),
  ];
  return { hours, warnings };
}

/** Length of a row without a following row, hours: that of the previous row. */
function lastStepHours(times: readonly number[], index: number): number {
  const step = (times[index] ?? 0) - (times[index - 1] ?? Number.NEGATIVE_INFINITY);
  return step > 0 && step < HOUR_MS ? step / HOUR_MS : 1;
}

/** A number, undefined for a gap, NaN for anything else. */
function numberOf(cell: string | undefined, decimalComma: boolean): number | undefined {
  if (cell === undefined || /^(null|nan|n\/a|-)?$/i.test(cell)) return undefined;
  return Number(decimalComma ? cell.replace(",", ".") : cell);
}
