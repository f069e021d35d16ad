import { DAY_MS, HOUR_MS } from "../../../src/core/domain/interval.js";
import { HOUR_WIDTH, type WeatherTable } from "../../../src/forecast/price/forecast-issue-set.js";
import { windSpeedOf } from "../../../src/forecast/price/wind-power.js";
import { seededRandom } from "../../../src/plan/physics/random.js";
import { recordedText } from "../../support/recorded-data.js";

/** Installed power of Germany at the beginning of 2018 to 2027, GW (rounded, from public statistics). */
const WIND_GW = [55, 59, 60.8, 62.2, 63.7, 66.2, 69.5, 72.7, 77.5, 82];
const SOLAR_GW = [42, 45.3, 49, 54, 60, 67.5, 82, 99, 117, 134];

/** Correlation of a forecast with the day-ahead forecast, by days after the day following the issue. */
const CORRELATIONS = [1, 1, 1, 0.96, 0.92, 0.87, 0.81, 0.74, 0.66, 0.57];
const DAYS_AHEAD = CORRELATIONS.length;
/** Autocorrelation of the hourly error. */
const PERSISTENCE = 0.96;

/**
 * Synthetic weather issues from the transmission operators' day-ahead forecasts of German wind and PV: the wind speed
 * and irradiance that would give the forecast shares of installed power. Up to the day after the next they are used
 * unchanged; for later days as calibrated forecasts with decreasing correlation: shrunk to the mean of the season,
 * with autocorrelated errors. Days are UTC; one issue per day at 10:45 UTC. Used because no archived weather
 * forecasts are recorded.
 */
export function pseudoWeather(
  from: string,
  until: string,
  seed = 7,
  correlations = CORRELATIONS,
): WeatherTable[] {
  const { startMs, wind, light } = recordedShares();
  const usualWind = seasonMeans(wind, startMs);
  const usualLight = seasonMeans(light, startMs);
  const windSpread = deviation(wind, usualWind, () => 1);
  const lightSpread = deviation(light, usualLight, (usual) => usual);
  const tables: WeatherTable[] = [];
  for (let day = Date.parse(from); day < Date.parse(until); day += DAY_MS) {
    const random = seededRandom(seed + day / DAY_MS);
    const values = new Float32Array(DAYS_AHEAD * 24 * HOUR_WIDTH).fill(Number.NaN);
    let windError = random.normal();
    let lightError = random.normal();
    for (let hour = 0; hour < DAYS_AHEAD * 24; hour++) {
      windError = PERSISTENCE * windError + Math.sqrt(1 - PERSISTENCE ** 2) * random.normal();
      lightError = PERSISTENCE * lightError + Math.sqrt(1 - PERSISTENCE ** 2) * random.normal();
      const index = (day - startMs) / HOUR_MS + hour;
      const r = correlations[Math.floor(hour / 24)]!;
      const known = wind[index];
      if (known === undefined || Number.isNaN(known)) continue;
      const calibrated = (anomaly: number, error: number) =>
        r * r * anomaly + r * Math.sqrt(1 - r * r) * error;
      const base = hour * HOUR_WIDTH;
      values[base] = Math.max(
        0,
        usualWind[index]! + calibrated(known - usualWind[index]!, windSpread * windError),
      );
      const usual = usualLight[index]!;
      const share = usual > 0 ? light[index]! / usual - 1 : 0;
      values[base + 1] = 1000 * usual * Math.max(0, 1 + calibrated(share, lightSpread * lightError));
      values[base + 2] = 10;
    }
    tables.push({ issuedAtMs: day + 10.75 * HOUR_MS, startMs: day, values });
  }
  return tables;
}

/** Wind speed, m/s, and irradiance as a share of that at full power, by hour; NaN for gaps. */
function recordedShares() {
  const csv = recordedText("covariates/de_forecast_hourly.csv");
  const rows = csv
    .trim()
    .split("\n")
    .slice(1)
    .map((line) => line.split(","));
  const startMs = Date.parse(rows[0]![0]!);
  const hours = (Date.parse(rows.at(-1)![0]!) - startMs) / HOUR_MS + 1;
  const wind = new Float64Array(hours).fill(Number.NaN);
  const light = new Float64Array(hours).fill(Number.NaN);
  for (const [start, solar, windMw] of rows) {
    if (!solar || !windMw) continue;
    const ms = Date.parse(start!);
    const index = (ms - startMs) / HOUR_MS;
    wind[index] = windSpeedOf(Number(windMw) / 1000 / installed(WIND_GW, ms));
    light[index] = Number(solar) / 1000 / installed(SOLAR_GW, ms) / 0.8;
  }
  return { startMs, wind, light };
}

function installed(byYear: readonly number[], ms: number): number {
  const years = 1970 + ms / (365.2425 * DAY_MS) - 2018;
  const year = Math.floor(years);
  return byYear[year]! + (byYear[year + 1]! - byYear[year]!) * (years - year);
}

/** By hour: mean of the same hour of the day over the days of the year around it, over all years. */
function seasonMeans(series: Float64Array, startMs: number): Float64Array {
  const classOf = (index: number) => {
    const ms = startMs + index * HOUR_MS;
    return Math.floor((((ms / DAY_MS) % 365.2425) / 365.2425) * 24) * 24 + ((ms / HOUR_MS) % 24);
  };
  const sums = new Float64Array(24 * 24);
  const counts = new Float64Array(24 * 24);
  series.forEach((value, index) => {
    if (Number.isNaN(value)) return;
    sums[classOf(index)]! += value;
    counts[classOf(index)]!++;
  });
  return series.map((_, index) => sums[classOf(index)]! / counts[classOf(index)]!);
}

function deviation(series: Float64Array, usual: Float64Array, scale: (usual: number) => number): number {
  let sum = 0;
  let count = 0;
  series.forEach((value, index) => {
    const by = scale(usual[index]!);
    if (Number.isNaN(value) || by < 0.05) return;
    sum += ((value - usual[index]!) / by) ** 2;
    count++;
  });
  return Math.sqrt(sum / count);
}
