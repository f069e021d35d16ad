import { isRecord } from "../../core/net/json.js";
import { isZone } from "../../core/time/zone.js";
import type { DeviceLoad } from "./device-load.js";
import type { LoadCorrection } from "./load-corrections.js";
import type { PresencePeriod } from "./presence.js";

/** What is known of a home's load. Plain data: it survives `JSON.parse(JSON.stringify(model))`. */
export interface LoadModel {
  timeZone: string;
  /** Start of the first of `hourKwh`. */
  fromMs: number;
  /** Measured hours of the last 70 days, oldest first; null where too little of an hour was measured. Without `devices`. */
  hourKwh: (number | null)[];
  /** Probability that the load keeps its rank among the loads of its clock hour for an hour, 0 to 0.85. */
  persistence: number;
  /** Times in which the home uses less or more than usual, past and to come; left out: none. */
  periods?: readonly PresencePeriod[];
  /** What people say of the learned hours; left out: nothing. */
  corrections?: readonly LoadCorrection[];
  /** Devices that are measured apart; left out: none. */
  devices?: readonly DeviceLoad[];
}

/** Whether a value has what a load model must have; a stored one of an earlier version has not. */
export function isLoadModel(value: unknown): value is LoadModel {
  if (!isRecord(value)) return false;
  const { timeZone, fromMs, hourKwh, persistence, devices = [] } = value;
  return (
    typeof timeZone === "string" &&
    isZone(timeZone) &&
    isAmount(fromMs) &&
    areHours(hourKwh) &&
    isAmount(persistence) &&
    Number(persistence) <= 1 &&
    Array.isArray(devices) &&
    devices.every((one) => isRecord(one) && isAmount(one.slot) && areHours(one.hourKwh))
  );
}

function areHours(value: unknown): boolean {
  return Array.isArray(value) && value.every((kwh) => kwh === null || isAmount(kwh));
}

function isAmount(value: unknown): boolean {
  return typeof value === "number" && Number.isFinite(value) && value >= 0;
}
