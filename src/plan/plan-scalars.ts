import { DAY_MS, HOUR_MS, hoursOf, type Interval, minutesUntil } from "../core/domain/interval.js";
import type { PlanScalars } from "../core/domain/plan-field-lists.js";
import { hoursFor, isGridFed, planHash } from "./charge-runs.js";
import { type CapFacts, dischargeCap } from "./discharge-cap.js";
import type { ScheduledStep } from "./plan-days.js";
import type { Command, ImportTarget } from "./policy/policy-input.js";
import type { CommandInput, SiteInput } from "./site-input.js";
import type { ChargeRun, SitePlan } from "./site-plan.js";

/** Energies below this are rounding, kWh. */
const TOLERANCE_KWH = 1e-6;

/** A schedule with the values already derived from it. */
interface DerivedSchedule {
  steps: readonly ScheduledStep[];
  runs: readonly ChargeRun[];
  today: Interval;
  /** When PV surplus begins to refill the battery, at the latest the end of today. */
  prefixEnd: Date;
  command: Command;
  /** The import that is worth paying for; undefined without a price on the peak. */
  importTarget: ImportTarget | undefined;
}

/** The scalars of a plan: values that apply now or to the whole horizon. */
export function planScalars(
  input: SiteInput,
  { steps, runs, today, prefixEnd, command, importTarget }: DerivedSchedule,
): PlanScalars {
  const { battery, now, soc, previous } = input;
  const first = steps[0]!;
  const chargingNow = command.mode === "charge";
  const chargedBefore = (end: Date) =>
    steps
      .filter((step) => isGridFed(step) && step.price.start < end)
      .reduce((sum, step) => sum + step.chargeKwh, 0);
  const hours = (energyKwh: number) => hoursFor(energyKwh, battery.maxChargePowerKw);
  const energyChargeKwh = steps.filter(isGridFed).reduce((sum, step) => sum + step.chargeKwh, 0);
  const cap = dischargeCap(input, capFacts(steps, command));
  const blocked = command.mode === "block" || command.mode === "standby";
  return {
    hoursNeeded: hours(energyChargeKwh),
    hoursNeededToday: hours(chargedBefore(today.end)),
    energyChargeKwh,
    prefixHoursNeededToday: hours(chargedBefore(prefixEnd)),
    prefixPeriodHoursToday: (prefixEnd.getTime() - now.getTime()) / HOUR_MS,
    prefixEnergyChargeKwh: chargedBefore(prefixEnd),
    chargeNow: chargingNow ? 1 : 0,
    chargeStopSocPct: chargingNow
      ? (100 * command.stopSocKwh) / battery.capacityKwh
      : chargeStopSocPct(input, steps, runs),
    dischargePowerKw: cap.powerKw,
    dischargeReason: cap.reason,
    adaptiveDischarge: !soc.lost,
    minSocPct: battery.minSocPct,
    chargePowerKw: command.chargePowerKw,
    gridChargeAllowed: battery.gridChargeAllowed,
    chargeCapKw: blocked ? 0 : battery.maxChargePowerKw,
    chargeCapReason: !blocked ? "full" : isResting(command) ? "standby" : "pv_later",
    feedInLimitKw: feedInLimitKw(input, first.price.exportCtKwh),
    dischargeSetKw: command.mode === "discharge" ? command.dischargeCapKw : 0,
    importTargetKw: importTarget?.kw ?? null,
    following: previous?.scalars.following ?? "unknown",
    followingCause: previous?.scalars.followingCause ?? "no_telemetry",
    followingSince: previous?.scalars.followingSince ?? now,
    planHash: planHash([...runs]),
    socAgeMinutes: soc.ageMinutes,
    socStale: soc.stale ?? false,
    minutesToChargeStart: minutesToChargeStart(runs, chargingNow, now),
    currentQuartile: input.currentQuartile,
    currentPriceCtKwh: first.price.importCtKwh,
  };
}

/** The battery rests to keep its energy: that PV surplus is not stored is the price of it. */
function isResting({ mode, reason }: Command): boolean {
  return mode === "standby" && reason !== "pv_later";
}

/** O6. */
function minutesToChargeStart(runs: readonly ChargeRun[], isCharging: boolean, now: Date): number {
  const next = runs.find((run) => run.start > now);
  return isCharging ? 0 : next === undefined ? -1 : minutesUntil(next.start, now);
}

/** The plan with the scalars that change with time alone; undefined if none has changed. */
export function advanceCountdown(
  plan: SitePlan,
  soc: SiteInput["soc"] | undefined,
  now: Date,
): SitePlan | undefined {
  const { scalars } = plan;
  const changes = {
    socAgeMinutes: soc?.ageMinutes ?? scalars.socAgeMinutes,
    socStale: soc?.stale ?? scalars.socStale,
    minutesToChargeStart: minutesToChargeStart(plan.chargeHours, scalars.chargeNow === 1, now),
  };
  const hasChanged =
    changes.socAgeMinutes !== scalars.socAgeMinutes ||
    changes.socStale !== scalars.socStale ||
    changes.minutesToChargeStart !== scalars.minutesToChargeStart;
  return hasChanged ? { ...plan, scalars: { ...scalars, ...changes }, material: false } : undefined;
}

/** O15: 0 while feed-in costs money and PV can be curtailed, else the limit of the connection; null without one. */
export function feedInLimitKw({ grid }: CommandInput, exportCtKwh: number): number | null {
  return grid.curtailmentAllowed && exportCtKwh < 0 ? 0 : (grid.exportLimitKw ?? null);
}

/**
 * Planned SOC at the end of the next charge run. Without a run it is the upper end of the band, because some controllers
 * also apply it to PV surplus.
 */
function chargeStopSocPct(
  input: SiteInput,
  steps: readonly ScheduledStep[],
  runs: readonly ChargeRun[],
): number {
  const end = runs[0]?.end;
  const last =
    end === undefined ? undefined : steps.find((step) => step.price.end.getTime() === end.getTime());
  return last?.socEndPct ?? input.battery.maxSocPct;
}

function capFacts(steps: readonly ScheduledStep[], command: Command): CapFacts {
  const first = steps[0]!;
  const hours = hoursOf(first.price);
  return {
    command,
    loadPowerKw: first.loadKwh / hours,
    netLoadKw: (first.loadKwh - first.pvKwh) / hours,
    rechargeBeforeNextExpensiveBlock: isRechargedBeforeNextBlock(steps),
  };
}

/** Whether the battery is charged before the next block of steps that are worth using. */
export function isRechargedBeforeNextBlock(
  steps: readonly (Pick<ScheduledStep, "worthUsing" | "chargeKwh"> & { price: Pick<Interval, "start"> })[],
): boolean {
  // The current block is not the next one: the reserve is kept for the block after it. Where nothing refills the battery for more than a
  // day, every hour counts as expensive, and the block would have no end.
  const latestMs = steps[0]!.price.start.getTime() + DAY_MS;
  const afterThisBlock = Math.max(
    0,
    steps.findIndex((step) => !step.worthUsing || step.price.start.getTime() >= latestMs),
  );
  const nextBlock = steps.findIndex((step, t) => t >= afterThisBlock && step.worthUsing);
  const beforeNextBlock = nextBlock < 0 ? steps : steps.slice(0, nextBlock);
  return beforeNextBlock.some((step) => step.chargeKwh > TOLERANCE_KWH);
}
