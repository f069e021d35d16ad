import { HOUR_MS } from "../../core/domain/interval.js";
import { DeviceCycles, type RecentHours } from "./device-cycles.js";
import { nodesOf, RANK_SHARES } from "./load-nodes.js";
import { type LocalHour, LocalHours } from "./local-hours.js";

/** A device whose energy is measured apart from the home's load. Plain data. */
export interface DeviceLoad {
  slot: number;
  /** Its measured hours, as those of the home; null where it is not known. */
  hourKwh: (number | null)[];
}

export interface DeviceActivity {
  /** Energy of the last twelve hours, kWh. */
  recentKwh: number;
  isOn: boolean;
}

/** What is known of a device at the moment of the forecast. */
export interface PresentDevice {
  slot: number;
  /** Left out: not known. */
  state?: DeviceActivity;
  /** Of a device that switches itself, such as a heat pump: its last hours, which say what it does next. */
  recent?: RecentHours;
  /** Energy of the next clock hours from the one in progress on, kWh, as far as it is certain, such as of a vehicle with a known need. */
  aheadKwh?: readonly number[];
  /** What it takes before is planned and added by the plan, ms; left out: nothing is. */
  plannedUntilMs?: number;
}

/**
 * Days after which a measured hour has half the weight, and the weights of another weekday of the same kind and of one of another kind: the
 * habits of a vehicle show over weeks.
 */
const HABITS = { halfLifeDays: 21, sameKind: 0.2, otherKind: 0.1 };
/** The same of a device that switches itself, such as a heat pump: it follows the weather, not the week. */
const OWN = { halfLifeDays: 4, sameKind: 1, otherKind: 0.6 };
/** Hours in which what has just happened to a device says something of it. */
const MEMORY_HOURS = 24;
const RECENT_HOURS = 12;
/** Weight of a day on which the device was off where it is on now, or the reverse. */
const OTHER_STATE = 0.1;
/** Energies of the recent hours are alike within this share of a usual day of the device. */
const LIKE_SHARE = 0.2;
/** Least weight of a day whose course was another one. */
const LEAST_LIKENESS = 0.005;
/** A device is on in hours with more than this share of the energy of its strongest ones. */
const ON_SHARE = 0.15;

/** A measured hour, with the state at its beginning. */
interface DeviceHour extends LocalHour, DeviceActivity {
  kwh: number;
}

/**
 * The energy of a device in the hours to come: what is certain of it, then as on earlier days at the same clock hour. Days count more the
 * more recent they are, on the same weekday, and in the first day where the device was in the same state by then and had taken as much.
 */
export class DeviceDistributions {
  readonly #hours: (DeviceHour | undefined)[];
  readonly #fromMs: number;
  readonly #local: LocalHours;
  /** Energy of a day on which the device runs, kWh. */
  readonly #usualDayKwh: number;
  readonly #cycles: DeviceCycles;

  constructor({ hourKwh }: DeviceLoad, { timeZone, fromMs }: { timeZone: string; fromMs: number }) {
    this.#fromMs = fromMs;
    this.#cycles = new DeviceCycles(hourKwh, fromMs);
    this.#local = LocalHours.of(timeZone);
    const energies = hourKwh.filter((kwh) => kwh !== null).sort((a, b) => a - b);
    const onKwh = ON_SHARE * (energies[Math.floor(0.99 * (energies.length - 1))] ?? 0);
    let recentKwh = 0;
    const days = new Map<number, number>();
    this.#hours = hourKwh.map((kwh, index) => {
      const at = this.#local.at(fromMs + index * HOUR_MS);
      const before = recentKwh;
      recentKwh += (kwh ?? 0) - (hourKwh[index - RECENT_HOURS] ?? 0);
      days.set(at.day, (days.get(at.day) ?? 0) + (kwh ?? 0));
      if (kwh === null) return undefined;
      const wasOn = (hourKwh[index - 1] ?? 0) > onKwh;
      return { ...at, kwh, isOn: wasOn, recentKwh: Math.max(0, before) };
    });
    const running = [...days.values()].filter((kwh) => kwh > onKwh);
    this.#usualDayKwh = running.reduce((sum, kwh) => sum + kwh, 0) / Math.max(1, running.length);
  }

  /** The energy of the clock hour at an instant by rank, kWh; `nowMs`: the clock hour in progress. */
  at(ms: number, now: PresentDevice | undefined, nowMs: number): readonly number[] {
    const lead = Math.round((ms - nowMs) / HOUR_MS);
    if (now?.plannedUntilMs !== undefined && ms < now.plannedUntilMs) return RANK_SHARES.map(() => 0);
    const certain = now?.aheadKwh?.[lead];
    if (certain !== undefined) return RANK_SHARES.map(() => certain);
    const next = now?.recent && lead < MEMORY_HOURS ? this.#cycles.at(lead, now.recent) : undefined;
    if (next !== undefined) return next;
    const target = this.#local.at(ms);
    // What is certain has happened then: the days are compared by where they were at that hour.
    const since = lead - (now?.aheadKwh?.length ?? 0);
    const state = now?.plannedUntilMs === undefined && since < MEMORY_HOURS ? stateAfter(now) : undefined;
    const { halfLifeDays, sameKind, otherKind } = now?.recent === undefined ? HABITS : OWN;
    const members = [];
    for (let index = Math.round((ms - this.#fromMs) / HOUR_MS) - 24; index >= -1; index -= 24) {
      const member = this.#nearest(index, target.hour);
      if (member === undefined) continue;
      const hour = this.#hours[member]!;
      const age = target.day - hour.day;
      const isSameKind = hour.kind === target.kind;
      const weekday = isSameKind ? (age % 7 === 0 ? 1 : sameKind) : otherKind;
      const then = state && this.#hours[member - since];
      const weight = 2 ** (-age / halfLifeDays) * weekday * (state && then ? this.#likeness(then, state) : 1);
      members.push({ kwh: hour.kwh, weight });
    }
    return nodesOf(members, 0);
  }

  /** The index of the same clock hour: a change of the clocks moves it by one. */
  #nearest(index: number, hour: number): number | undefined {
    return [index, index - 1, index + 1].find((at) => this.#hours[at]?.hour === hour);
  }

  #likeness(then: DeviceActivity, { isOn, recentKwh }: DeviceActivity): number {
    const apart = Math.abs(then.recentKwh - recentKwh) / Math.max(1e-6, LIKE_SHARE * this.#usualDayKwh);
    return Math.max(LEAST_LIKENESS, Math.exp(-apart) * (then.isOn === isOn ? 1 : OTHER_STATE));
  }
}

/** The state of a device when what is certain of it has happened. */
function stateAfter({ state, aheadKwh = [] }: Partial<PresentDevice> = {}): DeviceActivity | undefined {
  if (state === undefined || aheadKwh.length === 0) return state;
  return { isOn: false, recentKwh: aheadKwh.reduce((sum, kwh) => sum + kwh, state.recentKwh) };
}
