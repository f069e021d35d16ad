import { fixedBatteryShare, leastChargingKw } from "../../config/slot-rules.js";
import { hoursOf, type Interval } from "../../core/domain/interval.js";
import { sumOfAll } from "../../core/numbers.js";
import { expectedDrawKwh } from "../windows/estimates.js";
import { tankOf } from "../windows/heat-store.js";
import type { FlexResult } from "../windows/result.js";
import { SG_POWER_KW } from "../windows/sg-ready.js";
import type { SlotPlan } from "../windows/slot-schedule.js";
import { departuresOf, expectedReturn, expectedVehicle } from "../windows/vehicle.js";
import { onceLeavesAt } from "../windows/vehicle-override.js";
import type { Device, DeviceSituation, RunDemand, RunsDevice } from "./device.js";
import { legionellaNeed } from "./legionella.js";
import type { StoreStage } from "./store-states.js";

/**
 * The action of an override where it covers most of a step. `skip` keeps a device off; `run` lets it take all that it can.
 * The others are a request, which has a demand of its own, or change the settings.
 */
function overriding({ override }: SlotPlan, { start, end }: Interval): "run" | "skip" | undefined {
  if (override?.action !== "run" && override?.action !== "skip") return undefined;
  return (start.getTime() + end.getTime()) / 2 < override.until.getTime() ? override.action : undefined;
}

/** The device of a slot for the joint plan; undefined where its power or its demand is not known. */
export function deviceOf(plan: SlotPlan, situation: DeviceSituation): Device | undefined {
  const { settings } = plan;
  const batteryServes = settings.kind !== "wallbox" || fixedBatteryShare(settings) !== 0;
  const device =
    settings.vehicle !== null && plan.origin === "settings"
      ? vehicleDevice(plan, situation)
      : settings.store !== null && plan.origin === "settings"
        ? boilerDevice(plan, situation)
        : withinLimit(runsDevice(plan, situation), plan, situation);
  return device && { ...device, batteryServes };
}

/** When the vehicle of a slot leaves; empty for other slots. */
export function departuresAhead(
  { settings: { vehicle }, origin, override }: SlotPlan,
  known: { now: Date; until: Date; zone: string },
): Date[] {
  if (vehicle === null || origin !== "settings") return [];
  return departuresOf(vehicle, { ...known, leavesAt: onceLeavesAt(override) });
}

function vehicleDevice(plan: SlotPlan, situation: DeviceSituation): Device | undefined {
  const { settings, usual, plugged, override, takesKw = Number.POSITIVE_INFINITY } = plan;
  const { now, zone, steps, state, surplusKwh, importLimitKw = Number.POSITIVE_INFINITY } = situation;
  const until = steps.at(-1)?.end;
  if (settings.vehicle === null || until === undefined) return undefined;
  const departures = departuresAhead(plan, { now, until, zone });
  const back = plugged === 0 ? (plan.returnsAt ?? until) : now;
  const comesBack = plugged === 0 && back < (departures[0] ?? until);
  const vehicle = expectedVehicle(
    { ...settings, vehicle: settings.vehicle },
    { socPct: state?.socPct, comesBack },
  );
  const { dailyKwh } = vehicle;
  const maxPowerKw = Math.min(takesKw, vehicle.maxPowerKw);
  const returns = departures.map((departure) => expectedReturn(settings, departure, zone));
  // The user who lets it run wants more than the target.
  const wantedKwh = override?.action === "run" ? settings.vehicle.capacity_kwh : vehicle.targetKwh;
  const maxKwh = Math.max(wantedKwh, vehicle.storedKwh);
  /** What is wanted at a departure: from the end of an override on the usual. */
  const { capacity_kwh: capacityKwh, target_soc_pct: usualPct } = usual?.vehicle ?? settings.vehicle;
  const targetKwhAt = (departure: Date): number =>
    override === undefined || departure <= override.until
      ? vehicle.targetKwh
      : Math.min(maxKwh, (capacityKwh * usualPct) / 100);
  /** After a departure the vehicle is expected at its usual time, where its use is known. */
  const isHome = ({ start }: Interval): boolean => {
    const left = departures.findLastIndex((departure) => departure <= start);
    if (left < 0) return start >= back;
    return start >= (returns[left] ?? until) && departures[left + 1] !== undefined;
  };
  const isSurplusOnly = settings.vehicle.surplus === "only";
  // Up to its least state of charge the vehicle is charged at once, from whatever there is.
  let atOnceKwh = Math.max(0, vehicle.minKwh - vehicle.storedKwh) / vehicle.efficiency;
  const stages = steps.map((step, t): StoreStage => {
    const action = overriding(plan, step);
    const surplus = surplusKwh[t] ?? 0;
    const roomKwh = Math.max(0, importLimitKw * hoursOf(step) + surplus);
    const fullKwh = Math.min(maxPowerKw * hoursOf(step), roomKwh);
    const mostKwh = Math.max(surplus, Math.min(atOnceKwh, fullKwh));
    if (isHome(step)) atOnceKwh = Math.max(0, atOnceKwh - fullKwh);
    const leaves = departures.find((at) => at > step.start && at <= step.end);
    return {
      hours: hoursOf(step),
      available: isHome(step) && action !== "skip",
      drawKwh: departures.some((at) => at >= step.start && at < step.end) ? dailyKwh : 0,
      leastKwh:
        action === "run"
          ? maxKwh
          : leaves !== undefined
            ? targetKwhAt(leaves)
            : isHome(step)
              ? vehicle.minKwh
              : 0,
      ...(isSurplusOnly && action !== "run" && { mostKwh }),
    };
  });
  return {
    kind: "store",
    store: {
      stages,
      storedKwh: vehicle.storedKwh,
      maxKwh,
      efficiency: vehicle.efficiency,
      minPowerKw: Math.min(maxPowerKw, vehicle.minPowerKw),
      maxPowerKw,
      lossPerHour: 0,
      worthCtKwh: 0,
    },
  };
}

function boilerDevice(plan: SlotPlan, situation: DeviceSituation): Device | undefined {
  const { settings, plugged } = plan;
  const { zone, steps, importCtKwh, state } = situation;
  if (settings.store === null || settings.power_kw === null) return undefined;
  const tank = tankOf(settings.store, state?.temperatureC);
  const drawKwh = expectedDrawKwh(settings.store, steps, zone);
  const hot = legionellaNeed(settings.store, situation, settings.power_kw);
  return {
    kind: "store",
    store: {
      stages: steps.map((step, t) => {
        const certainKwh = tank.lossKwhPerHour * hoursOf(step) + (hot?.aboveKwh[t] ?? 0);
        return {
          hours: hoursOf(step),
          available: plugged !== 0 && overriding(plan, step) !== "skip",
          drawKwh: drawKwh[t]! + certainKwh,
          certainKwh,
          leastKwh: overriding(plan, step) === "run" ? tank.maxKwh : hot?.step === t ? hot.leastKwh : 0,
        };
      }),
      storedKwh: tank.storedKwh - (hot?.broughtKwh ?? 0),
      maxKwh: tank.maxKwh,
      efficiency: 1,
      minPowerKw: settings.power_kw,
      maxPowerKw: settings.power_kw,
      lossPerHour: 0,
      // What is left saves heating at a cheap hour of the day after.
      worthCtKwh: Math.max(0, quantile(importCtKwh, 0.25)),
    },
  };
}

/**
 * The device of a slot beside an import limit: a wallbox takes its energy at the power that the limit leaves, another device
 * does without a demand for which it leaves too little at any time.
 */
function withinLimit(
  device: RunsDevice | undefined,
  { settings, override, result }: SlotPlan,
  { steps, surplusKwh, importLimitKw }: DeviceSituation,
): Device | undefined {
  if (device === undefined || importLimitKw === undefined) return device;
  const { powerKw } = device;
  const roomKw = (t: number) => importLimitKw + surplusKwh[t]! / hoursOf(steps[t]!);
  const demands = device.demands.filter(({ from, to }) =>
    steps.slice(from, to).some((_, k) => powerKw <= roomKw(from + k)),
  );
  const isSet = settings.kind === "wallbox" && override?.action !== "run" && result?.gridMinutes === 15;
  return isSet && device.demands.every(({ unbroken }) => !unbroken)
    ? wallboxDevice(device, steps)
    : { ...device, demands };
}

/** A wallbox whose vehicle is not known: what is wanted in each window is stored until its end. */
function wallboxDevice({ powerKw, demands }: RunsDevice, steps: readonly Interval[]): Device {
  return {
    kind: "store",
    store: {
      stages: steps.map((step, t) => ({
        hours: hoursOf(step),
        available: demands.some(({ from, to }) => from <= t && t < to),
        drawKwh: sumOfAll(demands.map(({ to, kwh }) => (to === t ? kwh : 0))),
        leastKwh: sumOfAll(demands.map(({ to, kwh }) => (to === t + 1 ? kwh : 0))),
      })),
      storedKwh: 0,
      maxKwh: Math.max(0, ...demands.map(({ kwh }) => kwh)),
      efficiency: 1,
      minPowerKw: leastChargingKw(powerKw),
      maxPowerKw: powerKw,
      lossPerHour: 0,
      worthCtKwh: 0,
    },
  };
}

function runsDevice(plan: SlotPlan, { steps }: DeviceSituation): RunsDevice | undefined {
  const { result, later, plugged, returnsAt, settings } = plan;
  // Nothing to place, but its states follow the costs.
  if (result === undefined && settings.sg_ready !== null)
    return { kind: "runs", powerKw: settings.power_kw ?? SG_POWER_KW, demands: [] };
  const powerKw = result?.powerKw;
  if (result === undefined || powerKw === undefined || result.role !== "consume") return undefined;
  const isAway = plugged === 0 && returnsAt === undefined;
  const next = isAway ? [] : [...runningNow(plan, powerKw, steps), ...demandsOf(result, steps)];
  return { kind: "runs", powerKw, demands: [...next, ...later.flatMap((each) => demandsOf(each, steps))] };
}

/** The demand of a `run` before that of the schedule; a run without a schedule is the result itself. */
function runningNow(
  { override, result }: SlotPlan,
  powerKw: number,
  steps: readonly Interval[],
): RunDemand[] {
  if (override?.action !== "run" || result === undefined || result.window.askedEnd <= override.until)
    return [];
  const { until } = override;
  const to = steps.filter(({ start }) => start < until).length;
  const hours = steps.slice(0, to).reduce((sum, step) => sum + hoursOf(step), 0);
  const beyond = to === 0 ? 0 : Math.max(0, hoursOf({ start: until, end: steps[to - 1]!.end }));
  return to === 0 ? [] : [{ from: 0, to, kwh: powerKw * (hours - beyond), unbroken: false }];
}

/** The demand of one window, by unbroken run where it is in segments. */
function demandsOf(result: FlexResult, steps: readonly Interval[]): RunDemand[] {
  const { window, powerKw, demandHours, demandEnergyKwh, segments } = result;
  if (window.phase !== "open" || powerKw === undefined) return [];
  const from = steps.findIndex(({ end }) => end > window.from);
  const to = steps.findLastIndex(({ end }) => end <= window.end) + 1;
  if (from < 0 || to <= from) return [];
  const unbroken = result.consecutive === "required";
  const parts = unbroken
    ? segments.map(({ hours, completedHours }) => Math.max(0, hours - completedHours) * powerKw)
    : [Math.min(demandEnergyKwh ?? demandHours * powerKw, demandHours * powerKw)];
  return parts.filter((kwh) => kwh > 0).map((kwh) => ({ from, to, kwh, unbroken }));
}

function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(share * (sorted.length - 1))] ?? 0;
}
