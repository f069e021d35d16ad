import { HOUR_MS, type Interval } from "../../core/domain/interval.js";
import { sumOfAll } from "../../core/numbers.js";
import { type Demand, type DemandSegment, netDemand } from "./demand.js";
import type { PricedSlot } from "./prices.js";
import { rankAndPlace } from "./rank-windows.js";
import { FlexInputError, type FlexRequest, type FlexRole } from "./request.js";
import type { ChosenSlot, FlexResult, SegmentState } from "./result.js";
import type { RunLimits } from "./run-limits.js";
import type { Placement } from "./segments.js";
import { deadlineRule, type ResolvedWindow } from "./window.js";

/** Most slots of an answer: a year of hours. Larger answers would be megabytes and block the event loop. */
const MOST_CHOSEN_SLOTS = 24 * 366;

/** Inputs of a request besides the request itself. */
export interface FlexContext {
  now: Date;
  /** Zone of clock hours and local days of the request. */
  zone: string;
  window: ResolvedWindow;
  /** Ascending slots of the request's grid that cover the window, as far as they have prices. */
  prices: readonly PricedSlot[];
  powerKw: number | undefined;
  /** Completed since the request, in hours of grid demand. */
  done?: { hours: number; isMeasured?: boolean } | undefined;
  limits?: RunLimits | undefined;
  breakPenaltyCtKwh: number;
}

/**
 * Solves a windows request: candidates, net demand, exact choice, energies (docs/spec/http-api.md section 7). Pure.
 * Throws FlexInputError and SegmentLimitError.
 */
export function solveFlex(request: FlexRequest, facts: FlexContext): FlexResult {
  const { window, zone, powerKw } = facts;
  const { mode = "cheapest", role = "consume", consecutive = "off", allocation = "cheapest" } = request;
  const result = {
    mode,
    role,
    consecutive,
    allocation,
    deadlineStrict: request.deadlineStrict ?? false,
    repeatDaily: request.repeatDaily ?? false,
    plugged: request.plugged ?? 1,
    zone,
    gridMinutes: request.gridMinutes,
    window,
    powerKw,
    batterySharePct: request.batterySharePct,
  };
  if (window.phase === "over") return { ...result, ...NOTHING };

  const inWindow = candidates(facts);
  const mayStart =
    request.deadlineHour === undefined
      ? () => true
      : deadlineRule(
          { start: window.start, end: window.askedEnd },
          request.deadlineHour,
          zone,
          request.window?.kind === "daily" ? request.window.startHour : undefined,
        );
  const slots = inWindow.filter(({ start }) => mayStart(start));
  const demand = netDemand(request, { powerKw, done: facts.done });
  const slotHours = (request.gridMinutes * 60_000) / HOUR_MS;
  checkChosen(Math.min(demand === undefined ? Infinity : demand.hours / slotHours, slots.length));
  const inSegments = request.segments !== undefined || consecutive !== "off";
  const { ranked, placements } = rankAndPlace({
    slots: slots.map((slot) => ({ start: slot.start, end: slot.end, ctKwh: priceBy(role, slot) })),
    mode,
    consecutive,
    allocation: allocation === "cost" ? "cheapest" : allocation,
    timezone: zone,
    breakPenaltyCtKwh: facts.breakPenaltyCtKwh,
    limits: facts.limits,
    ...(demand !== undefined &&
      (consecutive === "off"
        ? { demandHours: demand.hours }
        : { segments: demand.segments.map(({ leftHours }) => leftHours) })),
  });

  const isByCost = slots.some(({ costCtKwh }) => costCtKwh !== undefined);
  const demandHours = demand?.hours ?? slots.length * slotHours;
  const placedHours = ranked.slots.length * slotHours;
  const chosen = withEnergy(ranked.slots, slots, { powerKw, slotHours, demand });
  const segments =
    demand !== undefined && inSegments
      ? consecutive === "required"
        ? placedSegments(demand.segments, placements, slots)
        : assignedSegments(demand.segments, chosen, slotHours)
      : [];
  return {
    ...result,
    demandHours,
    demandEnergyKwh: demand?.energyKwh ?? (powerKw === undefined ? undefined : demandHours * powerKw),
    batteryEnergyKwh: demand === undefined ? 0 : demand.batteryEnergyKwh,
    unmetHours: demandHours - placedHours,
    slots: chosen,
    windows: ranked.windows.map(({ rank, start, end, averageCtKwh }) => {
      // Binary search: comparing thousands of windows with all slots of a year would take too long.
      const own = chosen.slice(firstFrom(chosen, start.getTime()), firstFrom(chosen, end.getTime()));
      return {
        rank,
        start,
        end,
        hours: own.length * slotHours,
        averageCtKwh: isByCost ? meanPrice(role, own) : averageCtKwh,
        energyKwh: powerKw === undefined ? undefined : sumOfAll(own.map(({ energyKwh }) => energyKwh ?? 0)),
        segment: segments.find((each) => each.start !== undefined && each.start <= start && start < each.end!)
          ?.segment,
      };
    }),
    segments,
    averageCtKwh: chosen.length === 0 ? undefined : isByCost ? meanPrice(role, chosen) : ranked.averageCtKwh,
    windowAverageCtKwh: inWindow.length === 0 ? undefined : meanPrice(role, inWindow),
  };
}

/** Throws FlexInputError if an answer would list too many slots. */
function checkChosen(count: number): void {
  if (count <= MOST_CHOSEN_SLOTS) return;
  const message = `The answer would have ${Math.ceil(count)} slots, which is more than ${MOST_CHOSEN_SLOTS}: request fewer hours or a shorter window.`;
  throw new FlexInputError("start", message);
}

const NOTHING = {
  demandHours: 0,
  demandEnergyKwh: 0,
  batteryEnergyKwh: 0,
  unmetHours: 0,
  slots: [],
  windows: [],
  segments: [],
  averageCtKwh: undefined,
  windowAverageCtKwh: undefined,
};

/** Slots of the window with a price; past ones only if the whole window is past. */
function candidates({ window, prices, now }: FlexContext): PricedSlot[] {
  const endMs = window.end.getTime();
  const afterMs = window.phase === "past" ? -Infinity : now.getTime();
  const chosen: PricedSlot[] = [];
  // Only the slots of the window are visited, not the whole horizon.
  for (let index = firstFrom(prices, window.from.getTime()); index < prices.length; index++) {
    const slotEndMs = prices[index]!.end.getTime();
    if (slotEndMs > endMs) break;
    if (slotEndMs > afterMs) chosen.push(prices[index]!);
  }
  return chosen;
}

/** Index of the first slot that starts at or after the instant; slots are in ascending order. */
function firstFrom(slots: readonly Interval[], fromMs: number): number {
  let low = 0;
  let high = slots.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (slots[middle]!.start.getTime() < fromMs) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The ranking price of a role, ct/kWh. */
function priceBy(role: FlexRole, slot: PricedSlot): number {
  return role === "export" ? slot.exportCtKwh : (slot.costCtKwh ?? slot.importCtKwh);
}

/** The price that averages show, ct/kWh: also where slots are ranked by cost. */
function meanPrice(role: FlexRole, slots: readonly PricedSlot[]): number {
  const price = role === "export" ? "exportCtKwh" : "importCtKwh";
  return sumOfAll(slots.map((slot) => slot[price])) / slots.length;
}

/** The chosen slots, each at full power; if the demand is met, the one with the worst price carries the remainder. */
function withEnergy(
  ranked: readonly { start: Date; rank: number }[],
  slots: readonly PricedSlot[],
  {
    powerKw,
    slotHours,
    demand,
  }: { powerKw: number | undefined; slotHours: number; demand: Demand | undefined },
): ChosenSlot[] {
  const fullKwh = powerKw === undefined ? undefined : powerKw * slotHours;
  const count = ranked.length;
  const isMet = demand?.energyKwh !== undefined && count * slotHours >= demand.hours;
  let index = 0;
  return ranked.map(({ start, rank }) => {
    // Both lists are in ascending order.
    while (slots[index]!.start.getTime() < start.getTime()) index++;
    const { end, spotCtKwh, importCtKwh, exportCtKwh, source, quartile } = slots[index]!;
    return {
      start,
      end,
      spotCtKwh,
      importCtKwh,
      exportCtKwh,
      source,
      quartile,
      rank,
      energyKwh:
        isMet && rank === count && fullKwh !== undefined
          ? Math.max(0, demand.energyKwh! - (count - 1) * fullKwh)
          : fullKwh,
    };
  });
}

/** `required`: the segments as placed. */
function placedSegments(
  segments: readonly DemandSegment[],
  placements: readonly Placement[],
  slots: readonly PricedSlot[],
): SegmentState[] {
  return segments.map(({ hours, completedHours }, index) => {
    const placed = placements.find(({ segment }) => segment === index);
    return {
      segment: index + 1,
      hours,
      completedHours,
      start: placed && slots[placed.first]!.start,
      end: placed && slots[placed.first + placed.length - 1]!.end,
    };
  });
}

/** `off` and `soft`: the chosen slots in order of time, assigned to the segments in their order. */
function assignedSegments(
  segments: readonly DemandSegment[],
  chosen: readonly ChosenSlot[],
  slotHours: number,
): SegmentState[] {
  let next = 0;
  return segments.map(({ hours, completedHours, leftHours }, index) => {
    const own = chosen.slice(next, next + Math.round(leftHours / slotHours));
    next += own.length;
    return { segment: index + 1, hours, completedHours, start: own[0]?.start, end: own.at(-1)?.end };
  });
}
