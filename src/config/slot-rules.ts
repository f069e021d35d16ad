import type { SlotSettings, StoreSettings, VehicleSettings } from "./settings.js";
import type { FindingRule } from "./validate.js";

/** A contradiction within a slot's settings; `key` is dotted, below the slot. */
export interface SlotFinding {
  key: string;
  rule: FindingRule;
  message: string;
}

const VOLT = 230;
const LEAST_AMPERE = 6;
const USUAL_AMPERE = 16;

/** Least and largest charging power of a vehicle, kW: as set, otherwise 6 A and 16 A per phase (IEC 61851-1). */
export function chargingPower(
  vehicle: Pick<VehicleSettings, "min_power_kw" | "max_power_kw" | "phases">,
  slotPowerKw: number | null,
): { minKw: number; maxKw: number } {
  const kwPerAmpere = (VOLT * vehicle.phases) / 1000;
  const maxKw = vehicle.max_power_kw ?? slotPowerKw ?? USUAL_AMPERE * kwPerAmpere;
  // A set maximum below 6 A per phase means that the vehicle charges on fewer phases.
  return { minKw: vehicle.min_power_kw ?? Math.min(maxKw, LEAST_AMPERE * kwPerAmpere), maxKw };
}

/** The contradictions within the settings of a slot. */
export function slotFindings(slot: SlotSettings): SlotFinding[] {
  const findings: SlotFinding[] = [];
  if ((slot.window_start_hour === null) !== (slot.window_end_hour === null)) {
    findings.push({
      key: slot.window_start_hour === null ? "window_start_hour" : "window_end_hour",
      rule: "window_incomplete",
      message: "is missing: window_start_hour and window_end_hour are given together.",
    });
  }
  if (slot.energy_kwh !== null && slot.hours !== null) {
    findings.push({
      key: "hours",
      rule: "energy_and_hours",
      message: "cannot be given together with energy_kwh; keep one of them.",
    });
  }
  if (slot.sg_ready !== null && slot.kind !== "heat_pump") {
    findings.push({
      key: "sg_ready",
      rule: "sg_ready_kind",
      message: `is only possible for kind heat_pump; found kind ${slot.kind}.`,
    });
  }
  if (slot.vehicle !== null) findings.push(...vehicleFindings(slot, slot.vehicle));
  if (slot.store !== null) findings.push(...storeFindings(slot, slot.store));
  return findings;
}

function vehicleFindings(slot: SlotSettings, vehicle: VehicleSettings): SlotFinding[] {
  const findings: SlotFinding[] = [];
  if (slot.kind !== "wallbox") {
    findings.push({
      key: "vehicle",
      rule: "vehicle_kind",
      message: `is only possible for kind wallbox; found kind ${slot.kind}.`,
    });
  }
  if (vehicle.target_soc_pct < vehicle.min_soc_pct) {
    findings.push({
      key: "vehicle.target_soc_pct",
      rule: "target_soc_order",
      message: `must not be below min_soc_pct (${vehicle.min_soc_pct}); found ${vehicle.target_soc_pct}.`,
    });
  }
  if (
    typeof vehicle.departure !== "string" &&
    Object.values(vehicle.departure).every((time) => time === null)
  ) {
    findings.push({
      key: "vehicle.departure",
      rule: "departure_missing",
      message: 'must have a time for at least one weekday, such as { mon: "07:00" }.',
    });
  }
  const { minKw, maxKw } = chargingPower(vehicle, slot.power_kw);
  if (minKw > maxKw) {
    const source = vehicle.max_power_kw === null ? "the largest charging power" : "max_power_kw";
    findings.push({
      key: "vehicle.min_power_kw",
      rule: "charging_power_order",
      message: `must not exceed ${source} (${maxKw}); found ${minKw}.`,
    });
  }
  return findings;
}

function storeFindings(slot: SlotSettings, store: StoreSettings): SlotFinding[] {
  const findings: SlotFinding[] = [];
  if (slot.kind !== "boiler") {
    findings.push({
      key: "store",
      rule: "store_kind",
      message: `is only possible for kind boiler; found kind ${slot.kind}.`,
    });
  }
  if (slot.power_kw === null) {
    findings.push({
      key: "power_kw",
      rule: "store_power_missing",
      message: "is missing: a store needs the power of its heating element.",
    });
  }
  if (store.min_c >= store.max_c) {
    findings.push({
      key: "store.min_c",
      rule: "temperature_order",
      message: `must be below max_c (${store.max_c}); found ${store.min_c}.`,
    });
  }
  if (store.draw_profile?.every((share) => share === 0) && store.daily_kwh !== 0) {
    findings.push({
      key: "store.draw_profile",
      rule: "weights_zero",
      message: "must have at least one value over 0.",
    });
  }
  return findings;
}
