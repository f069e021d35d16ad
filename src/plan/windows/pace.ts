import { hoursOf, type Interval } from "../../core/domain/interval.js";
import { type Delivered, ranIn } from "./delivered.js";
import type { FlexResult } from "./result.js";

/** What a vehicle took in the last quarter-hours at full power, of one window or stay. */
export interface VehiclePace {
  windowId: Date;
  /** As measured, kW, the latest last. */
  tookKw: readonly number[];
}

/** So many quarter-hours in a row tell a slow vehicle from one that wakes up late. */
const QUARTERS = 2;
/** Less than this share of the asked power is slow: one phase of three, a cold battery, load management. */
const SLOW_SHARE = 0.85;
/** Set to full power, up to rounding. */
const FULL_SHARE = 0.99;

/** The pace after a period; the one before where the device was not on at full power all the time, or is not measured. Pure. */
export function nextPace(
  before: VehiclePace | undefined,
  result: FlexResult,
  { period, delivered, windowId }: { period: Interval; delivered: Delivered | undefined; windowId: Date },
): VehiclePace | undefined {
  const { slots, powerKw } = result;
  if (powerKw === undefined || !ranIn(result, period, delivered)) return before;
  const isFull = ({ setPointKw = powerKw }: FlexResult["slots"][number]) =>
    setPointKw >= FULL_SHARE * powerKw;
  const ms = ({ start, end }: Interval) =>
    Math.max(0, Math.min(+end, +period.end) - Math.max(+start, +period.start));
  const fullMs = slots.filter(isFull).reduce((sum, slot) => sum + ms(slot), 0);
  if (fullMs < FULL_SHARE * ms(period)) return before;
  const earlier = before?.windowId.getTime() === windowId.getTime() ? before.tookKw : [];
  return { windowId, tookKw: [...earlier, delivered!.kwh! / hoursOf(period)].slice(-QUARTERS) };
}

/** The power that a slow device is expected to take when it is asked for `askedKw`; undefined: that power. */
export function slowKw(pace: VehiclePace | undefined, askedKw: number | undefined): number | undefined {
  if (pace === undefined || askedKw === undefined || pace.tookKw.length < QUARTERS) return undefined;
  const kw = Math.max(...pace.tookKw);
  return kw < SLOW_SHARE * askedKw ? kw : undefined;
}
