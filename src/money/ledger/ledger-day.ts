import type { BatteryMode, ControlledMode, StorageLimits } from "../../core/domain/battery.js";
import type { SlotNumber } from "../../core/domain/slot.js";
import type { ConnectionLimits } from "../../plan/physics/inverter.js";
import type { SettledPrices } from "../../tariff/settled-price.js";
import type { Tariff } from "../../tariff/tariff.js";

/** What was measured in a quarter-hour, kWh, and the prices in force; undefined: not known. */
export interface LedgerQuarter extends SettledPrices {
  importKwh: number | undefined;
  exportKwh: number | undefined;
  pvKwh: number | undefined;
  /** Load less PV: what the home would draw without a battery; negative: feed in. */
  netKwh: number | undefined;
  /** All that the home used, flexible devices and vehicle included. */
  loadKwh: number | undefined;
  /** AC energies into the battery and out of it. */
  chargeKwh: number | undefined;
  dischargeKwh: number | undefined;
  /** Parts of import and export that belong to an energy community. */
  communityKwh: number;
  communityExportKwh: number;
  /** Energy of each device slot that reports its power. */
  slotKwh: Partial<Record<SlotNumber, number>>;
}

/** A quarter-hour in which everything is known that its bills need; a market price that they do not need is 0. */
export interface KnownQuarter {
  start: Date;
  importKwh: number;
  exportKwh: number;
  /** Load less PV. */
  netKwh: number;
  communityKwh: number;
  communityExportKwh: number;
  spotCtKwh: number;
  importCtKwh: number;
  exportCtKwh: number;
}

/** The battery and the connection of a site, as the counterfactuals simulate them. */
export interface LedgerPlant {
  battery: (StorageLimits & { capacityKwh: number; wearCtKwh: number }) | null;
  controls: readonly ControlledMode[];
  connection: ConnectionLimits;
  curtailmentAllowed: boolean;
}

/** A device that hourgate plans, whose energy is measured: what it took, and when it would have taken it uncontrolled. */
export interface LedgerDevice {
  slot: SlotNumber;
  /** While it runs; never below what was measured. */
  powerKw: number;
  /** Energy by quarter-hour of the day, kWh. */
  kwh: readonly (number | undefined)[];
  /** When a vehicle was connected, or the windows of the settings; in order of time, the first may begin on a day before. */
  spans?: readonly { fromMs: number; endMs: number }[];
  /** Instead: a device without a window, by the share of its energy in each quarter-hour of the day. */
  shares?: readonly number[];
}

/** A stretch of the plan of a morning. */
export interface PromisedStep {
  startMs: number;
  endMs: number;
  mode: BatteryMode;
  /** `charge`: planned state of charge at its end, percent. */
  stopSocPct?: number;
  /** `discharge`: planned power, kW. */
  dischargeKw?: number;
  /** Planned state of charge at the end, percent; promises of earlier versions lack it. */
  socEndPct?: number;
  /** Planned energy of the devices, kWh; left out: none, or not recorded. */
  devicesKwh?: number;
}

/** What the first plan of a local day said about that day. */
export interface DayPromise {
  /** Expected saving against the same home uncontrolled, EUR. */
  savingEur: number;
  /** Empty where only the saving was recorded. */
  steps: readonly PromisedStep[];
}

/** What the first plan of a local day expected of an hour of the next day. */
export interface ForecastStep {
  startMs: number;
  endMs: number;
  /** Market price without VAT; absent where it was published already. */
  priceCtKwh?: number;
  pvKwh: number;
  loadKwh: number;
}

/** Everything that the figures of a day are computed from. */
export interface LedgerDay {
  date: string;
  start: Date;
  zone: string;
  tariff: Tariff | null;
  plant: LedgerPlant;
  /** On the UTC grid from `start`; 92, 96 or 100. */
  quarters: readonly LedgerQuarter[];
  /** Devices that are planned and measured. */
  devices: readonly LedgerDevice[];
  /** Stored energy at the start and end as measured, kWh. */
  socStartKwh: number | undefined;
  socEndKwh: number | undefined;
  promise: DayPromise | undefined;
  /** How the day before ended; undefined: it is not complete. */
  opening: DayClosing | undefined;
  /** Causes that are known of a saving below zero. */
  incidents?: DayIncidents | undefined;
}

/** What happened on a day that can make a saving negative. */
export interface DayIncidents {
  /** A person overrode the plan of the battery. */
  overridden?: true;
  /** The battery did not follow its commands. */
  notFollowed?: true;
}

/** Stored energy of a battery that is not controlled, and what is stored in the real one beyond that. */
export interface UncontrolledEnd {
  /** Energy stored in the uncontrolled battery, kWh; 0 without a battery. */
  uncontrolledKwh: number;
  /** Worth of what is stored in the battery beyond that, EUR. */
  aheadEur: number;
}

/** The end of a day, from which the uncontrolled home goes on in the next one. */
export interface DayClosing extends UncontrolledEnd {
  /** Only the battery is uncontrolled, the devices are as they were; left out: the same. */
  batteryOnly?: UncontrolledEnd;
}

/** The uncontrolled home of a day, to go on from it when energy of the next day would have been taken on this one. */
export interface UncontrolledDay {
  /** Stored at its start, kWh. */
  startKwh: number;
  /** Load less PV of each quarter-hour; null: not known. */
  netKwh: readonly (number | null)[];
}

/** Why a day cost more than the uncontrolled home would have. */
export const NEGATIVE_REASONS = ["override", "not_followed", "kept", "forecast"] as const;

export type NegativeReason = (typeof NEGATIVE_REASONS)[number];

/** The energies of a day or a part of it, kWh. */
export const ENERGIES = ["import", "export", "pv", "load", "charge", "discharge"] as const;
export type EnergyName = (typeof ENERGIES)[number];
export type Energies = Record<EnergyName, number>;

/** Energies by their names. */
export function energiesBy(kwh: (name: EnergyName) => number): Energies {
  return Object.fromEntries(ENERGIES.map((name) => [name, kwh(name)])) as Energies;
}

/** The amounts of a day or a period, EUR: those of tables and CSV in their order, then the parts of what was saved. */
export const AMOUNTS = [
  "costEur",
  "uncontrolledEur",
  "noBatteryEur",
  "promisedEur",
  "perfectEur",
  "storedChangeEur",
  "savedEur",
  "savedBatteryEur",
  "savedDevicesEur",
] as const;
export type Amount = (typeof AMOUNTS)[number];

/** The result of a local day. Amounts in EUR; null where they are not known. */
export interface DayFigures {
  date: string;
  /** The day is over and at least 90 % of its quarter-hours are known; otherwise every amount is null. */
  complete: boolean;
  /** As billed: energy, grid, levies and VAT, less feed-in, with a day's share of the fixed amounts. */
  costEur: number | null;
  noBatteryEur: number | null;
  /** The bill with battery and devices uncontrolled since the first complete day, `storedChangeEur` included. */
  uncontrolledEur: number | null;
  /**
   * The bills if the plan of the morning, or the best one, had been followed, with the same energy stored at the end. The best one is
   * never above `costEur` and `uncontrolledEur`.
   */
  promisedEur: number | null;
  perfectEur: number | null;
  /** Worth of the energy stored in the battery beyond that of the uncontrolled one: change over the day. */
  storedChangeEur: number | null;
  /** `uncontrolledEur - costEur`. */
  savedEur: number | null;
  /** The parts of `savedEur` by the battery and by the devices. */
  savedBatteryEur: number | null;
  savedDevicesEur: number | null;
  /** Why `savedEur` is below zero; null where it is not. */
  negativeReason: NegativeReason | null;
  /** The day so far: it is not over, but its amounts count in sums. */
  soFar?: true;
  /** The day was before hourgate was installed: it counts in no sum. */
  isEarlier?: true;
  /** Saving that the plan expected in the morning. */
  promisedSavingEur: number | null;
  kwh: Energies;
  /** Quarter-hours without a measurement or a price. */
  missingQuarters: number;
}
