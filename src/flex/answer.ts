import type { PlantSettings } from "../config/settings.js";
import { HOUR_MS, hourOf } from "../domain/interval.js";
import type { ForecastHour } from "../forecast/forecast.js";
import type { PriceSeries } from "../market/price-series.js";
import type { Prices } from "../market/tariff.js";
import { heldSlots, horizonSlots, type PricedSlot } from "./prices.js";
import { type FlexRequest, powerOf } from "./request.js";
import type { FlexResult } from "./result.js";
import { solveFlex } from "./solve.js";
import { resolveWindow } from "./window.js";

/** Hours that windows look ahead. */
export const HORIZON_HOURS = 168;

/** What is known of prices at a moment. */
export interface FlexKnowledge {
  now: Date;
  /** The horizon from the hour in progress on. */
  hours: readonly ForecastHour[];
  series: PriceSeries;
  tariff: Prices | undefined;
  priceMinutes: 60 | 15;
  breakPenaltyCtKwh: number;
}

/** Priced slots of the horizon; made anew only when what they are made of has changed. */
export class HorizonCache {
  readonly #kept = new Map<number, { parts: readonly unknown[]; slots: PricedSlot[] }>();

  slots(known: FlexKnowledge, zone: string, gridMinutes: 60 | 15): PricedSlot[] {
    const first = known.hours[0];
    // The hours of one run are the same objects as long as the run stands.
    const parts = [first, known.hours.at(-1), known.series, known.tariff, zone];
    const kept = this.#kept.get(gridMinutes);
    if (kept?.parts.every((part, index) => part === parts[index])) return kept.slots;
    const slots = horizonSlots({ ...known, zone, gridMinutes });
    this.#kept.set(gridMinutes, { parts, slots });
    return slots;
  }
}

/**
 * The answer to a request for a plant. Throws FlexInputError, and the RangeError of segments that are too many.
 */
export function answerFlex(
  ask: FlexRequest,
  plant: Pick<PlantSettings, "timezone" | "battery">,
  known: FlexKnowledge,
  { cache = new HorizonCache(), doneHours = 0 }: { cache?: HorizonCache; doneHours?: number } = {},
): FlexResult {
  const { now, breakPenaltyCtKwh } = known;
  const zone = ask.zone ?? plant.timezone;
  const lastHour = known.hours.at(-1);
  const horizonEnd = new Date(
    (lastHour?.start ?? hourOf(now)).getTime() + (lastHour === undefined ? 0 : HOUR_MS),
  );
  const window = resolveWindow(ask, { now, horizonEnd, zone });
  const { gridMinutes } = ask;
  const prices =
    window.phase === "past"
      ? heldSlots({ ...known, zone: plant.timezone, gridMinutes }, window.start, window.end)
      : cache.slots(known, plant.timezone, gridMinutes);
  const powerKw = powerOf(ask, plant.battery?.max_charge_power_kw);
  return solveFlex(ask, { now, zone, window, prices, powerKw, doneHours, breakPenaltyCtKwh });
}
