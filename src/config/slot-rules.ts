import type { ConfigTexts } from "../texts/index.js";
import type { SlotSettings, StoreSettings, VehicleSettings } from "./settings.js";
import type { FindingRule } from "./validate.js";

/** A contradiction within the settings of a slot or a plant; `key` is dotted, below it. */
export interface KeyFinding {
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

/** The most that one phase gives a wallbox, A. */
const ONE_PHASE_AMPERE = 32;

/** Least charging power of a wallbox with a greatest one, kW: 6 A per phase, on three phases where one does not have it. */
export function leastChargingKw(powerKw: number): number {
  const phases = powerKw > (ONE_PHASE_AMPERE * VOLT) / 1000 ? 3 : 1;
  return chargingPower({ min_power_kw: null, max_power_kw: powerKw, phases }, powerKw).minKw;
}

/** The share of a slot's energy that the settings take from the home battery, percent; undefined: the plan decides. */
export function fixedBatteryShare({
  battery_to_ev_pct: share,
}: Pick<SlotSettings, "battery_to_ev_pct">): number | undefined {
  return typeof share === "number" ? share : undefined;
}

type RunSettings = Pick<SlotSettings, "min_run_minutes" | "max_starts_per_day">;

/** How a kind of device is switched by its settings where they say nothing: each start wears relays and compressors. */
const USUAL_RUNS: Readonly<Record<SlotSettings["kind"], RunSettings>> = {
  wallbox: { min_run_minutes: 30, max_starts_per_day: 3 },
  boiler: { min_run_minutes: 30, max_starts_per_day: null },
  heat_pump: { min_run_minutes: 60, max_starts_per_day: null },
  other: { min_run_minutes: null, max_starts_per_day: null },
};

/** The least run and the most starts of a slot: as set, otherwise as usual for its kind. */
export function runSettings({
  kind,
  min_run_minutes,
  max_starts_per_day,
}: RunSettings & Pick<SlotSettings, "kind">): RunSettings {
  const usual = USUAL_RUNS[kind];
  return {
    min_run_minutes: min_run_minutes ?? usual.min_run_minutes,
    max_starts_per_day: max_starts_per_day ?? usual.max_starts_per_day,
  };
}

/** Local hour at which the day begins in which starts are counted: a night of a wallbox is not divided. */
export function dayBeginsOf({ kind }: Pick<SlotSettings, "kind">): number {
  return kind === "wallbox" ? 12 : 0;
}

/** The contradictions within the settings of a slot. */
export function slotFindings(slot: SlotSettings, texts: ConfigTexts["rules"]): KeyFinding[] {
  const findings: KeyFinding[] = [];
  if ((slot.window_start_hour === null) !== (slot.window_end_hour === null)) {
    findings.push({
      key: slot.window_start_hour === null ? "window_start_hour" : "window_end_hour",
      rule: "window_incomplete",
      message: texts.windowHours,
    });
  }
  if (slot.energy_kwh !== null && slot.hours !== null) {
    findings.push({
      key: "hours",
      rule: "energy_and_hours",
      message: texts.energyAndHours,
    });
  }
  if (slot.sg_ready !== null && slot.kind !== "heat_pump") {
    findings.push({
      key: "sg_ready",
      rule: "sg_ready_kind",
      message: texts.onlyKind("heat_pump", slot.kind),
    });
  }
  if (slot.vehicle !== null) findings.push(...vehicleFindings(slot, slot.vehicle, texts));
  if (slot.store !== null) findings.push(...storeFindings(slot, slot.store, texts));
  return findings;
}

function vehicleFindings(
  slot: SlotSettings,
  vehicle: VehicleSettings,
  texts: ConfigTexts["rules"],
): KeyFinding[] {
  const findings: KeyFinding[] = [];
  if (slot.kind !== "wallbox") {
    findings.push({
      key: "vehicle",
      rule: "vehicle_kind",
      message: texts.onlyKind("wallbox", slot.kind),
    });
  }
  if (vehicle.target_soc_pct < vehicle.min_soc_pct) {
    findings.push({
      key: "vehicle.target_soc_pct",
      rule: "target_soc_order",
      message: texts.notBelow("min_soc_pct", vehicle.min_soc_pct, vehicle.target_soc_pct),
    });
  }
  if (
    typeof vehicle.departure !== "string" &&
    Object.values(vehicle.departure).every((time) => time === null)
  ) {
    findings.push({
      key: "vehicle.departure",
      rule: "departure_missing",
      message: texts.departure,
    });
  }
  const { minKw, maxKw } = chargingPower(vehicle, slot.power_kw);
  if (minKw > maxKw) {
    const source = vehicle.max_power_kw === null ? undefined : "max_power_kw";
    findings.push({
      key: "vehicle.min_power_kw",
      rule: "charging_power_order",
      message: texts.notAbove(source, maxKw, minKw),
    });
  }
  return findings;
}

function storeFindings(slot: SlotSettings, store: StoreSettings, texts: ConfigTexts["rules"]): KeyFinding[] {
  const findings: KeyFinding[] = [];
  if (slot.kind !== "boiler") {
    findings.push({
      key: "store",
      rule: "store_kind",
      message: texts.onlyKind("boiler", slot.kind),
    });
  }
  if (slot.power_kw === null) {
    findings.push({
      key: "power_kw",
      rule: "store_power_missing",
      message: texts.storePower,
    });
  }
  if (store.min_c >= store.max_c) {
    findings.push({
      key: "store.min_c",
      rule: "temperature_order",
      message: texts.below("max_c", store.max_c, store.min_c),
    });
  }
  if (store.draw_profile?.every((share) => share === 0) && store.daily_kwh !== 0) {
    findings.push({
      key: "store.draw_profile",
      rule: "weights_zero",
      message: texts.noShare,
    });
  }
  return findings;
}
