import type { PlantSettings } from "../config/settings.js";
import { BATTERY_MODES, type BatteryMode, type DischargeReason } from "../core/domain/battery.js";
import { HOUR_MS, type Interval, QUARTER_MS } from "../core/domain/interval.js";
import { each } from "../core/shape.js";
import type { LoadModel } from "../forecast/load/load-model.js";
import type { PriceSeries } from "../forecast/market/price-series.js";
import type { ForecastHour } from "../forecast/price/forecast.js";
import { quarterPrice } from "../forecast/price/quarter-shape.js";
import type { Prices } from "../tariff/compile-tariff.js";
import { assemble } from "./assemble.js";
import type { NetLoad } from "./net-load.js";
import type { InverterCommand } from "./physics/inverter.js";
import { feedInLimitKw } from "./plan-scalars.js";
import { planPolicy } from "./policy/plan-policy.js";
import type { Policy } from "./policy/solved-policy.js";
import { type RealStep, runSite, type SimulatedRun, storedWorth } from "./simulated-run.js";
import { decideSite, type SiteDecision } from "./site-decision.js";
import type { CommandInput, PreviousCommand } from "./site-input.js";
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
  /**
   * Minutes after which a plan is made anew where nothing new is known; default 15, as the gateway does. In between its
   * policy decides, which is much faster and differs little.
   */
  planEveryMinutes?: number;
  /** Called after each simulated hour. */
  onProgress?(done: number, total: number): void;
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

/** PV that comes as expected. */
const CERTAIN_PV = { factors: [1], shares: [1], persistence: 0 };

/** Differences below this are rounding, EUR. */
const LEAST_EUR = 0.005;

/**
 * Replays a site quarter-hour by quarter-hour: each plan uses what was known then, and a self-consumption inverter carries
 * out its commands on the actual load and PV. Every run starts with the battery at its minimum; stored energy has the
 * same worth in all of them. Throws RangeError for a period without full hours or without a price.
 */
export function simulateSite(input: SimulationInput): SimulationResult {
  const { steps, policyInput, storedWorthCtKwh, run, planned, hoursByMode, hoursByReason } = replay(input);
  const { battery, grid } = policyInput;
  const uncontrolled = run(() => ({ mode: "free" }));
  const noBattery = run(() => undefined);
  const foresight = planPolicy({
    ...policyInput,
    now: input.from,
    steps: steps.map(({ counts, ...step }) => ({ ...step, minutes: 15, published: counts })),
    ratios: [],
    terminal: [{ kwh: battery.maxSocKwh, ctKwh: storedWorthCtKwh }],
  });
  const perfect = run((t, socKwh) => {
    const { start, exportCtKwh } = steps[t]!;
    const curtails = grid?.curtailmentAllowed === true && exportCtKwh < 0;
    return { ...foresight.act({ now: start, socKwh }), ...(curtails && { feedInLimitKw: 0 }) };
  });

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
    modeChangesPerDay: planned.modeChanges / days,
    hoursByMode,
    hoursByReason,
    worseDays: [...planned.dayCostEur]
      .map(([date, eur]) => ({ date, eur: eur - uncontrolled.dayCostEur.get(date)! }))
      .filter(({ eur }) => eur > LEAST_EUR),
  };
}

/** The run that is controlled by the plan alone: the same as that of `simulateSite`. */
export function simulatePlanned(
  input: SimulationInput,
): Pick<SimulationResult, "planned" | "storedWorthCtKwh"> {
  return replay(input);
}

/** The run controlled by the plan, and what the others need. */
function replay(input: SimulationInput) {
  const steps = realSteps(input);
  const first = planInput(input, steps, 0, { socKwh: 0, previous: undefined });
  const policyInput = sitePolicyInput(first);
  const { battery } = policyInput;
  const storedWorthCtKwh = storedWorth(steps, battery);
  const run = (command: (t: number, socKwh: number) => InverterCommand | undefined) =>
    runSite({ plant: input.plant, steps, battery, storedWorthCtKwh }, command);
  const hoursByMode: Record<BatteryMode, number> = each(BATTERY_MODES, 0);
  const hoursByReason: SimulationResult["hoursByReason"] = {};
  const planAt = planner(input, steps);
  const planned = run((t, socKwh) => {
    const { command, scalars } = planAt(t, socKwh);
    const { mode, chargePowerKw, stopSocKwh, chargeCapKw } = command;
    const { dischargeReason, dischargePowerKw } = scalars;
    hoursByMode[mode] += 0.25;
    hoursByReason[dischargeReason] = (hoursByReason[dischargeReason] ?? 0) + 0.25;
    if (t % 4 === 3) input.onProgress?.((t + 1) / 4, steps.length / 4);
    return {
      mode,
      ...(mode === "charge" && { chargePowerKw, stopSocKwh }),
      dischargeCapKw: dischargePowerKw,
      chargeCapKw,
      feedInLimitKw: scalars.feedInLimitKw,
    };
  });
  return { steps, policyInput, storedWorthCtKwh, run, planned, hoursByMode, hoursByReason };
}

/**
 * Decides each quarter-hour in order: with a new plan, or within `planEveryMinutes` with the policy of the last one, unless
 * prices were published or the battery came to its reserve.
 */
function planner(input: SimulationInput, steps: readonly RealStep[]) {
  const every = (input.planEveryMinutes ?? 15) / 15;
  const { battery } = input.plant;
  const reserveKwh = ((battery!.min_soc_pct + battery!.reserve_pct) * battery!.capacity_kwh) / 100;
  let last:
    | { decision: SiteDecision; facts: CommandInput; policy: Policy; knownUntil: number; low: boolean }
    | undefined;
  const publishedUntil = (now: Date) =>
    input
      .hoursAt(now)
      .findLast(({ source }) => source === "day_ahead")
      ?.start.getTime() ?? 0;
  return (t: number, socKwh: number): SiteDecision => {
    const now = steps[t]!.start;
    const low = socKwh < reserveKwh;
    const knownUntil = every > 1 ? publishedUntil(now) : 0;
    if (last === undefined || t % every === 0 || knownUntil !== last.knownUntil || low !== last.low) {
      const facts = planInput(input, steps, t, { socKwh, previous: last?.decision });
      const policy = planPolicy(sitePolicyInput(facts));
      const decision = decideSite(facts, policy);
      last = { decision, facts, policy, knownUntil, low };
      return decision;
    }
    const { decision, facts, policy } = last;
    const { scalars } = decision;
    const command = policy.act({ now, socKwh, ...measuredBefore(steps, t), previous: decision.command });
    last.decision = { command, scalars };
    return {
      command,
      scalars: {
        ...scalars,
        dischargePowerKw: scalars.dischargeReason === "near_min_soc" ? 0 : command.dischargeCapKw,
        feedInLimitKw: feedInLimitKw(facts, steps[t]!.exportCtKwh),
      },
    };
  };
}

/** Load less PV, and PV, of the quarter-hour before. */
function measuredBefore(steps: readonly RealStep[], t: number): NetLoad | undefined {
  const last = steps[t - 1];
  return last?.counts ? { netLoadKw: 4 * (last.loadKwh - last.pvKwh), pvKw: 4 * last.pvKwh } : undefined;
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
    const settledCt = hourly === undefined ? ctKwh : hourly / 10;
    return {
      start,
      importCtKwh: tariff?.importCtKwh(settledCt, start) ?? ctKwh,
      exportCtKwh: tariff?.exportCtKwh(settledCt, start) ?? ctKwh,
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
  { socKwh, previous }: { socKwh: number; previous: PreviousCommand | undefined },
): CommandInput {
  const { plant, series, stepMinutes, tariff, from } = input;
  const now = steps[t]!.start;
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
      measured: measuredBefore(steps, t),
      pvKwh: (of) => input.expectedPvKwh?.(now, of) ?? actualPvKwh(of),
      ...(input.expectedPvKwh === undefined && { pvNodes: CERTAIN_PV }),
    },
    {},
  );
  return { ...facts, ...(previous !== undefined && { previous }) };
}
