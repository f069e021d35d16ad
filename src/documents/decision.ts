import { quartilesOverall, type RankedHour, rankWithinDays } from "../decision/quartiles.js";
import { priceEurMwh } from "../domain/rounding.js";
import { signalOf } from "../domain/signal.js";
import { type ForecastView, forecastScalars, priceEntry } from "./forecast.js";

/** What a decision document is made of, beyond the forecast. */
export interface DecisionView extends ForecastView {
  /** The zone whose days are ranked: the plant's, whatever zone the times are written in. */
  localZone: string;
  /** The hours of the first local day that are past, as far as prices are held; EUR/MWh. */
  past: readonly RankedHour[];
}

/**
 * The document `decision_v1` (docs/spec/http-api.md section 6). Hours are ranked by the market price as it is served, so that
 * whoever ranks the served figures finds the same.
 */
export function decisionDocument(view: DecisionView): Record<string, unknown> {
  const served = (value: number) => priceEurMwh(value) ?? 0;
  const horizon = view.hours.map((hour) => ({ start: hour.start, value: served(hour.p50) }));
  const past = view.past.map((hour) => ({ start: hour.start, value: served(hour.value) }));
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
  return {
    ...forecastScalars(view, "decision_v1"),
    current_quartile: prices[0]?.quartile ?? null,
    current_signal: prices[0]?.signal ?? null,
    ...(view.access === undefined ? {} : { access: view.access }),
    prices,
  };
}
