import type { Interval } from "../../core/domain/interval.js";
import type { DeviceState } from "../windows/estimates.js";
import type { EnergyStore } from "./store-states.js";

/** A device whose energy is placed by what it costs the site; plain data. Indices are those of the site's steps. */
export type Device = (StoreDevice | RunsDevice) & {
  /** False: the battery is held while the device runs, as at a wallbox without a share of the battery; default true. */
  batteryServes?: boolean;
  /** Energy of the first steps as scheduled so far, kWh: another step has to be cheaper by `HYSTERESIS_CT`. */
  keptKwh?: readonly number[];
};

/** Less is rounding, kWh. */
export const SHORT_KWH = 0.001;

/** Power of a device while it takes an energy within some hours, kW: with less than its least power it runs for a part of them. */
export function runsAtKw(device: StoreDevice | RunsDevice, kwh: number, hours: number): number {
  if (kwh < SHORT_KWH) return 0;
  return Math.max(device.kind === "runs" ? device.powerKw : device.store.minPowerKw, kwh / hours);
}

/** A vehicle or a heat store: energy is kept for later. */
export interface StoreDevice {
  kind: "store";
  store: EnergyStore;
}

/** A device that runs at one power for a demand in each of its windows. */
export interface RunsDevice {
  kind: "runs";
  powerKw: number;
  demands: readonly RunDemand[];
}

/** Energy wanted within the steps `from` to `to`, the last one excluded. */
export interface RunDemand {
  from: number;
  to: number;
  kwh: number;
  unbroken: boolean;
}

/** What is known of the site where its devices are planned. */
export interface DeviceSituation {
  now: Date;
  zone: string;
  /** Steps of the joint plan, the first one from `now` on. */
  steps: readonly Interval[];
  /** All-in import prices of the steps, ct/kWh. */
  importCtKwh: readonly number[];
  /** Expected PV less load in each step, kWh. */
  surplusKwh: readonly number[];
  /** Of the connection; left out: none. */
  importLimitKw?: number | undefined;
  state: DeviceState | undefined;
}
