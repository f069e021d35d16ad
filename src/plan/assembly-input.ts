import type { PlantSettings } from "../config/settings.js";
import type { Interval } from "../core/domain/interval.js";
import type { PresentDevice } from "../forecast/load/device-load.js";
import type { LoadModel } from "../forecast/load/load-model.js";
import type { ForecastHour } from "../forecast/price/forecast.js";
import type { Prices } from "../tariff/compile-tariff.js";
import type { BatteryOverride } from "./battery-override.js";
import type { NetLoad } from "./net-load.js";
import type { PvNodes } from "./policy/policy-input.js";
import type { BatterySharePct, SiteInput } from "./site-input.js";

/** The known facts of a site at a moment, without overrides. */
export interface AssemblyInput {
  siteId: string;
  now: Date;
  plant: PlantSettings;
  stepMinutes: 60 | 15;
  /** From the current hour on. */
  hours: readonly ForecastHour[];
  /** Price of a quarter-hour within an hour, EUR/MWh. */
  quarter: (hour: ForecastHour, quarterStartMs: number) => number;
  /** Undefined: no tariff; the market price applies to import and export. */
  tariff: Prices | undefined;
  /** The SOC to plan from; undefined if none was ever received. */
  soc: SiteInput["soc"] | undefined;
  evPowerKw: number;
  sitePowerKw: number | undefined;
  currentQuartile: 1 | 2 | 3 | 4;
  /** The learned load; undefined or left out: the load of the settings. */
  load?: LoadModel | undefined;
  /** Devices of it that are part of the expected load; left out: none. */
  apart?: ExpectedDevices;
  /** What was measured over the last quarter-hour. */
  measured?: NetLoad | undefined;
  /** Forecast PV energy of each step, kWh; undefined or left out: none. */
  pvKwh?: ((steps: readonly Interval[]) => number[] | undefined) | undefined;
  /** Factors on it by what the home measured; undefined or left out: the usual ones. */
  pvNodes?: PvNodes | undefined;
  /** The highest quarter-hour mean import of the local month so far, kW; undefined or left out: not known. */
  peakImportKw?: number | undefined;
  /** Flexible devices; left out: none. */
  flex?: PlannedFlex;
  /** The override of the battery in force; left out: none. */
  override?: BatteryOverride | undefined;
}

/** Devices that are measured apart and part of the expected load. */
export interface ExpectedDevices {
  devices: readonly PresentDevice[];
  /** A vehicle is among them, whose power is part of the net load then. */
  vehicleIsExpected: boolean;
}

/** Flexible devices in the plan. */
export interface PlannedFlex {
  /** Their energy in each step, kWh. */
  loadKwh(steps: readonly Interval[]): number[];
  /** Charging time of the wallboxes with a fixed share of the battery in each step, and the energy that it may serve. */
  wallboxes(steps: readonly Interval[]): { hours: number; fromBatteryKwh: number }[];
  batterySharePct: BatterySharePct;
}
