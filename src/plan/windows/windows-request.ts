import { HOUR_MS, type Interval } from "../../core/domain/interval.js";
import type { PriceOrigin } from "../../core/domain/price.js";
import { isRecord } from "../../core/net/json.js";
import { isZone, VIENNA } from "../../core/time/zone.js";
import type { RunLimits } from "./run-limits.js";

/** A candidate slot: a half-open interval and its price, ct/kWh. */
export interface PriceSlot extends Interval {
  ctKwh: number;
  source?: PriceOrigin | undefined;
}

export type WindowMode = "cheapest" | "expensive";
export type Consecutive = "off" | "soft" | "required";
export type Allocation = "cheapest" | "earliest" | "latest" | "even";

/** Input of `rankWindows`. */
export interface WindowsRequest {
  /** Candidates: ascending, of equal length; a gap between two of them ends a run. */
  slots: readonly PriceSlot[];
  /** Default `cheapest`; `expensive` chooses the most expensive slots. */
  mode?: WindowMode | undefined;
  /** Hours at full power, rounded up to whole slots. Without this and segments all slots are ranked. */
  demandHours?: number | undefined;
  /** Hours of each segment; if given (and not empty) their sum is the demand, and `demandHours` is ignored. */
  segments?: readonly number[] | undefined;
  /** Default `off`. Without segments the demand is one segment. */
  consecutive?: Consecutive | undefined;
  /** `soft` only: cost of each run beyond the number of segments, ct/kWh for one hour. Default 1. */
  breakPenaltyCtKwh?: number | undefined;
  /** Default `cheapest`. */
  allocation?: Allocation | undefined;
  /** IANA zone of the local days of `even` and of limits. Default Europe/Vienna. */
  timezone?: string | undefined;
  /** What the device allows of switching it; for `cheapest` and `even`, not for `required`, whose runs are requested. */
  limits?: RunLimits | undefined;
}

/** A checked request in whole slots and integer costs, the input of the exact algorithms. */
export interface WindowsProblem {
  slots: readonly PriceSlot[];
  /** Length of a slot in hours; 0 without slots. */
  slotHours: number;
  /** Number of slots to choose, which may exceed the candidates; undefined: all are ranked. */
  demandSlots: number | undefined;
  /** Slots of each segment, in the order of the request; a segment of 0 hours has 0. */
  segmentSlots: readonly number[];
  consecutive: Consecutive;
  allocation: Allocation;
  timezone: string;
  /** Cost of each slot, lower is better in both modes; integers, so that sums compare exactly. */
  costs: Float64Array;
  /** 1 if a slot begins at the end of the one before it. */
  joins: Uint8Array;
  /** Cost of one run beyond the number of segments, in the unit of `costs`. */
  breakCost: number;
  limits: RunLimits | undefined;
}

/** 1.1 hours are 4.400000000000001 quarter-hours in floating point; such an excess is not rounded up. */
const ROUNDING_TOLERANCE = 1e-9;

/** Prices are compared in units of 1e-9 ct; coarser only if sums would exceed 2^53. */
const FINEST_EXPONENT = 9;

/** Checks a request and converts it to whole slots and integer costs. Throws a RangeError that names the field. */
export function readWindowsRequest(request: WindowsRequest): WindowsProblem {
  checkShape(request);
  const { slots, mode = "cheapest", consecutive = "off", allocation = "cheapest" } = request;
  const { timezone = VIENNA, breakPenaltyCtKwh = 1 } = request;
  oneOf("mode", mode, ["cheapest", "expensive"]);
  oneOf("consecutive", consecutive, ["off", "soft", "required"]);
  oneOf("allocation", allocation, ["cheapest", "earliest", "latest", "even"]);
  if (!isZone(timezone))
    throw new RangeError(`timezone must be an IANA name such as Europe/Vienna, but is "${timezone}".`);
  nonNegative("breakPenaltyCtKwh", breakPenaltyCtKwh);
  const slotHours = checkSlots(slots) / HOUR_MS;

  const toSlots = (hours: number) =>
    slotHours === 0 ? 0 : Math.max(0, Math.ceil(hours / slotHours - ROUNDING_TOLERANCE));
  const segments = request.segments?.map((hours, index) => nonNegative(`segments[${index}]`, hours)) ?? [];
  const demandHours =
    request.demandHours === undefined ? undefined : nonNegative("demandHours", request.demandHours);
  const hours = segments.length > 0 ? segments.reduce((sum, each) => sum + each, 0) : demandHours;
  const requested = segments.length > 0 || hours === undefined ? segments : [hours];
  // Each unbroken run is rounded up, because two runs cannot share a slot; otherwise the sum is.
  const segmentSlots = requested.map(toSlots);
  const demandSlots =
    hours === undefined
      ? undefined
      : consecutive === "required"
        ? segmentSlots.reduce((sum, each) => sum + each, 0)
        : toSlots(hours);

  const breakCtKwh = slotHours === 0 ? 0 : breakPenaltyCtKwh / slotHours;
  return {
    slots,
    slotHours,
    demandSlots,
    segmentSlots,
    consecutive,
    allocation,
    timezone,
    limits: request.limits,
    joins: Uint8Array.from(slots, (slot, index) =>
      slots[index - 1]?.end.getTime() === slot.start.getTime() ? 1 : 0,
    ),
    ...wholeCosts(slots, mode, breakCtKwh, Math.min(demandSlots ?? 0, slots.length)),
  };
}

/** Requested hours, rounded up to whole slots; without slots as requested. */
export function demandHoursOf(problem: WindowsProblem, request: WindowsRequest): number {
  if (problem.slotHours > 0) return (problem.demandSlots ?? problem.slots.length) * problem.slotHours;
  if (request.segments !== undefined && request.segments.length > 0)
    return request.segments.reduce((sum, each) => sum + each, 0);
  return request.demandHours ?? 0;
}

/** Callers in plain JavaScript may pass other types. */
function checkShape(request: unknown): void {
  if (!isRecord(request)) throw new RangeError("The request must be an object with slots.");
  const { slots, segments } = request as Record<string, unknown>;
  if (!Array.isArray(slots)) throw new RangeError("slots must be a list of { start, end, ctKwh }.");
  if (segments !== undefined && !Array.isArray(segments))
    throw new RangeError("segments must be a list of hours; leave it out for one run of demandHours.");
}

function oneOf(field: string, value: string, allowed: readonly string[]): void {
  if (!allowed.includes(value))
    throw new RangeError(`${field} must be one of ${allowed.join(", ")}, but is "${String(value)}".`);
}

function nonNegative(field: string, value: number): number {
  if (!Number.isFinite(value) || value < 0)
    throw new RangeError(`${field} must be a finite number of 0 or more, but is ${String(value)}.`);
  return value;
}

/** Milliseconds of a Date; NaN for anything else. */
function timeOf(value: unknown): number {
  return value instanceof Date ? value.getTime() : Number.NaN;
}

/** Common length of the slots in ms; 0 without slots. */
function checkSlots(slots: readonly PriceSlot[]): number {
  let lengthMs = 0;
  let previousEndMs = -Infinity;
  for (const [index, slot] of slots.entries()) {
    if (!isRecord(slot)) throw new RangeError(`slots[${index}] must be { start, end, ctKwh }.`);
    const startMs = timeOf(slot.start);
    const endMs = timeOf(slot.end);
    if (!Number.isFinite(startMs)) throw new RangeError(`slots[${index}].start must be a valid date.`);
    if (!(endMs > startMs)) throw new RangeError(`slots[${index}].end must be a date after its start.`);
    if (index === 0) lengthMs = endMs - startMs;
    if (endMs - startMs !== lengthMs)
      throw new RangeError(
        `slots[${index}] differs in length from the first; all slots must have the same length.`,
      );
    if (startMs < previousEndMs)
      throw new RangeError(
        `slots[${index}].start is before the end of the previous slot; slots must be in ascending order.`,
      );
    if (!Number.isFinite(slot.ctKwh))
      throw new RangeError(`slots[${index}].ctKwh must be a finite number; leave out slots without a price.`);
    previousEndMs = endMs;
  }
  return lengthMs;
}

/**
 * Prices as integers in 1e-9 ct (a coarser power of ten if the total could exceed 2^53), negated for `expensive`.
 * Sums of integers are exact, so equal totals are equal in any order of summation.
 */
function wholeCosts(
  slots: readonly PriceSlot[],
  mode: WindowMode,
  breakCtKwh: number,
  count: number,
): { costs: Float64Array; breakCost: number } {
  let lowest = Infinity;
  let highest = -Infinity;
  for (const { ctKwh } of slots) {
    lowest = Math.min(lowest, ctKwh);
    highest = Math.max(highest, ctKwh);
  }
  // Above this cost a break is avoided in any case; a larger one would only reduce the precision of the sums.
  const dearestBreak = slots.length === 0 ? 0 : count * (highest - lowest) + 1;
  const breakPrice = Math.min(breakCtKwh, dearestBreak);
  const largestTotal = Math.max(-lowest, highest, 0) * slots.length + breakPrice * count;
  const digits = Math.log10(Number.MAX_SAFE_INTEGER / Math.min(Math.max(largestTotal, 1), Number.MAX_VALUE));
  const scale = 10 ** Math.min(FINEST_EXPONENT, Math.floor(digits));
  const sign = mode === "expensive" ? -scale : scale;
  return {
    costs: Float64Array.from(slots, (slot) => Math.round(slot.ctKwh * sign)),
    breakCost: Math.round(breakPrice * scale),
  };
}
