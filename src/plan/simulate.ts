import type { DischargeReason } from "../domain/discharge-reason.js";
import { HOUR_MS, type Interval } from "../domain/interval.js";
import type { ForecastHour } from "../forecast/forecast.js";
import type { PriceSeries } from "../market/price-series.js";
import type { Prices } from "../market/tariff.js";
import { expectedLoad, type LoadProfile } from "./load-profile.js";
import { planSite } from "./plan-site.js";
import { UNCONTROLLED } from "./simulate-step.js";
import { realSite, runSite, type SimulatedRun, totals } from "./simulated-run.js";
import type { BatteryModel, SiteInput, StepPrice } from "./site-input.js";
import type { SitePlan } from "./site-plan.js";
import { siteProblem } from "./site-problem.js";
import { type PlanProblem, solve } from "./solve.js";

/** A house, its prices and what could be known of them. */
export interface SimulationInput {
  /** What was really published. */
  series: PriceSeries;
  /** `[from, to)`, full UTC hours. */
  from: Date;
  to: Date;
  zone: string;
  /** Undefined: the market price counts both ways. */
  tariff: Prices | undefined;
  battery: BatteryModel;
  grid?: SiteInput["grid"];
  /** What the house really used, one entry an hour from `from`, kWh. */
  actualLoadKwh: readonly number[];
  /** The same of its PV; left out: it has none. */
  actualPvKwh?: readonly number[];
  /** The prices as known at an instant, from the hour in progress on. */
  hoursAt(now: Date): readonly ForecastHour[];
  /** What the house was expected to use, as known at an instant; left out: the plan knows it. */
  loadModelAt?(now: Date): LoadProfile;
  /** Expected PV of the hours, kWh, as known at an instant; left out: the plan knows it. */
  expectedPvKwh?(now: Date, hours: readonly Interval[]): number[];
  /** Called after each simulated hour. */
  onProgress?(done: number, total: number): void;
}

/** What the commands of an hour amount to: charge from the grid, hold the stored energy back (in part), or neither. */
type Mode = "charge" | "hold" | "free";

export interface SimulationResult {
  from: Date;
  to: Date;
  days: number;
  /** Hours without a published price: the battery rested and nothing was counted. */
  hoursLeftOut: number;
  /** What a kWh stored at the end counts, ct; the same in every run. */
  storedWorthCtKwh: number;
  /** Steered by a plan made anew each hour. */
  planned: SimulatedRun;
  /** The same battery without grid charging: stores PV surplus, feeds the load. */
  unsteered: SimulatedRun;
  noBattery: SimulatedRun;
  /** The cheapest that was possible, had everything been known. */
  perfect: SimulatedRun;
  /** Share of the perfect saving against `unsteered` that the plan reached; undefined where nothing could be saved. */
  capturedShare: number | undefined;
  /** How often a day the mode changed from one hour to the next. */
  modeChangesPerDay: number;
  hoursByMode: Record<Mode, number>;
  hoursByReason: Partial<Record<DischargeReason, number>>;
}

/**
 * Runs a house through recorded prices: each full hour it is planned with what was known then, and then the real hour
 * happens. Every run begins with the battery at its minimum; what is stored at the end counts the same in all of them,
 * so that none gains by a full or an empty battery. Throws RangeError for a period that is none or without a price.
 */
export function simulateSite(input: SimulationInput): SimulationResult {
  const { battery, series } = input;
  const prices = realPrices(input);
  const problem = realProblem(input, prices);
  const house = realSite(problem, battery.capacityKwh);
  const count = prices.length;

  let previous: SitePlan | undefined;
  let mode: Mode | undefined;
  let changes = 0;
  const hoursByMode = { charge: 0, hold: 0, free: 0 };
  const hoursByReason: SimulationResult["hoursByReason"] = {};
  const planned = runSite(house, (t, socKwh) => {
    const plan = planSite(planInput(input, prices, t, socKwh, previous));
    previous = plan;
    const { chargePowerKw, chargeStopSocPct, dischargePowerKw, dischargeReason } = plan.scalars;
    const chargeNow = plan.scalars.chargeNow === 1;
    const lowered = dischargePowerKw < battery.maxDischargePowerKw - 1e-9;
    const next = chargeNow ? "charge" : lowered ? "hold" : "free";
    if (mode !== undefined && next !== mode) changes++;
    mode = next;
    hoursByMode[next]++;
    hoursByReason[dischargeReason] = (hoursByReason[dischargeReason] ?? 0) + 1;
    input.onProgress?.(t + 1, count);
    const stopKwh = (battery.capacityKwh * chargeStopSocPct) / 100;
    return { chargeNow, chargePowerKw, stopKwh, dischargePowerKw };
  });
  const unsteered = runSite(house, () => UNCONTROLLED);
  const noBattery = runSite(house, () => undefined);
  const best = solve({ ...problem, terminal: [{ kwh: Infinity, ctKwh: house.storedWorthCtKwh }] });
  const perfect = totals(house, best.steps, best.steps.at(-1)!.socEndKwh);

  const possibleEur = unsteered.costEur - perfect.costEur;
  return {
    from: input.from,
    to: input.to,
    days: count / 24,
    hoursLeftOut: prices.filter((price) => series.hour(price.start.getTime()) === undefined).length,
    storedWorthCtKwh: house.storedWorthCtKwh,
    planned,
    unsteered,
    noBattery,
    perfect,
    capturedShare: possibleEur > 1e-6 ? (unsteered.costEur - planned.costEur) / possibleEur : undefined,
    modeChangesPerDay: changes / (count / 24),
    hoursByMode,
    hoursByReason,
  };
}

function stepPrice(start: Date, eurPerMwh: number, { tariff }: SimulationInput): Omit<StepPrice, "source"> {
  const priceCtKwh = eurPerMwh / 10;
  return {
    start,
    end: new Date(start.getTime() + HOUR_MS),
    priceCtKwh,
    importCtKwh: tariff?.importCtKwh(priceCtKwh, start) ?? priceCtKwh,
    exportCtKwh: tariff?.exportCtKwh(priceCtKwh, start) ?? priceCtKwh,
  };
}

/** The prices of the real hours. Throws RangeError for a period that is none or without a price. */
export function realPrices(input: SimulationInput): StepPrice[] {
  const { from, to, series, actualLoadKwh, actualPvKwh } = input;
  const count = (to.getTime() - from.getTime()) / HOUR_MS;
  if (!(count >= 1) || from.getTime() % HOUR_MS !== 0 || !Number.isInteger(count))
    throw new RangeError("from and to must be full hours, to at least an hour after from.");
  if (actualLoadKwh.length < count)
    throw new RangeError(`actualLoadKwh needs ${count} entries, one an hour.`);
  if (actualPvKwh !== undefined && actualPvKwh.length < count)
    throw new RangeError(`actualPvKwh needs ${count} entries, one an hour.`);
  const prices = Array.from({ length: count }, (_, t): StepPrice => {
    const start = new Date(from.getTime() + t * HOUR_MS);
    return { ...stepPrice(start, series.hour(start.getTime()) ?? 0, input), source: "day_ahead" };
  });
  if (prices.every(({ start }) => series.hour(start.getTime()) === undefined))
    throw new RangeError("No price is known from from to to.");
  return prices;
}

/** The real hours as one problem. An hour without a price costs nothing and lets the battery rest. */
export function realProblem(input: SimulationInput, prices: readonly StepPrice[]): PlanProblem {
  const { battery, series, actualLoadKwh, actualPvKwh = [] } = input;
  const problem = siteProblem({
    ...commonInput(input, input.from, battery.minSocPct),
    prices,
    loadKwh: actualLoadKwh,
    pvKwh: actualPvKwh,
  });
  const steps = problem.steps.map((step, t) => {
    const known = series.hour(prices[t]!.start.getTime()) !== undefined;
    return known ? step : { ...step, loadKwh: 0, pvKwh: 0, maxChargeKwh: 0, maxDischargeKwh: 0 };
  });
  return { ...problem, steps };
}

function commonInput(input: SimulationInput, now: Date, socPct: number) {
  return {
    siteId: "simulation",
    now,
    zone: input.zone,
    stepMinutes: 60 as const,
    battery: input.battery,
    grid: input.grid ?? {},
    soc: { pct: socPct, ageMinutes: 0, lost: false },
    ev: { powerKw: 0, batterySharePct: 0 },
    currentQuartile: 1 as const,
  };
}

/** What the planner is given in hour `t`. */
export function planInput(
  input: SimulationInput,
  real: readonly StepPrice[],
  t: number,
  socKwh: number,
  previous: SitePlan | undefined,
): SiteInput {
  const now = real[t]!.start;
  const hours = input.hoursAt(now);
  const prices = hours.map((hour) => ({ ...stepPrice(hour.start, hour.p50, input), source: hour.source }));
  const known = (values: readonly number[] | undefined) => prices.map((_, index) => values?.[t + index] ?? 0);
  return {
    ...commonInput(input, now, (100 * socKwh) / input.battery.capacityKwh),
    prices,
    loadKwh:
      input.loadModelAt === undefined
        ? known(input.actualLoadKwh)
        : expectedLoad(prices, input.loadModelAt(now), input.zone),
    pvKwh: input.expectedPvKwh?.(now, prices) ?? known(input.actualPvKwh),
    ...(previous !== undefined && { previous }),
  };
}
