import type { PlantSettings, SlotSettings } from "../../config/settings.js";
import { chargingPower } from "../../config/slot-rules.js";
import type { OverrideRequest } from "./override.js";
import { FlexInputError } from "./request.js";
import type { SlotOverride } from "./slot-schedule.js";

/** Largest energy of a guest's vehicle, kWh. */
const MOST_KWH = 1000;

/**
 * The settings of a slot as an override changes them until it ends: the target and the least state of charge of its vehicle, only PV
 * surplus, or the vehicle of a guest, of which nothing is known. Pure.
 */
export function overriddenSettings(settings: SlotSettings, override: SlotOverride | undefined): SlotSettings {
  const { vehicle } = settings;
  if (vehicle === null) return settings;
  const { action, targetSocPct = vehicle.target_soc_pct, minSocPct } = override ?? {};
  switch (action) {
    case "target":
      return {
        ...settings,
        vehicle: {
          ...vehicle,
          target_soc_pct: targetSocPct,
          min_soc_pct: minSocPct ?? Math.min(vehicle.min_soc_pct, targetSocPct),
          // Surplus alone promises no target by a time.
          surplus: vehicle.surplus === "only" ? "prefer" : vehicle.surplus,
        },
      };
    case "surplus":
      return {
        ...settings,
        vehicle: { ...vehicle, min_soc_pct: minSocPct ?? vehicle.min_soc_pct, surplus: "only" },
      };
    case "guest":
      return { ...settings, vehicle: null, power_kw: chargingPower(vehicle, settings.power_kw).maxKw };
    default:
      return settings;
  }
}

/** The departure that an override sets once, in place of those by weekday until the end of its day. */
export function onceLeavesAt(override: SlotOverride | undefined): Date | undefined {
  return override?.action === "target" ? override.until : undefined;
}

/** Whether the schedule of an override is a request of its own, which ends with it. */
export function isOwnRequest(override: SlotOverride | undefined): boolean {
  return override?.action === "full" || override?.action === "guest";
}

/** Throws FlexInputError where the settings of a slot do not allow an override of its vehicle, or a value of it does not fit. */
export function checkVehicleOverride(
  { action, targetSocPct, minSocPct, energyKwh }: OverrideRequest,
  {
    slot,
    settings,
    plant,
    socPct,
  }: { slot: number; settings: SlotSettings; plant: Pick<PlantSettings, "pv">; socPct: number | undefined },
): void {
  const { vehicle, kind, power_kw } = settings;
  const isOfVehicle = action === "target" || action === "surplus";
  const refuse = (field: string, message: string): never => {
    throw new FlexInputError(field, message);
  };
  if (targetSocPct !== undefined && action !== "target")
    refuse("target_soc_pct", "target_soc_pct applies to target only; leave it out.");
  if (minSocPct !== undefined && !isOfVehicle)
    refuse("min_soc_pct", "min_soc_pct applies to target and surplus only; leave it out.");
  if (energyKwh !== undefined && action !== "guest")
    refuse("energy_kwh", "energy_kwh applies to guest only; leave it out.");
  if (isOfVehicle && vehicle === null)
    refuse("override", `Slot ${slot} has no vehicle in its settings: enter it first, or send run or skip.`);
  if (action === "surplus" && plant.pv.length === 0)
    refuse("override", "The plant has no PV in its settings: surplus needs one.");
  const target = action === "target" ? (targetSocPct ?? vehicle?.target_soc_pct ?? 100) : 100;
  if (minSocPct !== undefined && minSocPct > target)
    refuse("min_soc_pct", `min_soc_pct must be at most ${target}, the target.`);
  if (minSocPct !== undefined && socPct === undefined)
    refuse(
      "min_soc_pct",
      "The state of charge of the vehicle is not known: send it first, or leave min_soc_pct out.",
    );
  if (action !== "guest") return;
  if (kind !== "wallbox") refuse("override", `Slot ${slot} is no wallbox: guest is for the vehicle at one.`);
  if (vehicle === null && power_kw === null)
    refuse("override", `The power of slot ${slot} is not known: enter power_kw in its settings first.`);
  if (energyKwh === undefined || energyKwh <= 0 || energyKwh > MOST_KWH)
    refuse("energy_kwh", `energy_kwh must be above 0 and at most ${MOST_KWH}: the energy for the vehicle.`);
}
