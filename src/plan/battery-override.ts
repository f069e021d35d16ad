import type { PlantSettings } from "../config/settings.js";
import { namedControls } from "../core/domain/battery.js";
import { ceilTo, DAY_MS, QUARTER_MS } from "../core/domain/interval.js";
import type { Format } from "../texts/format.js";
import { textsOf } from "../texts/index.js";
import { PlanInputError } from "./overrides.js";

export const BATTERY_OVERRIDE_ACTIONS = ["charge", "hold", "auto"] as const;

/** `charge`: up to a state of charge; `hold`: not discharged; `auto`: the plan applies. */
export type BatteryOverrideAction = (typeof BATTERY_OVERRIDE_ACTIONS)[number];

export interface BatteryOverrideRequest {
  action: BatteryOverrideAction;
  /** End, at most 7 days ahead; left out: 24 hours ahead. */
  until?: Date | undefined;
  /** SOC at which `charge` ends, percent; left out: the maximum of the settings. */
  targetSocPct?: number | undefined;
}

/** An override of the plan of a battery that expires by itself. */
export interface BatteryOverride {
  action: Exclude<BatteryOverrideAction, "auto">;
  /** On a quarter-hour. */
  until: Date;
  /** SOC at which `charge` ends, percent; for `hold` the maximum of the settings. */
  targetSocPct: number;
}

const LONGEST_MS = 7 * DAY_MS;

/**
 * The override that a request makes; undefined for `auto`. Throws PlanInputError with the field of the request that does
 * not fit the plant.
 */
export function batteryOverrideOf(
  { action, until, targetSocPct }: BatteryOverrideRequest,
  { plant, socPct, now }: { plant: PlantSettings; socPct: number | undefined; now: Date },
): BatteryOverride | undefined {
  const { battery } = plant;
  if (battery === null)
    throw new PlanInputError("slot_id", "This plant has no battery in its settings: configure one first.");
  if (action === "auto") return undefined;
  if (!canCarryOut(plant, action))
    throw new PlanInputError(
      "override",
      namedControls(battery).includes(action)
        ? "Charging from the grid is switched off in the plant's settings: allow it with battery.grid_charge_allowed."
        : `The battery's settings do not list ${action}: add it to battery.controls if the installation can do it.`,
    );
  const endMs = until?.getTime() ?? now.getTime() + DAY_MS;
  if (endMs <= now.getTime())
    throw new PlanInputError("until", "until must be in the future; leave it out for 24 hours.");
  if (endMs > now.getTime() + LONGEST_MS)
    throw new PlanInputError("until", "until must be at most 7 days ahead; send an earlier time.");
  if (action === "hold" && targetSocPct !== undefined)
    throw new PlanInputError(
      "target_soc_pct",
      "target_soc_pct applies to charge only; leave it out for hold.",
    );
  const target = targetSocPct ?? battery.max_soc_pct;
  if (target > battery.max_soc_pct)
    throw new PlanInputError(
      "target_soc_pct",
      `target_soc_pct must be at most ${battery.max_soc_pct}, the maximum in the plant's settings.`,
    );
  if (target <= battery.min_soc_pct)
    throw new PlanInputError(
      "target_soc_pct",
      `target_soc_pct must be above ${battery.min_soc_pct}, the minimum in the plant's settings.`,
    );
  if (action === "charge" && socPct !== undefined && socPct >= target)
    throw new PlanInputError(
      "target_soc_pct",
      `The battery is already at ${Math.floor(socPct)} %; send a higher target_soc_pct.`,
    );
  return { action, until: new Date(ceilTo(endMs, QUARTER_MS)), targetSocPct: target };
}

/** Whether the override has not ended: by its time, or because the battery has reached the SOC. */
export function isInForce(
  { action, until, targetSocPct }: BatteryOverride,
  { now, socPct }: { now: Date; socPct: number | undefined },
): boolean {
  return now < until && (action === "hold" || socPct === undefined || socPct < targetSocPct);
}

/** Whether the settings allow the override; they may have changed since it was made. */
export function canCarryOut({ battery }: PlantSettings, action: BatteryOverride["action"]): boolean {
  if (battery === null) return false;
  const controls = namedControls(battery);
  if (action === "hold") return controls.includes("hold") || controls.includes("standby");
  return controls.includes(action) && battery.grid_charge_allowed;
}

/** What an override of the battery costs or saves beside the plan, as a sentence. */
export function batteryCostText(moreEur: number, format: Format): string {
  const { overrideCost: texts } = textsOf(format.language).dashboard;
  if (Math.abs(moreEur) < 0.005) return texts.noMore;
  return (moreEur > 0 ? texts.more : texts.less)(format.number(Math.abs(moreEur)));
}
