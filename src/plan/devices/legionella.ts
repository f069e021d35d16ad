import type { StoreSettings } from "../../config/settings.js";
import { DAY_MS, hoursOf } from "../../core/domain/interval.js";
import { localTime } from "../../core/time/zone.js";
import { isTriedInVain, storeKwhPerK, type TankHeat } from "../windows/estimates.js";
import type { DeviceSituation } from "./device.js";

/** The tank reaches the temperature at least this often, and at most this much earlier at a cheaper time. */
const EVERY_MS = 7 * DAY_MS;
const EARLIER_MS = 2 * DAY_MS;
/** A reading this much below counts as reached, °C. */
export const REACHED_TOLERANCE_C = 0.5;
/** Without a known temperature, and after it was tried in vain, the tank is heated until this local hour on Sundays. */
const SUNDAY_HOUR = 15;
const QUARTER_HOURS = 0.25;
/** Cost of a step with PV surplus as a share of the import price. */
const SURPLUS_COST = 0.3;

/** What protection against legionella adds to the plan of a tank, kWh by step. */
export interface LegionellaNeed {
  /** Step at whose end the tank is hot, and the heat above `min_c` stored then, at most that of `max_c`. */
  step: number;
  leastKwh: number;
  /** Heat for temperatures above `max_c`. */
  aboveKwh: number[];
  /** Its part that a heating in progress has brought already. */
  broughtKwh: number;
}

/** Until when a tank has to be hot again, ms. */
export function legionellaDueMs({ hotAt }: TankHeat): number {
  return (hotAt?.getTime() ?? 0) + EVERY_MS;
}

/**
 * The weekly heating of a tank to `legionella_c` in the given steps: seven days after the last time, up to two days earlier where
 * that is cheaper, at once where it is overdue, on Sundays where it was tried in vain. Undefined where none is due in the steps. Pure.
 */
export function legionellaNeed(
  store: StoreSettings,
  situation: DeviceSituation,
  powerKw: number,
): LegionellaNeed | undefined {
  const { legionella_c: hotC, min_c, max_c } = store;
  if (hotC === null) return undefined;
  const heat = (kelvin: number) => storeKwhPerK(store) * Math.max(0, kelvin);
  const { steps, state } = situation;
  const nowC = state?.temperatureC ?? (min_c + max_c) / 2;
  const neededKwh = heat(hotC - nowC);
  const step =
    state?.temperatureC === undefined || state.isAssumed || isTriedInVain(state)
      ? sundayStep(situation)
      : dueStep(situation, { neededKwh, powerKw, dueMs: legionellaDueMs(state) });
  if (step === undefined) return undefined;
  const aboveKwh = steps.map(() => 0);
  // The element runs in whole quarter-hours: up to one more than needed, for which the tank has to have room.
  const quarterKwh = powerKw * QUARTER_HOURS;
  const leastKwh = Math.min(heat(hotC - min_c), Math.max(0, heat(max_c - min_c) - quarterKwh));
  let leftKwh = Math.max(0, storeKwhPerK(store) * (hotC - max_c) + quarterKwh);
  for (let t = step; t >= 0 && leftKwh > 0; t--) {
    aboveKwh[t] = Math.min(leftKwh, powerKw * hoursOf(steps[t]!));
    leftKwh -= aboveKwh[t]!;
  }
  // What there is no time for.
  const broughtKwh = Math.max(0, Math.min(leftKwh, heat(nowC - max_c)));
  return { step, leastKwh, aboveKwh, broughtKwh };
}

function sundayStep({ steps, zone }: DeviceSituation): number | undefined {
  const step = steps.findIndex(({ end }) => {
    const { weekday, hour, minute } = localTime(end, zone);
    return weekday === 7 && hour === SUNDAY_HOUR && minute === 0;
  });
  return step < 0 ? undefined : step;
}

function dueStep(
  { steps, importCtKwh, surplusKwh }: DeviceSituation,
  { neededKwh, powerKw, dueMs }: { neededKwh: number; powerKw: number; dueMs: number },
): number | undefined {
  const open = steps.flatMap(({ end }, t) => (end.getTime() > dueMs - EARLIER_MS ? [t] : []));
  let kwh = 0;
  const earliest = steps.findIndex((step) => {
    kwh += powerKw * hoursOf(step);
    return kwh >= neededKwh;
  });
  const candidates = open.filter((t) => t >= earliest);
  if (earliest < 0 || candidates[0] === undefined) return undefined;
  const stepCt = (t: number) => {
    const isSunny = (surplusKwh[t] ?? 0) >= (powerKw * hoursOf(steps[t]!)) / 2;
    return importCtKwh[t]! * (isSunny ? SURPLUS_COST : 1);
  };
  /** Cost of the heat just before the end of a step. */
  const costCt = (last: number) => {
    let [ct, leftKwh] = [0, neededKwh];
    for (let t = last; t >= 0 && leftKwh > 0; t--) {
      const taken = Math.min(leftKwh, powerKw * hoursOf(steps[t]!));
      ct += taken * stepCt(t);
      leftKwh -= taken;
    }
    return ct;
  };
  return candidates
    .filter((t) => steps[t]!.end.getTime() <= dueMs)
    .reduce((best, t) => (costCt(t) < costCt(best) - 1e-9 ? t : best), candidates[0]);
}
