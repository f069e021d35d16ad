import { hasFields, isAmount, isListOf, isMaybe, isNullOr, isText } from "../../core/shape.js";
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

const areHours = isListOf(isNullOr(isAmount));
const hasModelFields = hasFields<
  Pick<LoadModel, "timeZone" | "fromMs" | "hourKwh" | "persistence" | "devices">
>({
  timeZone: (value): value is string => isText(value) && isZone(value),
  fromMs: isAmount,
  hourKwh: areHours,
  persistence: isAmount,
  devices: isMaybe(isListOf(hasFields<DeviceLoad>({ slot: isAmount, hourKwh: areHours }))),
});

/** Whether a value has what a load model must have; a stored one of an earlier version has not. */
export function isLoadModel(value: unknown): value is LoadModel {
  return hasModelFields(value) && value.persistence <= 1;
}
