import { energyKwh, sharePct } from "../../core/domain/rounding.js";
import type { DayScore, ForecastQuality } from "../../forecast/price/day-record.js";

/** How the forecasts of daily load and PV energy were met, by day 1 to 7. */
export function forecastQualityDocument({ load, pv }: ForecastQuality) {
  return { load: load.map(scoreDocument), pv: pv.map(scoreDocument) };
}

function scoreDocument({ day, days, maeKwh, biasKwh, meanKwh, coverage }: DayScore) {
  return {
    day,
    days,
    mae_kwh: energyKwh(maeKwh),
    mae_pct: meanKwh > 0 ? sharePct((100 * maeKwh) / meanKwh) : null,
    bias_kwh: energyKwh(biasKwh),
    coverage_pct: sharePct(100 * coverage),
  };
}
