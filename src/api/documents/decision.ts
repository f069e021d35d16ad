import { type Quartile, signalOf } from "../../core/domain/price.js";
import { priceEurMwh } from "../../core/domain/rounding.js";
import { quartilesOverall, type RankedHour, rankWithinDays } from "../../plan/windows/quartiles.js";
import { type ForecastView, forecastScalars, priceEntry } from "./forecast.js";

/** Inputs of a decision document besides the forecast. */
export interface DecisionView extends ForecastView {
  /** Zone of the days for ranking: the plant's, independent of the zone of the times. */
  localZone: string;
  /** Past hours of the first local day, as far as their prices are stored; EUR/MWh. */
  past: readonly RankedHour[];
  /** Quartile of the present settlement period; undefined without a plant: that of the hour. */
  currentQuartile: Quartile | undefined;
}

/**
 * The document `decision_v1` (docs/spec/http-api.md section 6). Hours are ranked by rounded market prices, so that
 * the ranking can be reproduced from the document.
 */
export function decisionDocument(view: DecisionView): Record<string, unknown> {
  const roundedPrice = (value: number) => priceEurMwh(value) ?? 0;
  const horizon = view.hours.map((hour) => ({ start: hour.start, value: roundedPrice(hour.p50) }));
  const past = view.past.map((hour) => ({ start: hour.start, value: roundedPrice(hour.value) }));
  const ranked = rankWithinDays([...past, ...horizon], view.localZone).slice(past.length);
  const overall = quartilesOverall(horizon);
  const prices = view.hours.map((hour, index) => {
    const { rank, quartile } = ranked[index]!;
    return {
      ...priceEntry(view, hour),
      quartile,
      horizon_quartile: overall[index]!,
      signal: signalOf(quartile),
      rank_in_day: rank,
    };
  });
  const current = view.currentQuartile ?? prices[0]?.quartile;
  return {
    ...forecastScalars(view, "decision_v1"),
    current_quartile: current ?? null,
    current_signal: current === undefined ? null : signalOf(current),
    ...(view.access === undefined ? {} : { access: view.access }),
    prices,
  };
}
