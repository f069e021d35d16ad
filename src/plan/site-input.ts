import type { ControlledMode } from "../domain/battery-mode.js";
import type { Interval } from "../domain/interval.js";
import type { PriceOrigin } from "../domain/price.js";
import type { SitePlan } from "./site-plan.js";

/** A battery as configured: energies as shares of its capacity, powers on the AC side. */
export interface BatteryModel {
  capacityKwh: number;
  minSocPct: number;
  maxSocPct: number;
  maxChargePowerKw: number;
  maxDischargePowerKw: number;
  /** Round trip. */
  efficiencyPct: number;
  /** Above minSocPct: what is kept where no recharge is in sight. */
  reservePct: number;
  wearCtKwh: number;
  gridChargeAllowed: boolean;
  exportAllowed: boolean;
  /** Modes that the installation can carry out, besides free self-consumption. */
  controls: readonly ControlledMode[];
}

/** Prices of one step of the plan, ct/kWh. */
export interface StepPrice extends Interval {
  /** Market price. */
  priceCtKwh: number;
  /** All-in import price; the market price without a tariff. */
  importCtKwh: number;
  exportCtKwh: number;
  source: PriceOrigin;
}

/** Everything that a site's plan is made of. One entry of `prices`, `loadKwh` and `pvKwh` a step from `now` on. */
export interface SiteInput {
  siteId: string;
  now: Date;
  zone: string;
  stepMinutes: 60 | 15;
  prices: readonly StepPrice[];
  loadKwh: readonly number[];
  /** Equally likely factors on the load of each step, mean 1; an empty or missing row: the load is certain. */
  loadRatios: readonly (readonly number[])[];
  pvKwh: readonly number[];
  /** The most that the battery may give in a step, kWh, where a wallbox limits it; undefined: what it can. */
  dischargeLimitKwh?: readonly (number | undefined)[];
  battery: BatteryModel;
  grid: { importLimitKw?: number; exportLimitKw?: number; curtailmentAllowed?: boolean };
  /** The SOC to plan from; `stale`: carried forward by the plan, `lost`: sets the fail-safe. */
  soc: { pct: number; ageMinutes: number; stale?: boolean; lost: boolean };
  /** The wallbox now, and the share of its power that the house battery may give. */
  ev: { powerKw: number; batterySharePct: number };
  /** The house without the car, now; what ev_charge_limit leaves to the battery. Unknown: the plan's expected load. */
  housePowerKw?: number;
  currentQuartile: 1 | 2 | 3 | 4;
  /** Load less PV as measured over the last quarter-hour, kW. */
  netLoadKw?: number;
  /** The plan before this one: a run in progress keeps its start, and its command is kept while another gains little. */
  previous?: SitePlan;
  /** The command of the previous plan stays in force: nothing has happened that calls for another decision. */
  keepCommand?: boolean;
}
