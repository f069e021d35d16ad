import type { FreshnessLimits } from "../core/domain/freshness.js";
import { HOUR_MS, QUARTER_MS } from "../core/domain/interval.js";
import type { LiveState } from "../core/domain/sample.js";
import type { BalancedPlant } from "../telemetry/energy-balance.js";
import { freshBalance } from "./device-power.js";
import { freshValue } from "./live-readings.js";

/** Least span of counter readings from which a mean power is derived. */
const LEAST_SPAN_MS = QUARTER_MS / 3;

interface NetLoadOptions {
  limits: FreshnessLimits;
  plant: BalancedPlant;
}

interface Point {
  ms: number;
  value: number;
}

/** Means over a quarter-hour, kW. */
export interface NetLoad {
  /** Load less PV, without battery, vehicle and devices that are planned apart. */
  netLoadKw: number;
  /** Left out: not measured. */
  pvKw?: number;
}

/** Measures the net load, and PV, over the last quarter-hour. */
export class NetLoadMeter {
  #powers: Point[] = [];
  #pvPowers: Point[] = [];
  /** Import less export of the meters, less the energy of battery, vehicle and devices, kWh. */
  #energies: Point[] = [];
  /** Energy of battery, vehicle and devices since the start, kWh. */
  #chargedKwh = 0;

  /** Adds the live state after a sample. */
  add(live: LiveState, now: Date, { limits, plant }: NetLoadOptions): void {
    const ms = now.getTime();
    const fresh = (name: keyof LiveState) => freshValue(live[name], now, limits);
    const { householdKw, pvKw, vehicleKw = 0, devices } = freshBalance(plant, live, { now, limits });
    const pv = plant.pv.length > 0 ? pvKw : 0;
    // The load counts only together with a PV power.
    if (householdKw !== undefined && pv !== undefined) this.#powers.push({ ms, value: householdKw - pv });
    const imported = fresh("import_kwh");
    const battery = fresh("battery_power_kw");
    if (imported !== undefined && battery !== undefined) {
      const last = this.#energies.at(-1);
      const hours = last === undefined ? 0 : (ms - last.ms) / HOUR_MS;
      const othersKw = devices.reduce(
        (sum, { kw, isApart, isVehicle }) => sum + (isApart && !isVehicle ? kw : 0),
        0,
      );
      this.#chargedKwh += (battery + vehicleKw + othersKw) * hours;
      this.#energies.push({ ms, value: imported - (fresh("export_kwh") ?? 0) - this.#chargedKwh });
    }
    if (plant.pv.length > 0 && pvKw !== undefined) this.#pvPowers.push({ ms, value: pvKw });
    this.#powers = since(this.#powers, ms);
    this.#pvPowers = since(this.#pvPowers, ms);
    this.#energies = since(this.#energies, ms);
  }

  /** Over the last quarter-hour; undefined without enough readings. */
  mean(now: Date): NetLoad | undefined {
    const netLoadKw = this.#meanKw(now);
    if (netLoadKw === undefined) return undefined;
    const pvPowers = since(this.#pvPowers, now.getTime());
    return { netLoadKw, ...(pvPowers.length > 0 && { pvKw: timeMean(pvPowers, now.getTime()) }) };
  }

  #meanKw(now: Date): number | undefined {
    const ms = now.getTime();
    const powers = since(this.#powers, ms);
    if (powers.length > 0) return timeMean(powers, ms);
    const energies = since(this.#energies, ms);
    const first = energies[0];
    const last = energies.at(-1);
    if (first === undefined || last === undefined || last.ms - first.ms < LEAST_SPAN_MS) return undefined;
    return (last.value - first.value) / ((last.ms - first.ms) / HOUR_MS);
  }
}

/** The points of the last quarter-hour, and the last one before it. */
function since(points: readonly Point[], ms: number): Point[] {
  const fromMs = ms - QUARTER_MS;
  const first = points.findLastIndex((point) => point.ms <= fromMs);
  return points.filter((point, index) => index >= first && point.ms > fromMs - QUARTER_MS);
}

/** Time-weighted mean; each value applies until the next one. */
function timeMean(points: readonly Point[], ms: number): number {
  const fromMs = ms - QUARTER_MS;
  let sum = 0;
  let length = 0;
  points.forEach((point, index) => {
    const start = Math.max(fromMs, point.ms);
    const end = points[index + 1]?.ms ?? ms;
    sum += point.value * Math.max(0, end - start);
    length += Math.max(0, end - start);
  });
  return length > 0 ? sum / length : points.at(-1)!.value;
}
