import { contains } from "../../core/domain/interval.js";
import type { SlotPlan } from "../windows/slot-schedule.js";

/** What a vehicle may take beyond or below its plan. */
export interface SurplusDemand {
  /** False: it is full, or not plugged in. */
  wanted: boolean;
  /** Power that it takes even without surplus, kW; 0: surplus only. */
  plannedKw: number;
  /** Takes surplus before the battery, because the plan gives it energy now. */
  isFirst: boolean;
  /** Whether its plan may import: it applies while the surplus is not known. */
  mayImport: boolean;
}

/** Less is not worth a start, kWh. */
const LEAST_KWH = 0.05;

/** The demand of a vehicle that follows the surplus; undefined for a slot whose schedule or override applies as it is. */
export function surplusDemand(
  { settings, override, plugged, result, origin }: SlotPlan,
  socPct: number | undefined,
  now: Date,
): SurplusDemand | undefined {
  const { vehicle } = settings;
  if (!followsSurplus(settings) || vehicle === null) return undefined;
  if (override?.action === "run" || override?.action === "skip" || result?.role === "export")
    return undefined;
  const isBelowLeast = (socPct ?? vehicle.min_soc_pct) < vehicle.min_soc_pct;
  const mayImport = vehicle.surplus === "prefer" || isBelowLeast || origin === "request";
  const running = result?.slots.find((slot) => contains(slot, now));
  const powerKw = running?.setPointKw ?? result?.powerKw ?? 0;
  const isForSurplus = running?.fromSurplus === true && !isBelowLeast;
  return {
    wanted: plugged !== 0 && isWanted({ result, origin }, { socPct, targetPct: vehicle.target_soc_pct, now }),
    plannedKw: running !== undefined && mayImport && !isForSurplus ? powerKw : 0,
    isFirst: running !== undefined,
    mayImport,
  };
}

/** Whether a slot has a vehicle that may follow the surplus, by its settings or by an override. */
export function hasVehicle({ kind, enabled, vehicle }: SlotPlan["settings"]): boolean {
  return kind === "wallbox" && enabled && vehicle !== null;
}

/** Whether the settings of a slot let it follow the surplus. */
export function followsSurplus(settings: SlotPlan["settings"]): boolean {
  return hasVehicle(settings) && settings.vehicle?.surplus !== "ignore";
}

function isWanted(
  { result, origin }: Pick<SlotPlan, "result" | "origin">,
  { socPct, targetPct, now }: { socPct: number | undefined; targetPct: number; now: Date },
): boolean {
  const leftKwh = result?.demandEnergyKwh;
  if (origin === "request")
    return result !== undefined && contains(result.window, now) && (leftKwh ?? Infinity) > LEAST_KWH;
  return socPct === undefined ? (leftKwh ?? Infinity) > LEAST_KWH : socPct < targetPct;
}
