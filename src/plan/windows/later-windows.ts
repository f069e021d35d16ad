import { dayBeginsOf, runSettings } from "../../config/slot-rules.js";
import { answerFlex, horizonEndOf } from "./answer.js";
import type { SlotContext } from "./plan-slot.js";
import { requestOfSettings } from "./request.js";
import type { FlexResult } from "./result.js";
import type { SlotState } from "./slot-state.js";
import { limitsOf } from "./switching.js";

/**
 * The schedules of a slot's daily windows after that of `result`, as far as their prices are known; none for a request, which is
 * for one window, and for a vehicle, whose stays are planned as a whole. Throws FlexInputError and SegmentLimitError.
 */
export function laterWindows(
  state: SlotState,
  result: FlexResult | undefined,
  { plant, known, cache, costs, budget }: Omit<SlotContext, "device">,
): FlexResult[] {
  const request = state.recipe === undefined ? requestOfSettings(state.settings) : undefined;
  if (result === undefined || request?.window?.kind !== "daily" || state.settings.vehicle !== null) return [];
  const later: FlexResult[] = [];
  const limits = limitsOf(runSettings(state.settings), {
    budget: budget && { ...budget, leftToday: budget.perDay },
    switching: undefined,
    isPlugged: false,
    now: known.now,
    zone: plant.timezone,
    dayBegins: dayBeginsOf(state.settings),
  });
  for (let { askedEnd: now } = result.window; now < horizonEndOf(known); ) {
    const previous = state.later?.find(({ window }) => window.askedEnd > now);
    const next = answerFlex(request, plant, { ...known, now }, { cache, costs, limits, previous });
    // A window that the horizon cuts off will be planned as a whole when more prices are known.
    if (next.window.truncated || next.window.askedEnd <= now) break;
    later.push(next);
    now = next.window.askedEnd;
  }
  return later;
}
