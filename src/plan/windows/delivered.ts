import { hoursOf, type Interval } from "../../core/domain/interval.js";
import type { FlexResult } from "./result.js";

/** What is known of a slot's device between two instants. */
export interface Delivered {
  /** Energy that it took as measured, or as set where it follows the surplus, kWh; left out: not known. */
  kwh?: number | undefined;
  /** Whether `kwh` was measured. */
  isMeasured?: boolean;
  /** Time for which its actuator confirmed that it is on, hours; left out: no actuator switches it. */
  confirmedHours?: number | undefined;
}

/** What counts of a demand. */
export interface Counted {
  /** Hours of grid demand at full power. */
  hours: number;
  /** Energy of the device, kWh; undefined without a known power. */
  kwh: number | undefined;
  /** The device was on all the time and took nothing, as measured. */
  isIdle: boolean;
}

/** Below this the device is on standby, kW, and as a share of its power. */
const STANDBY_KW = 0.03;
const STANDBY_SHARE = 0.02;
/** Relays and readings lag: a confirmed share above this is the whole. */
const WHOLE_SHARE = 0.9;

/**
 * What of the schedule counts as done from `from` to `to`: the measured energy; where nothing measures it, the planned time for which
 * the command was confirmed; without an actuator the planned time. A demand in hours (`isTimed`) counts the planned time in which the
 * device took anything, because a programme does not draw its full power all the time. Pure.
 */
export function countedOf(
  result: Pick<FlexResult, "slots" | "powerKw" | "batterySharePct">,
  { start, end }: Interval,
  { delivered = {}, isTimed }: { delivered?: Delivered | undefined; isTimed: boolean },
): Counted {
  const { powerKw } = result;
  const passed = result.slots.filter((slot) => slot.end > start && slot.end <= end);
  const plannedHours = passed.reduce((sum, slot) => sum + fullHours(slot, powerKw), 0);
  const gridShare = 1 - (result.batterySharePct ?? 0) / 100;
  const energy = (hours: number) =>
    powerKw === undefined || gridShare === 0 ? undefined : (hours * powerKw) / gridShare;
  const { kwh, isMeasured, confirmedHours } = delivered;
  if (kwh !== undefined && powerKw !== undefined) {
    const onHours = passed.reduce((sum, slot) => sum + hoursOf(slot), 0);
    const standbyKwh = Math.max(STANDBY_KW, STANDBY_SHARE * powerKw) * hoursOf({ start, end });
    const isIdle = isMeasured === true && onHours > 0 && kwh <= standbyKwh;
    const hours = isTimed ? (kwh > standbyKwh ? plannedHours : 0) : (kwh * gridShare) / powerKw;
    return { hours, kwh, isIdle };
  }
  const share = confirmedHours === undefined ? 1 : confirmedHours / hoursOf({ start, end });
  const hours = plannedHours * (share >= WHOLE_SHARE ? 1 : share);
  return { hours, kwh: energy(hours), isIdle: false };
}

/** Part of its power at which a device runs as measured; below, it ends a run or is on standby. */
const RUN_SHARE = 0.1;

/** Whether a device ran in a period, as measured. */
export function ranIn(
  { powerKw }: Pick<FlexResult, "powerKw">,
  period: Interval,
  delivered: Delivered | undefined,
): boolean {
  const { kwh, isMeasured } = delivered ?? {};
  return (
    isMeasured === true &&
    kwh !== undefined &&
    powerKw !== undefined &&
    kwh > RUN_SHARE * powerKw * hoursOf(period)
  );
}

/** Hours at full power of a chosen slot; less than its length if it carries the remainder. */
function fullHours(slot: FlexResult["slots"][number], powerKw: number | undefined): number {
  const hours = hoursOf(slot);
  return slot.energyKwh === undefined || powerKw === undefined
    ? hours
    : Math.min(hours, slot.energyKwh / powerKw);
}
