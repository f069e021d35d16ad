import { formatIso, VIENNA } from "../../core/time/zone.js";
import type { ForecastHour } from "../../forecast/price/forecast.js";

/** The output of `hourgate forecast run`: hours in Vienna time, prices in EUR/MWh with two decimals. */
export function forecastRunDocument({
  now,
  modelVersion,
  tier,
  hours,
}: {
  now: Date;
  modelVersion: string;
  tier: string;
  hours: readonly ForecastHour[];
}) {
  return {
    now: formatIso(now, VIENNA),
    model_version: modelVersion,
    tier,
    hours: hours.map(({ start, p10, p50, p90, source }) => ({
      start: formatIso(start, VIENNA),
      p10_eur_mwh: cents(p10),
      p50_eur_mwh: cents(p50),
      p90_eur_mwh: cents(p90),
      source,
    })),
  };
}

/** The document of one run. */
export type ForecastRunDocument = ReturnType<typeof forecastRunDocument>;

function cents(price: number): number {
  return Math.round(price * 100) / 100;
}
