import type { NamedBatterySettings } from "../config/settings.js";
import { oneWayEfficiency } from "../core/domain/battery.js";
import { hoursOf } from "../core/domain/interval.js";
import type { SiteInput } from "./site-input.js";
import type { BatteryPlan, SitePlan } from "./site-plan.js";

/** A battery that had no part in charging or discharging takes part again from this far within its band, percent. */
const RETURN_PCT = 1;
/** A power that differs by more than this share, and more than this power, is a new command. */
const POWER_SHARE = 0.15;
const POWER_KW = 0.2;

/** A battery at the start of the plan; energies kWh stored. */
interface Unit {
  settings: NamedBatterySettings;
  socKwh: number;
  minKwh: number;
  maxKwh: number;
  previous: BatteryPlan | undefined;
}

/**
 * Splits the command of a plan among the batteries of its site, and its expected course. Charging shares are in
 * proportion to the energy missing up to a common level, discharging shares to the energy above the minimum, so that
 * the batteries approach each other; what the limit of one takes away goes to the others. A battery that is full gets
 * no charge, an empty one no discharge, and while others are charged or discharged on command one that takes no part
 * neither serves nor stores that energy. Pure.
 */
export function batteryPlans(
  plan: SitePlan,
  {
    batteries,
    socs,
    previous = [],
  }: {
    batteries: readonly NamedBatterySettings[];
    /** The SOC that the plan starts from, in the order of the batteries. */
    socs: readonly SiteInput["soc"][];
    previous?: readonly BatteryPlan[] | undefined;
  },
): BatteryPlan[] {
  const units = batteries.map((settings, index): Unit => {
    const kwh = (pct: number) => (settings.capacity_kwh * pct) / 100;
    return {
      settings,
      socKwh: kwh(socs[index]!.pct),
      minKwh: kwh(settings.min_soc_pct),
      maxKwh: kwh(settings.max_soc_pct),
      previous: previous.find(({ id }) => id === settings.id),
    };
  });
  const commands = commandsOf(plan, units);
  const course = courseOf(plan, units);
  return units.map(({ settings, previous: before }, index) => {
    const command = commands[index]!;
    const { pct, ageMinutes, stale } = socs[index]!;
    return {
      id: settings.id,
      label: settings.label,
      socPct: pct,
      socAgeMinutes: ageMinutes,
      socStale: stale ?? false,
      ...command,
      following: before?.following ?? "unknown",
      followingCause: before?.followingCause ?? "no_telemetry",
      followingSince: before?.followingSince ?? plan.issuedAt,
      commandSince:
        before !== undefined && isSameCommand(before, command) ? before.commandSince : plan.issuedAt,
      socEndPct: course.map((row) => (100 * row[index]!) / settings.capacity_kwh),
    };
  });
}

type UnitCommand = Pick<
  BatteryPlan,
  "chargeNow" | "chargePowerKw" | "chargeStopSocPct" | "dischargePowerKw" | "chargeCapKw" | "dischargeSetKw"
>;

function commandsOf({ scalars }: SitePlan, units: readonly Unit[]): UnitCommand[] {
  const capacityKwh = units.reduce((sum, { settings }) => sum + settings.capacity_kwh, 0);
  const stopKwh = stopsOf(units, (capacityKwh * scalars.chargeStopSocPct) / 100, scalars.chargeNow === 1);
  const isLost = scalars.dischargeReason === "telemetry_lost";
  const chargeLimits = units.map(({ settings }) => settings.max_charge_power_kw);
  const dischargeLimits = units.map(({ settings }) => settings.max_discharge_power_kw);
  // Without a known SOC the fail-safe leaves every battery to itself.
  const missing = stopKwh.map((stop, index) => Math.max(0, stop - units[index]!.socKwh));
  const room = units.map((unit) => (isLost ? 1 : roomOf(unit)));
  const held = units.map((unit) => (isLost ? 1 : heldOf(unit)));
  const chargeKw =
    scalars.chargeNow === 1
      ? shareOut(scalars.chargePowerKw, participants(units, missing), chargeLimits)
      : units.map(() => 0);
  const setKw =
    scalars.dischargeSetKw > 0 ? shareOut(scalars.dischargeSetKw, held, dischargeLimits) : units.map(() => 0);
  const dischargeKw = shareOut(scalars.dischargePowerKw, held, dischargeLimits);
  const chargeCapKw = shareOut(scalars.chargeCapKw, room, chargeLimits);
  return units.map(({ settings }, index) => {
    const charges = chargeKw[index]! > 0;
    const gives = setKw[index]! > 0;
    const isLeftOut = scalars.chargeNow === 1 && !charges;
    return {
      chargeNow: charges ? 1 : 0,
      chargePowerKw: chargeKw[index]!,
      chargeStopSocPct: (100 * stopKwh[index]!) / settings.capacity_kwh,
      dischargePowerKw: isLeftOut ? 0 : dischargeKw[index]!,
      chargeCapKw: scalars.dischargeSetKw > 0 && !gives ? 0 : chargeCapKw[index]!,
      dischargeSetKw: setKw[index]!,
    };
  });
}

/**
 * The stored energy of each battery up to which charging fills all of them to `totalKwh`: the same share of each band,
 * higher where a battery already is (`isCharging`), so that the stops and what the others hold add up to the total.
 */
function stopsOf(units: readonly Unit[], totalKwh: number, isCharging: boolean): number[] {
  const levels = (share: number) => units.map(({ minKwh, maxKwh }) => minKwh + share * (maxKwh - minKwh));
  const sum = (share: number) =>
    levels(share).reduce(
      (all, level, index) => all + (isCharging ? Math.max(level, units[index]!.socKwh) : level),
      0,
    );
  let [low, high] = [0, 1];
  for (let round = 0; round < 50; round++) {
    const middle = (low + high) / 2;
    if (sum(middle) < totalKwh) low = middle;
    else high = middle;
  }
  return levels(high);
}

/** The missing energies of the batteries that are charged: one that was not returns only when clearly below its stop. */
function participants(units: readonly Unit[], missing: readonly number[]): readonly number[] {
  const wasCharging = units.some(({ previous }) => previous?.chargeNow === 1);
  if (!wasCharging) return missing;
  const kept = missing.map((kwh, index) => {
    const { previous, settings } = units[index]!;
    return previous?.chargeNow === 0 && kwh < (settings.capacity_kwh * RETURN_PCT) / 100 ? 0 : kwh;
  });
  return kept.some((kwh) => kwh > 0) ? kept : missing;
}

/** Energy that fits into the band; 0 for a full battery, until it is clearly below the upper end again. */
function roomOf({ settings, socKwh, maxKwh, previous }: Unit): number {
  const room = maxKwh - socKwh;
  const wasFull =
    previous !== undefined &&
    previous.chargeCapKw === 0 &&
    previous.socPct >= settings.max_soc_pct - RETURN_PCT;
  return room > (wasFull ? (settings.capacity_kwh * RETURN_PCT) / 100 : 0) ? room : 0;
}

/** Energy above the lower end of the band; 0 for an empty battery, until it is clearly above it again. */
function heldOf({ settings, socKwh, minKwh, previous }: Unit): number {
  const held = socKwh - minKwh;
  const wasEmpty =
    previous !== undefined &&
    previous.dischargePowerKw === 0 &&
    previous.socPct <= settings.min_soc_pct + RETURN_PCT;
  return held > (wasEmpty ? (settings.capacity_kwh * RETURN_PCT) / 100 : 0) ? held : 0;
}

function isSameCommand(before: UnitCommand, now: UnitCommand): boolean {
  const isSame = (one: number, other: number) =>
    one > 0 === other > 0 && Math.abs(one - other) <= Math.max(POWER_KW, POWER_SHARE * one);
  return (
    before.chargeNow === now.chargeNow &&
    isSame(before.chargePowerKw, now.chargePowerKw) &&
    isSame(before.dischargeSetKw, now.dischargeSetKw) &&
    isSame(before.dischargePowerKw, now.dischargePowerKw) &&
    isSame(before.chargeCapKw, now.chargeCapKw)
  );
}

/** The stored energy of each battery at the end of each step; the rows add up to the plan's. */
function courseOf({ steps, issuedAt }: SitePlan, units: readonly Unit[]): number[][] {
  const capacityKwh = units.reduce((sum, { settings }) => sum + settings.capacity_kwh, 0);
  let stored = units.map(({ socKwh }) => socKwh);
  let fromMs = issuedAt.getTime();
  return steps.map(({ end, socEndPct }) => {
    const hours = hoursOf({ start: new Date(fromMs), end });
    fromMs = end.getTime();
    const change = (capacityKwh * socEndPct) / 100 - stored.reduce((sum, kwh) => sum + kwh, 0);
    const sign = Math.sign(change);
    const room = units.map(({ minKwh, maxKwh }, index) =>
      Math.max(0, sign > 0 ? maxKwh - stored[index]! : stored[index]! - minKwh),
    );
    const limits = units.map(({ settings }, index) => {
      const oneWay = oneWayEfficiency(settings.efficiency_pct);
      const mostKwh =
        hours * (sign > 0 ? settings.max_charge_power_kw * oneWay : settings.max_discharge_power_kw / oneWay);
      return Math.min(room[index]!, mostKwh);
    });
    const within = shareOut(Math.abs(change), room, limits);
    // The plan's efficiency is a mean: what the powers of the batteries leave over is spread without regard to them.
    const rest = Math.abs(change) - within.reduce((sum, kwh) => sum + kwh, 0);
    const left = room.map((kwh, index) => kwh - within[index]!);
    const beyond = shareOut(rest, left, left);
    stored = stored.map((kwh, index) => kwh + sign * (within[index]! + beyond[index]!));
    return stored;
  });
}

/**
 * Splits `total` in proportion to `weights`, with no share above its limit; what a limit takes away goes to the others.
 * Shares of weight 0 are 0. Their sum is `total`, or the sum of the limits of the others if that is less.
 */
export function shareOut(total: number, weights: readonly number[], limits: readonly number[]): number[] {
  const shares = weights.map(() => 0);
  let rest = Math.max(0, total);
  let open = weights.map((_, index) => index).filter((index) => weights[index]! > 0 && limits[index]! > 0);
  while (open.length > 0 && rest > 0) {
    const sum = open.reduce((all, index) => all + weights[index]!, 0);
    const perWeight = rest / sum;
    const limited = open.filter((index) => weights[index]! * perWeight >= limits[index]!);
    if (limited.length === 0) {
      for (const index of open) shares[index] = weights[index]! * perWeight;
      return shares;
    }
    for (const index of limited) {
      shares[index] = limits[index]!;
      rest -= limits[index]!;
    }
    open = open.filter((index) => !limited.includes(index));
  }
  return shares;
}
