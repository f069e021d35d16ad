import { HOUR_MS, hoursOf, type Interval, minutesUntil } from "../domain/interval.js";
import { hoursFor, isGridFed, planHash } from "./charge-runs.js";
import { type CapFacts, dischargeCap } from "./discharge-cap.js";
import type { ScheduledStep } from "./plan-days.js";
import type { Command } from "./policy/policy-input.js";
import type { SiteInput } from "./site-input.js";
import type { ChargeRun, PlanScalars } from "./site-plan.js";

/** Energies below this are rounding, kWh. */
const TOLERANCE_KWH = 1e-6;

/** A schedule with what has been derived from it already. */
interface ReadSchedule {
  steps: readonly ScheduledStep[];
  runs: readonly ChargeRun[];
  today: Interval;
  /** Where PV surplus begins to refill the battery, at most the end of today. */
  prefixEnd: Date;
  command: Command;
}

/** The figures of a plan that apply now or to all of it. */
export function planScalars(
  input: SiteInput,
  { steps, runs, today, prefixEnd, command }: ReadSchedule,
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
  const next = runs.find((run) => run.start > now);
  const cap = dischargeCap(input, capFacts(steps, command));
  const blocked = command.mode === "block";
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
    chargeCapReason: blocked ? "pv_later" : "full",
    feedInLimitKw: feedInLimitKw(input, first.price.exportCtKwh),
    dischargeSetKw: command.mode === "discharge" ? command.dischargeCapKw : 0,
    following: previous?.scalars.following ?? "unknown",
    followingCause: previous?.scalars.followingCause ?? "no_telemetry",
    followingSince: previous?.scalars.followingSince ?? now,
    planHash: planHash([...runs]),
    socAgeMinutes: soc.ageMinutes,
    socStale: soc.stale ?? false,
    minutesToChargeStart: chargingNow ? 0 : next === undefined ? -1 : minutesUntil(next.start, now),
    currentQuartile: input.currentQuartile,
    currentPriceCtKwh: first.price.importCtKwh,
  };
}

/** O15: no feed-in where it costs money and PV can be curtailed, else the limit of the connection; null without one. */
function feedInLimitKw({ grid }: SiteInput, exportCtKwh: number): number | null {
  return grid.curtailmentAllowed && exportCtKwh < 0 ? 0 : (grid.exportLimitKw ?? null);
}

/**
 * Planned SOC at the end of the next run of charging; without any the upper end of the band, so that a controller that
 * also applies it to PV surplus does not stop too early.
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
  // The block in progress is not the next one: what comes after it decides whether to keep the reserve.
  const afterThisBlock = Math.max(
    0,
    steps.findIndex((step) => !step.worthUsing),
  );
  const nextBlock = steps.findIndex((step, t) => t >= afterThisBlock && step.worthUsing);
  const untilThen = nextBlock < 0 ? steps : steps.slice(0, nextBlock);
  return {
    command,
    loadPowerKw: first.loadKwh / hoursOf(first.price),
    rechargeBeforeNextDearBlock: untilThen.some((step) => step.chargeKwh > TOLERANCE_KWH),
  };
}
