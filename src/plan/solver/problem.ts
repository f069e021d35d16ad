import type { OptimizerRequest, RequestedBattery } from "./request.js";

/** A battery or vehicle: energies in kWh, powers as energy per step in kWh, money in units of `Problem.unit`. */
export interface StorageUnit {
  /** Soft bounds of the energy at the end of a step. */
  softMin: number;
  softMax: number;
  /** Hard upper bound. */
  capacity: number;
  initial: number;
  /** Smallest energy of a step in which it charges, by step. */
  leastCharge: readonly number[];
  mostCharge: readonly number[];
  mostDischarge: readonly number[];
  /** Value of a kWh left at the end. */
  terminalValue: number;
  /** May charge in steps with import. */
  fromGrid: boolean;
  /** May discharge in steps with export. */
  toGrid: boolean;
  /** Energy wanted at the end of a step; 0 for none. */
  goal: readonly number[];
  /** Energy wanted as charge in a step, at most `mostCharge`; 0 for none. */
  demand: readonly number[];
  priority: number;
}

/** The optimisation problem of a request: energies in kWh, money in units of `unit`. */
export interface Problem {
  steps: number;
  /** The first steps, in which a unit charges or not, and the grid has one side; later steps are an outlook without these rules. */
  wholeSteps: number;
  /** Currency of one unit of money: the largest price of a kWh, so that costs are about 1 in any currency. */
  unit: number;
  hours: readonly number[];
  /** PV yield minus demand of the home in each step. */
  surplus: readonly number[];
  importPrice: readonly number[];
  exportPrice: readonly number[];
  chargeEfficiency: number;
  dischargeEfficiency: number;
  /** Energy that may be imported and exported in each step; undefined for no limit. */
  importLimit: readonly number[] | undefined;
  exportLimit: readonly number[] | undefined;
  /** Price of a kW beyond the import limit, once for the highest; undefined: the limit is kept where possible. */
  peakPrice: number | undefined;
  /** Base of all penalties, per kWh. */
  penalty: number;
  units: readonly StorageUnit[];
  exportsLate: boolean;
  importsLate: boolean;
  flattensImport: boolean;
  flattensExport: boolean;
}

const WH = 1000;
const DEFAULT_EFFICIENCY = 0.95;
/** Lower bound of the penalties, currency per Wh. */
const LEAST_PENALTY = 1e-4;

/** The problem in the units of the solver. */
export function problemOf(request: OptimizerRequest): Problem {
  const { time_series: series, batteries } = request;
  const grid = request.grid ?? {};
  const { charging_strategy: charging, discharging_strategy: discharging } = request.strategy ?? {};
  const hours = series.dt.map((seconds) => seconds / 3600);
  const importLimit = grid.p_max_imp ?? undefined;
  const exportLimit = grid.p_max_exp ?? undefined;
  const peakPrice = importLimit === undefined ? undefined : (grid.prc_p_exc_imp ?? undefined);
  const prices = [...series.p_N, ...series.p_E];
  const unit = prices.reduce((most, price) => Math.max(most, Math.abs(price)), LEAST_PENALTY) * WH;
  const perKwh = (price: number) => (price * WH) / unit;
  const penalty = [
    ...prices,
    ...batteries.map((battery) => battery.p_a),
    peakPrice === undefined ? 0 : peakPrice / Math.min(...hours),
  ].reduce((most, price) => Math.max(most, price), LEAST_PENALTY);
  const limitOf = (watts: number | undefined) =>
    watts === undefined ? undefined : hours.map((length) => (watts * length) / WH);
  return {
    steps: hours.length,
    wholeSteps: hours.length,
    unit,
    hours,
    surplus: series.ft.map((yielded, t) => (yielded - series.gt[t]!) / WH),
    importPrice: series.p_N.map(perKwh),
    exportPrice: series.p_E.map(perKwh),
    chargeEfficiency: request.eta_c ?? DEFAULT_EFFICIENCY,
    dischargeEfficiency: request.eta_d ?? DEFAULT_EFFICIENCY,
    importLimit: limitOf(importLimit),
    exportLimit: limitOf(exportLimit),
    peakPrice: peakPrice === undefined ? undefined : perKwh(peakPrice),
    penalty: perKwh(penalty),
    units: batteries.map((battery) => storageUnit(battery, hours, perKwh)),
    exportsLate: charging === "charge_before_export",
    importsLate: discharging === "discharge_before_import",
    flattensImport: charging === "attenuate_demand_peaks" || charging === "attenuate_grid_peaks",
    flattensExport: charging === "attenuate_feedin_peaks" || charging === "attenuate_grid_peaks",
  };
}

function storageUnit(
  battery: RequestedBattery,
  hours: readonly number[],
  perKwh: (price: number) => number,
): StorageUnit {
  const capacity = battery.s_capacity || undefined;
  // evcc sends 0 as the upper bound of a battery whose meter reports no limits; taken literally the battery would be drained.
  const softMax = battery.s_max === 0 && capacity !== undefined ? capacity : battery.s_max;
  const mostCharge = hours.map((length) => (battery.c_max * length) / WH);
  const goals = battery.s_goal ?? [];
  const demands = battery.p_demand ?? [];
  return {
    softMin: battery.s_min / WH,
    softMax: softMax / WH,
    capacity: (capacity ?? softMax) / WH,
    initial: battery.s_initial / WH,
    leastCharge: hours.map((length) => (battery.c_min * length) / WH),
    mostCharge,
    mostDischarge: hours.map((length) => (battery.d_max * length) / WH),
    terminalValue: perKwh(battery.p_a),
    fromGrid: battery.charge_from_grid ?? false,
    toGrid: battery.discharge_to_grid ?? false,
    // The entry of the first step has no effect.
    goal: hours.map((_, t) => (t === 0 ? 0 : (goals[t] ?? 0) / WH)),
    demand: mostCharge.map((most, t) => Math.min((demands[t] ?? 0) / WH, most)),
    priority: battery.c_priority ?? 0,
  };
}
