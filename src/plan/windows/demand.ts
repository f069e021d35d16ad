import { HOUR_MS } from "../../core/domain/interval.js";
import { FlexInputError, type FlexRequest, NO_POWER } from "./request.js";

/** A segment of the demand: requested, completed and remaining hours from the grid, on the grid of slots. */
export interface DemandSegment {
  hours: number;
  completedHours: number;
  leftHours: number;
}

/** The demand to place, less what is completed and what the battery provides. */
export interface Demand {
  /** One entry for a demand without segments. */
  segments: readonly DemandSegment[];
  /** Hours on the grid of slots, rounded up once after all deductions. */
  hours: number;
  /** Energy before rounding; undefined without a known power. */
  energyKwh: number | undefined;
  /** Energy from the battery; undefined without a known power. */
  batteryEnergyKwh: number | undefined;
}

/** 1.1 hours are 4.400000000000001 quarter-hours in floating point; such an excess is not rounded up. */
const ROUNDING_TOLERANCE = 1e-9;
/** Part of a slot for which a device that has measured energy is not switched on. */
const CRUMB_SHARE = 0.1;

/**
 * Net demand of a request; undefined without one, in which case all slots are ranked. `powerKw` converts energy into
 * hours; `done` has been charged since the request, in hours of grid demand. Throws FlexInputError for energy without
 * a power.
 */
export function netDemand(
  request: FlexRequest,
  {
    powerKw,
    done = { hours: 0 },
  }: { powerKw: number | undefined; done?: { hours: number; isMeasured?: boolean } | undefined },
): Demand | undefined {
  const gross = grossHours(request, powerKw);
  if (gross === undefined) return undefined;
  const gridShare = 1 - (request.batterySharePct ?? 0) / 100;
  let deduct = request.hoursCompleted ?? 0;
  if (powerKw !== undefined) deduct += (request.energyDeliveredKwh ?? 0) / powerKw;
  // Hours charged from the grid also cover the battery's share that was provided at the same time.
  if (gridShare > 0) deduct += done.hours / gridShare;

  const slotHours = (request.gridMinutes * 60_000) / HOUR_MS;
  const total = gross.reduce((sum, hours) => sum + hours, 0);
  // A device that takes a little less than its power is not switched on again for that.
  if (done.isMeasured === true && done.hours > 0 && total - deduct < CRUMB_SHARE * slotHours) deduct = total;
  let left = 0;
  let roundedBefore = 0;
  const segments = gross.map((hours): DemandSegment => {
    const completedHours = Math.min(hours, deduct);
    deduct -= completedHours;
    left += hours - completedHours;
    // The running total is rounded up instead of each segment, so the total exceeds the demand by less than one slot.
    const rounded = Math.max(0, Math.ceil((left * gridShare) / slotHours - ROUNDING_TOLERANCE)) * slotHours;
    const leftHours = rounded - roundedBefore;
    roundedBefore = rounded;
    return { hours, completedHours, leftHours };
  });
  return {
    segments,
    hours: roundedBefore,
    energyKwh: powerKw === undefined ? undefined : left * gridShare * powerKw,
    batteryEnergyKwh:
      gridShare === 1 ? 0 : powerKw === undefined ? undefined : left * (1 - gridShare) * powerKw,
  };
}

function grossHours(request: FlexRequest, powerKw: number | undefined): readonly number[] | undefined {
  if (request.segments !== undefined) return request.segments;
  if (request.count !== undefined) return [request.count];
  if (request.energyKwh === undefined) return undefined;
  if (powerKw === undefined) throw new FlexInputError("max_power_kw", NO_POWER);
  return [request.energyKwh / powerKw];
}
