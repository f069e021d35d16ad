import { DAY_MS, type Interval } from "../core/domain/interval.js";
import type { Format } from "../texts/format.js";
import { textsOf } from "../texts/index.js";
import { coveredBySurplus, deviceRuns, slotsOfRuns } from "./windows/device-runs.js";
import { type RunCost, slotsCost } from "./windows/override-cost.js";
import type { ChosenWindow } from "./windows/result.js";
import { missedLegionellaC, type SlotPlan, slotMoment } from "./windows/slot-schedule.js";

/** Runs that sentences are about begin within this time. */
const AHEAD_MS = 2 * DAY_MS;

/** What a flexible device does now. */
export type DeviceDoing = "unplugged" | "running" | "following_surplus" | "waiting" | "nothing_planned";

/** What a device does and why it does not run, as pages and answers say it. Sentences begin small and have no full stop. */
export interface DeviceSentences {
  doing: DeviceDoing;
  state: string;
  /** Demand that does not fit into the window. */
  unmet?: string;
  /** It is switched on, but takes nothing. */
  takesNothing?: string;
  /** Its tank has not become hot against legionella. */
  notHot?: string;
  overridden?: string;
  /** The runs of the next two days, what they cost, and what PV covers of them. */
  runs: readonly ChosenWindow[];
  cost: RunCost | undefined;
  planned?: string;
}

export function deviceSentences(plan: SlotPlan, now: Date, format: Format): DeviceSentences {
  const texts = textsOf(format.language).dashboard.slots;
  const runs = deviceRuns(plan, now, new Date(now.getTime() + AHEAD_MS));
  const cost = runs.length === 0 ? undefined : slotsCost(slotsOfRuns(plan, runs), now);
  const { unmetHours = 0, overLimitHours = 0 } = plan.result ?? {};
  const hoursText = (hours: number) => format.number(hours, hours % 1 === 0 ? 0 : 2);
  const { override, idleSince } = plan;
  const celsius = missedLegionellaC(plan);
  const planned = [
    runs.map((run) => format.span(run, now)).join(", "),
    ...(cost === undefined ? [] : [texts.cost(format.number(cost.costEur))]),
    surplusText(plan, runs, format),
  ].filter((part) => part !== "");
  return {
    ...stateOf(plan, now, format),
    ...(unmetHours > 0 && {
      unmet: [
        ...(unmetHours > overLimitHours ? [texts.unmet(hoursText(unmetHours - overLimitHours))] : []),
        ...(overLimitHours > 0 ? [texts.overLimit(hoursText(overLimitHours))] : []),
      ].join("; "),
    }),
    ...(idleSince !== undefined && { takesNothing: texts.takesNothing(format.moment(idleSince, now)) }),
    ...(celsius !== undefined && { notHot: texts.notHot(format.number(celsius, 0)) }),
    ...(override !== undefined && {
      overridden: texts.overridden[override.action](format.until(override.until, now)),
    }),
    runs,
    cost,
    ...(runs.length > 0 && { planned: planned.join(" · ") }),
  };
}

function stateOf(plan: SlotPlan, now: Date, format: Format): Pick<DeviceSentences, "doing" | "state"> {
  const texts = textsOf(format.language).dashboard.slots;
  const { plugged, followedKw = 0 } = plan;
  const moment = slotMoment(plan, now);
  if (plugged === 0) return { doing: "unplugged", state: texts.unplugged };
  if (moment?.chargeNow === 1) {
    return followedKw > 0
      ? { doing: "following_surplus", state: texts.following(format.number(followedKw, 1)) }
      : { doing: "running", state: texts.now };
  }
  const next = moment?.nextStart;
  return next === undefined
    ? { doing: "nothing_planned", state: texts.idle }
    : { doing: "waiting", state: texts.next(format.moment(next, now)) };
}

/** What the expected PV surplus covers of runs of a device; empty if nothing, or not known. */
function surplusText(plan: SlotPlan, runs: readonly Interval[], format: Format): string {
  const covered = coveredBySurplus(plan, runs);
  if (covered === undefined) return "";
  const { surplus } = textsOf(format.language).dashboard.slots;
  return surplus(format.number(covered.surplusKwh, 1), format.number(covered.energyKwh, 1));
}
