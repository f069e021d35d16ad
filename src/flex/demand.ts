import { HOUR_MS } from "../domain/interval.js";
import { FlexInputError, type FlexRequest, NO_POWER } from "./request.js";

/** A stretch of the demand: as asked, what of it is done, and what is left for the grid, in hours on the grid of slots. */
export interface DemandSegment {
  hours: number;
  completedHours: number;
  leftHours: number;
}

/** What is to be placed, net of what is done and of what the battery gives. */
export interface Demand {
  /** One entry for a demand without segments. */
  segments: readonly DemandSegment[];
  /** Hours on the grid of slots: rounded up once, after all deductions. */
  hours: number;
  /** Energy behind it before rounding; undefined where no power is known. */
  energyKwh: number | undefined;
  /** Energy that the house battery gives; undefined where no power is known. */
  batteryEnergyKwh: number | undefined;
}

/** 1.1 hours as 4.4 quarter-hours that come out as 4.400000000000001 still are what was meant. */
const ROUNDING_TOLERANCE = 1e-9;

/**
 * Net demand of a request; undefined when it names none, and all slots are ranked. `powerKw` is the power at which hours
 * and energy go together, `doneHours` what has been charged since the request, in hours of grid demand.
 * Throws FlexInputError when there is energy but no power.
 */
export function netDemand(
  ask: FlexRequest,
  { powerKw, doneHours = 0 }: { powerKw: number | undefined; doneHours?: number },
): Demand | undefined {
  const gross = grossHours(ask, powerKw);
  if (gross === undefined) return undefined;
  const gridShare = 1 - (ask.batterySharePct ?? 0) / 100;
  let deduct = ask.hoursCompleted ?? 0;
  if (powerKw !== undefined) deduct += (ask.energyDeliveredKwh ?? 0) / powerKw;
  // What was charged since stands for more than itself: the battery gave its share beside it.
  if (gridShare > 0) deduct += doneHours / gridShare;

  const slotHours = (ask.gridMinutes * 60_000) / HOUR_MS;
  let left = 0;
  let roundedBefore = 0;
  const segments = gross.map((hours): DemandSegment => {
    const completedHours = Math.min(hours, deduct);
    deduct -= completedHours;
    left += hours - completedHours;
    // The running total is rounded up, not each segment: the demand grows by less than one slot in all.
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

function grossHours(ask: FlexRequest, powerKw: number | undefined): readonly number[] | undefined {
  if (ask.segments !== undefined) return ask.segments;
  if (ask.count !== undefined) return [ask.count];
  if (ask.energyKwh === undefined) return undefined;
  if (powerKw === undefined) throw new FlexInputError("max_power_kw", NO_POWER);
  return [ask.energyKwh / powerKw];
}
