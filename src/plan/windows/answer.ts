import type { PlantSettings } from "../../config/settings.js";
import { HOUR_MS, hourOf } from "../../core/domain/interval.js";
import type { PriceSeries } from "../../forecast/market/price-series.js";
import type { ForecastHour } from "../../forecast/price/forecast.js";
import type { Prices } from "../../tariff/compile-tariff.js";
import { horizonSlots, type PricedSlot, storedSlots } from "./prices.js";
import { type FlexRequest, powerOf } from "./request.js";
import type { FlexResult } from "./result.js";
import type { RunLimits } from "./run-limits.js";
import { type SlotCosts, withAtOnce, withCosts, withinRoom, withSurplus } from "./slot-costs.js";
import { solveFlex } from "./solve.js";
import { withStorePlan } from "./store-schedule.js";
import { resolveWindow } from "./window.js";

/** Hours of the horizon for windows. */
export const HORIZON_HOURS = 168;

/** Prices and settings at a moment. */
export interface FlexKnowledge {
  now: Date;
  /** The horizon from the current hour on. */
  hours: readonly ForecastHour[];
  series: PriceSeries;
  tariff: Prices | undefined;
  priceMinutes: 60 | 15;
  breakPenaltyCtKwh: number;
}

/** Caches the priced slots of the horizon until their inputs change. */
export class HorizonCache {
  readonly #cached = new Map<number, { parts: readonly unknown[]; slots: PricedSlot[] }>();

  slots(known: FlexKnowledge, zone: string, gridMinutes: 60 | 15): PricedSlot[] {
    const first = known.hours[0];
    // The hours of a forecast run are the same objects until the next run.
    const parts = [first, known.hours.at(-1), known.series, known.tariff, zone];
    const cached = this.#cached.get(gridMinutes);
    if (cached?.parts.every((part, index) => part === parts[index])) return cached.slots;
    const slots = horizonSlots({ ...known, zone, gridMinutes });
    this.#cached.set(gridMinutes, { parts, slots });
    return slots;
  }
}

/** End of the horizon. */
export function horizonEndOf({ hours, now }: Pick<FlexKnowledge, "hours" | "now">): Date {
  const last = hours.at(-1);
  return last === undefined ? hourOf(now) : new Date(last.start.getTime() + HOUR_MS);
}

/** The answer to a request for a plant. Throws FlexInputError and SegmentLimitError. */
export function answerFlex(
  request: FlexRequest,
  plant: Pick<PlantSettings, "timezone" | "battery">,
  known: FlexKnowledge,
  {
    cache = new HorizonCache(),
    done,
    costs,
    limits,
    previous,
  }: {
    cache?: HorizonCache;
    /** Completed since the request, in hours of grid demand. */
    done?: { hours: number; isMeasured?: boolean } | undefined;
    /** Left out: slots are ranked by price. */
    costs?: SlotCosts | undefined;
    /** What the device allows of switching it. */
    limits?: RunLimits | undefined;
    /** The schedule so far, which costs let stay unless another is clearly cheaper. */
    previous?: FlexResult | undefined;
  } = {},
): FlexResult {
  const { now, breakPenaltyCtKwh } = known;
  const zone = request.zone ?? plant.timezone;
  const horizonEnd = horizonEndOf(known);
  const window = resolveWindow(request, { now, horizonEnd, zone });
  const { gridMinutes } = request;
  const prices =
    window.phase === "past"
      ? storedSlots({ ...known, zone: plant.timezone, gridMinutes }, window.start, window.end)
      : cache.slots(known, plant.timezone, gridMinutes);
  const powerKw = powerOf(request, plant.battery?.max_charge_power_kw);
  const solve = (slots: readonly PricedSlot[], within: RunLimits | undefined) =>
    solveFlex(request, {
      now,
      zone,
      window,
      prices: withAtOnce(slots, { request, now, powerKw }),
      powerKw,
      done,
      limits: within,
      breakPenaltyCtKwh,
    });
  if (costs === undefined || window.phase !== "open") return solve(prices, limits);
  const inWindow = prices.filter(({ start, end }) => end > window.from && start < window.end);
  const result =
    costs.kwh === undefined
      ? withinRoom(solve(withCosts(inWindow, costs, previous), limits), costs)
      : // Only its demand is used.
        withStorePlan(solve(inWindow, undefined), inWindow, costs, {
          limits,
          mayWait: costs.upToDemand === true && (request.atOnceKwh ?? 0) === 0,
          previous,
        });
  return withSurplus(result, costs);
}
