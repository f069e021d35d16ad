import type { PlantSettings } from "../config/settings.js";
import { BATTERY_MODES, type BatteryMode, type DischargeReason } from "../domain/battery.js";
import { HOUR_MS, type Interval, QUARTER_MS } from "../domain/interval.js";
import type { ForecastHour } from "../forecast/forecast.js";
import { quarterPrice } from "../forecast/quarter-shape.js";
import type { LoadModel } from "../load/load-model.js";
import type { PriceSeries } from "../market/price-series.js";
import { type InverterCommand, type InverterFlows, inverterStep } from "../simulation/inverter.js";
import type { Prices } from "../tariff/compile-tariff.js";
import { localDate } from "../time/zone.js";
import { assemble } from "./assemble.js";
import { planSite } from "./plan-site.js";
import { planPolicy } from "./policy/plan-policy.js";
import type { PolicyBattery } from "./policy/policy-input.js";
import type { SitePlan } from "./site-plan.js";
import { sitePolicyInput } from "./site-policy.js";

/** A site, its prices, and the forecasts known at each instant. */
export interface SimulationInput {
  plant: PlantSettings;
  /** Published prices. */
  series: PriceSeries;
  /** Settlement of the tariff. */
  stepMinutes: 60 | 15;
  /** `[from, to)`, full UTC hours. */
  from: Date;
  to: Date;
  /** Undefined: the market price applies to import and export. */
  tariff: Prices | undefined;
  /** Load of the site, one entry per quarter-hour from `from`, kWh. */
  actualLoadKwh: readonly number[];
  /** PV energy, one entry per quarter-hour, kWh; left out: none. */
  actualPvKwh?: readonly number[];
  /** The prices as known at an instant, from the current hour on. */
  hoursAt(now: Date): readonly ForecastHour[];
  /** The load model as known at an instant; undefined: the load of the settings. */
  loadModelAt?(now: Date): LoadModel | undefined;
  /** Expected PV energy of the steps, kWh, as known at an instant; left out: the actual one. */
  expectedPvKwh?(now: Date, steps: readonly Interval[]): number[];
  /** Called after each simulated hour. */
  onProgress?(done: number, total: number): void;
}

/** Result of one control of the battery. */
export interface SimulatedRun {
  /** Money over the period less the worth of what is stored at its end, EUR. */
  costEur: number;
  importKwh: number;
  exportKwh: number;
  /** AC energies. */
  chargeKwh: number;
  dischargeKwh: number;
  storedEndKwh: number;
  /** Energy taken out of the store divided by the capacity. */
  cycles: number;
  /** Cost of each local day less the worth of the energy stored in it, EUR. */
  dayCostEur: ReadonlyMap<string, number>;
}

export interface SimulationResult {
  from: Date;
  to: Date;
  days: number;
  /** Hours without a published price; the battery is idle in them and they are not counted. */
  hoursLeftOut: number;
  /** Worth of a kWh stored at the end, ct; the same in every run. */
  storedWorthCtKwh: number;
  /** Controlled by the plan. */
  planned: SimulatedRun;
  /** Self-consumption only. */
  uncontrolled: SimulatedRun;
  noBattery: SimulatedRun;
  /** The same modes with perfect foresight. */
  perfect: SimulatedRun;
  /** Share of the perfect saving against `uncontrolled` that the plan reached; undefined if nothing could be saved. */
  capturedShare: number | undefined;
  modeChangesPerDay: number;
  hoursByMode: Record<BatteryMode, number>;
  hoursByReason: Partial<Record<DischargeReason, number>>;
  /** Local days on which the plan cost more than the uncontrolled battery, with the difference, EUR. */
  worseDays: { date: string; eur: number }[];
}

/** An actual quarter-hour. */
interface RealStep {
  start: Date;
  importCtKwh: number;
  exportCtKwh: number;
  loadKwh: number;
  pvKwh: number;
  /** A price was published. */
  counts: boolean;
}

/** Differences below this are rounding, EUR. */
const LEAST_EUR = 0.005;

/**
 * Replays a site quarter-hour by quarter-hour: each plan uses what was known then, and a self-consumption inverter carries
 * out its commands on the actual load and PV. Every run starts with the battery at its minimum; stored energy has the
 * same worth in all of them. Throws RangeError for a period without full hours or without a price.
 */
export function simulateSite(input: SimulationInput): SimulationResult {
  const steps = realSteps(input);
  const first = planInput(input, steps, 0, { socKwh: 0, previous: undefined });
  const policyInput = sitePolicyInput(first);
  const { battery } = policyInput;
  const storedWorthCtKwh = storedWorth(steps, battery);
  const run = (command: (t: number, socKwh: number) => InverterCommand | undefined) =>
    runSite({ input, steps, battery, storedWorthCtKwh }, command);

  let previous: SitePlan | undefined;
  let changes = 0;
  const hoursByMode = Object.fromEntries(BATTERY_MODES.map((mode) => [mode, 0])) as Record<
    BatteryMode,
    number
  >;
  const hoursByReason: SimulationResult["hoursByReason"] = {};
  const planned = run((t, socKwh) => {
    const plan = planSite(planInput(input, steps, t, { socKwh, previous }), { commandOnly: true });
    if (previous !== undefined && previous.command.mode !== plan.command.mode) changes++;
    previous = plan;
    hoursByMode[plan.command.mode] += 0.25;
    const { dischargeReason, dischargePowerKw, feedInLimitKw } = plan.scalars;
    hoursByReason[dischargeReason] = (hoursByReason[dischargeReason] ?? 0) + 0.25;
    if (t % 4 === 3) input.onProgress?.((t + 1) / 4, steps.length / 4);
    const { mode, chargePowerKw, stopSocKwh, chargeCapKw } = plan.command;
    return {
      mode,
      ...(mode === "charge" && { chargePowerKw, stopSocKwh }),
      dischargeCapKw: dischargePowerKw,
      chargeCapKw,
      feedInLimitKw,
    };
  });
  const uncontrolled = run(() => ({ mode: "free" }));
  const noBattery = run(() => undefined);
  const foresight = planPolicy({
    ...policyInput,
    now: input.from,
    steps: steps.map(({ counts, ...step }) => ({ ...step, minutes: 15, published: counts })),
    ratios: [],
    terminal: [{ kwh: battery.maxSocKwh, ctKwh: storedWorthCtKwh }],
  });
  const perfect = run((t, socKwh) => foresight.act({ now: steps[t]!.start, socKwh }));

  const days = steps.length / 96;
  const possibleEur = uncontrolled.costEur - perfect.costEur;
  return {
    from: input.from,
    to: input.to,
    days,
    hoursLeftOut: steps.filter(({ counts }) => !counts).length / 4,
    storedWorthCtKwh,
    planned,
    uncontrolled,
    noBattery,
    perfect,
    capturedShare: possibleEur > 1e-6 ? (uncontrolled.costEur - planned.costEur) / possibleEur : undefined,
    modeChangesPerDay: changes / days,
    hoursByMode,
    hoursByReason,
    worseDays: [...planned.dayCostEur]
      .map(([date, eur]) => ({ date, eur: eur - uncontrolled.dayCostEur.get(date)! }))
      .filter(({ eur }) => eur > LEAST_EUR),
  };
}

/** The actual quarter-hours. A step without a price costs nothing and has no load. */
function realSteps(input: SimulationInput): RealStep[] {
  const { from, to, series, stepMinutes, tariff, actualLoadKwh, actualPvKwh } = input;
  const count = (to.getTime() - from.getTime()) / QUARTER_MS;
  if (!(count >= 4) || from.getTime() % HOUR_MS !== 0 || count % 4 !== 0)
    throw new RangeError("from and to must be full hours, to at least an hour after from.");
  for (const [name, values] of Object.entries({ actualLoadKwh, actualPvKwh })) {
    if (values !== undefined && values.length < count)
      throw new RangeError(`${name} needs ${count} entries, one per quarter-hour.`);
  }
  const steps = Array.from({ length: count }, (_, t): RealStep => {
    const start = new Date(from.getTime() + t * QUARTER_MS);
    const ms = start.getTime();
    const eurMwh = stepMinutes === 15 ? series.quarter(ms) : series.hour(ms);
    const ctKwh = (eurMwh ?? 0) / 10;
    const counts = eurMwh !== undefined;
    const hourly = tariff?.settlementMinutes?.(start) === 60 ? series.hour(ms) : undefined;
    const importSpotCt = hourly === undefined ? ctKwh : hourly / 10;
    return {
      start,
      importCtKwh: tariff?.importCtKwh(importSpotCt, start) ?? ctKwh,
      exportCtKwh: tariff?.exportCtKwh(ctKwh, start) ?? ctKwh,
      loadKwh: counts ? actualLoadKwh[t]! : 0,
      pvKwh: counts ? (actualPvKwh?.[t] ?? 0) : 0,
      counts,
    };
  });
  if (!steps.some(({ counts }) => counts)) throw new RangeError("No price is known from from to to.");
  return steps;
}

/** The input of the plan made in quarter-hour `t`. */
function planInput(
  input: SimulationInput,
  steps: readonly RealStep[],
  t: number,
  { socKwh, previous }: { socKwh: number; previous: SitePlan | undefined },
) {
  const { plant, series, stepMinutes, tariff, from } = input;
  const now = steps[t]!.start;
  const last = steps[t - 1];
  const actualPvKwh = (of: readonly Interval[]) =>
    of.map(({ start, end }) => {
      const first = Math.round((start.getTime() - from.getTime()) / QUARTER_MS);
      const end4 = Math.round((end.getTime() - from.getTime()) / QUARTER_MS);
      return (input.actualPvKwh ?? []).slice(first, end4).reduce((sum, kwh) => sum + kwh, 0);
    });
  const facts = assemble(
    {
      siteId: plant.id,
      now,
      plant,
      stepMinutes,
      hours: input.hoursAt(now),
      quarter: ({ p50, source }, atMs) =>
        quarterPrice(series, { eurMwh: p50, isPublished: source === "day_ahead" }, atMs),
      tariff,
      soc: { pct: (100 * socKwh) / plant.battery!.capacity_kwh, ageMinutes: 0, lost: false },
      evPowerKw: 0,
      sitePowerKw: undefined,
      currentQuartile: 1,
      load: input.loadModelAt?.(now),
      ...(last?.counts && { netLoadKw: 4 * (last.loadKwh - last.pvKwh) }),
      pvKwh: (of) => input.expectedPvKwh?.(now, of) ?? actualPvKwh(of),
    },
    {},
  );
  return { ...facts, ...(previous !== undefined && { previous }) };
}

interface RunInput {
  input: SimulationInput;
  steps: readonly RealStep[];
  battery: PolicyBattery;
  storedWorthCtKwh: number;
}

/** Carries out commands step by step; `undefined` leaves the battery idle. */
function runSite(
  { input, steps, battery, storedWorthCtKwh }: RunInput,
  commandOf: (t: number, socKwh: number) => InverterCommand | undefined,
): SimulatedRun {
  const { import_limit_kw, export_limit_kw } = input.plant.grid;
  const connection = {
    ...(import_limit_kw !== null && { importLimitKw: import_limit_kw }),
    ...(export_limit_kw !== null && { exportLimitKw: export_limit_kw }),
  };
  const idle = { ...battery, maxChargePowerKw: 0, maxDischargePowerKw: 0 };
  const dayCostEur = new Map<string, number>();
  const sum = { importKwh: 0, exportKwh: 0, chargeKwh: 0, dischargeKwh: 0 };
  let costCt = 0;
  let socKwh = battery.minSocKwh;
  steps.forEach((step, t) => {
    const command = step.counts ? commandOf(t, socKwh) : undefined;
    const flows: InverterFlows = inverterStep({
      storage: command === undefined ? idle : battery,
      connection,
      command: command ?? { mode: "free" },
      step: { minutes: 15, loadKwh: step.loadKwh, pvKwh: step.pvKwh },
      socKwh,
    });
    const stepCt =
      flows.importKwh * step.importCtKwh -
      flows.exportKwh * step.exportCtKwh +
      flows.dischargeKwh * (battery.wearCtKwh ?? 0) -
      (flows.socEndKwh - socKwh) * storedWorthCtKwh;
    const date = localDate(step.start, input.plant.timezone);
    dayCostEur.set(date, (dayCostEur.get(date) ?? 0) + stepCt / 100);
    costCt += stepCt;
    socKwh = flows.socEndKwh;
    for (const name of ["importKwh", "exportKwh", "chargeKwh", "dischargeKwh"] as const)
      sum[name] += flows[name];
  });
  return {
    ...sum,
    costEur: (costCt - storedWorthCtKwh * battery.minSocKwh) / 100,
    storedEndKwh: socKwh,
    cycles: sum.dischargeKwh / battery.dischargeEfficiency / battery.capacityKwh,
    dayCostEur,
  };
}

/**
 * Worth of a kWh stored at the end of a period, ct: the cost of storing it (the lowest import price of a day over the
 * charging efficiency), but at most what it can save (the highest one times the discharging efficiency less wear), as
 * means over the last seven days; never negative. At that price a full battery at the end is neither gain nor loss.
 */
function storedWorth(steps: readonly RealStep[], battery: PolicyBattery): number {
  const days: number[][] = [];
  for (let end = steps.length; end > 0 && days.length < 7; end -= 96) {
    const usable = steps.slice(Math.max(0, end - 96), end).filter(({ counts }) => counts);
    if (usable.length > 0) days.push(usable.map(({ importCtKwh }) => importCtKwh));
  }
  const mean = (price: (prices: number[]) => number) =>
    days.reduce((sum, prices) => sum + price(prices), 0) / Math.max(1, days.length);
  const refillCt = mean((prices) => Math.min(...prices)) / battery.chargeEfficiency;
  const savesCt =
    mean((prices) => Math.max(...prices)) * battery.dischargeEfficiency - (battery.wearCtKwh ?? 0);
  return Math.max(0, Math.min(refillCt, savesCt));
}
