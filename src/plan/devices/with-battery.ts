import { interpolate } from "../interpolate.js";
import { selfConsumptionKwh, socAfter } from "../physics/inverter.js";
import type { PolicyRules } from "../policy/stage-costs.js";
import { NO_LIMIT, type Stage } from "../policy/stages.js";
import { isKeptFull } from "../policy/targets.js";

/** What an energy leads to. */
export interface DeviceMove {
  /** State after the stage; between two states values are interpolated. */
  to: number;
  /** Cost besides that of the energy, ct: switching, and what is wanted and missing. */
  ct: number;
}

/** A device as a machine of states, numbered from 0. */
export interface DeviceStates {
  count: number;
  /** State before the first stage. */
  start: number;
  /** Energies that some state allows in a stage, kWh. */
  levels(t: number): readonly number[];
  /** What an energy leads to from a state; undefined where the state does not allow it. */
  move(t: number, state: number, kwh: number): DeviceMove | undefined;
  /** Cost of the state after the last stage, ct. */
  endCt(state: number): number;
  /** More energies that are compared on the way from a state, kWh. */
  exactLevels(t: number, state: number): readonly number[];
}

/** The site without the device, at expected load. */
export interface SiteStages {
  stages: readonly Stage[];
  rules: PolicyRules;
  socKwh: number;
  /** Cost of what the battery holds at the end, ct: its worth, negative. */
  endCt: (socKwh: number) => number;
  isServed: boolean;
}

/** Stored energies of the battery that are compared. */
const SOC_POINTS = 25;

/**
 * Least-cost energies of a device, kWh a stage, with the battery adapting in each of its modes: dynamic programming over the
 * states of both, at expected load. Pure. undefined where the device has no course to its end.
 */
export function planWithBattery(device: DeviceStates, site: SiteStages): number[] | undefined {
  const battery = new BatteryMoves(site);
  const { points } = battery;
  const { count } = device;
  const row = new Float64Array(points);
  const moves = new Float64Array(points * MOVE_FIELDS);
  const least = new LeastMove();
  const values = new Array<Float64Array>(site.stages.length + 1);
  values[site.stages.length] = Float64Array.from(
    { length: count * points },
    (_, k) => device.endCt(Math.floor(k / points)) + site.endCt(battery.socOf(k % points)),
  );
  for (let t = site.stages.length - 1; t >= 0; t--) {
    const value = new Float64Array(count * points).fill(Number.POSITIVE_INFINITY);
    values[t] = value;
    for (const kwh of device.levels(t)) {
      for (let i = 0; i < points; i++) battery.writeMoves(moves, i * MOVE_FIELDS, { t, kwh, at: i });
      for (let state = 0; state < count; state++) {
        const move = device.move(t, state, kwh);
        if (move === undefined || !readRow(values[t + 1]!, { count, at: move.to, into: row })) continue;
        const stop = battery.stopOf(t, row);
        for (let i = 0, k = state * points; i < points; i++, k++) {
          least.find(moves, i * MOVE_FIELDS, row, stop);
          const ct = move.ct + least.ct;
          if (ct < value[k]!) value[k] = ct;
        }
      }
    }
  }
  return follow(device, { battery, values, socKwh: site.socKwh });
}

/** The forward pass from the present states. */
function follow(
  device: DeviceStates,
  { battery, values, socKwh }: { battery: BatteryMoves; values: readonly Float64Array[]; socKwh: number },
): number[] | undefined {
  const { count } = device;
  const row = new Float64Array(battery.points);
  const moves = new Float64Array(MOVE_FIELDS);
  const least = new LeastMove();
  let state = device.start;
  let soc = battery.indexOf(socKwh);
  const energies: number[] = [];
  for (let t = 0; t + 1 < values.length; t++) {
    let best = { ct: Number.POSITIVE_INFINITY, kwh: 0, to: state, soc };
    for (const kwh of [...device.levels(t), ...device.exactLevels(t, state)]) {
      const move = device.move(t, state, kwh);
      if (move === undefined || !readRow(values[t + 1]!, { count, at: move.to, into: row })) continue;
      battery.writeMoves(moves, 0, { t, kwh, at: soc });
      least.find(moves, 0, row, battery.stopOf(t, row));
      const ct = move.ct + least.ct;
      if (ct < best.ct - TIE_CT) best = { ct, kwh, to: move.to, soc: least.to };
    }
    if (best.ct === Number.POSITIVE_INFINITY) return undefined;
    energies.push(best.kwh);
    state = best.to;
    soc = best.soc;
  }
  return energies;
}

const TIE_CT = 1e-9;
/** Part of the distance of two states that counts as none. */
const NO_DISTANCE = 1e-9;

/** Reads the values of a state, between two states those between; false where one of them leads nowhere. */
function readRow(
  values: Float64Array,
  { count, at, into }: { count: number; at: number; into: Float64Array },
): boolean {
  const points = into.length;
  const low = Math.max(0, Math.min(count - 1, Math.floor(at + NO_DISTANCE)));
  const share = at - low < NO_DISTANCE ? 0 : at - low;
  const high = share === 0 ? low : Math.min(count - 1, low + 1);
  for (let i = 0; i < points; i++) {
    const below = values[low * points + i]!;
    into[i] = share === 0 ? below : below + share * (values[high * points + i]! - below);
  }
  return Number.isFinite(into[0]!);
}

/**
 * Fields of the battery's moves from a stored energy. Self-consumption, idle and charging from the grid each have their cost, ct,
 * and the index of the stored energy after them; charging goes on up to another index at a cost for each point.
 */
const OWN = 0;
const IDLE = 2;
const CHARGE = 4;
const CHARGE_MOST = 6;
const CHARGE_CT = 7;
const MOVE_FIELDS = 8;

/** The cheapest move of the battery. One object serves a whole pass, because it searches millions of times. */
class LeastMove {
  /** Cost of the move and of what follows it, ct. */
  ct = 0;
  /** Index of the stored energy after it. */
  to = 0;

  /** Finds it among the moves from index `at`; `row` has the cost of what follows, by the stored energy. */
  find(moves: Float64Array, at: number, row: Float64Array, stop: number): void {
    const last = row.length - 2;
    this.to = moves[at + OWN + 1]!;
    this.ct = moves[at + OWN]! + interpolate(row, 0, last, this.to);
    const idleCt = moves[at + IDLE]!;
    if (idleCt < Number.POSITIVE_INFINITY) {
      const to = moves[at + IDLE + 1]!;
      this.#take(idleCt + interpolate(row, 0, last, to), to);
    }
    const from = moves[at + CHARGE + 1]!;
    if (stop <= from) return;
    const to = Math.min(stop, moves[at + CHARGE_MOST]!);
    this.#take(
      moves[at + CHARGE]! + (to - from) * moves[at + CHARGE_CT]! + interpolate(row, 0, last, to),
      to,
    );
  }

  #take(ct: number, to: number): void {
    if (ct >= this.ct) return;
    this.ct = ct;
    this.to = to;
  }
}

/** The battery in each stage, with the physics of its modes. Stored energies are indices of `SOC_POINTS` over the band. */
class BatteryMoves {
  readonly points: number;
  readonly #site: SiteStages;
  readonly #spacing: number;

  constructor(site: SiteStages) {
    const { minSocKwh, maxSocKwh } = site.rules.battery;
    this.#site = site;
    this.points = maxSocKwh > minSocKwh ? SOC_POINTS : 1;
    this.#spacing = this.points === 1 ? 1 : (maxSocKwh - minSocKwh) / (this.points - 1);
  }

  socOf(i: number): number {
    return this.#site.rules.battery.minSocKwh + i * this.#spacing;
  }

  indexOf(socKwh: number): number {
    return (socKwh - this.#site.rules.battery.minSocKwh) / this.#spacing;
  }

  /** Writes the moves from the stored energy of index `at` where the device takes `kwh`. */
  writeMoves(
    into: Float64Array,
    first: number,
    { t, kwh, at }: { t: number; kwh: number; at: number },
  ): void {
    const { stages, rules, isServed } = this.#site;
    const { battery, controls } = rules;
    const stage = stages[t]!;
    const netKwh = stage.loadKwh - stage.pvKwh + kwh;
    const socKwh = this.socOf(at);
    const isHeld = isKeptFull(stage, rules) || (!isServed && kwh > 0);
    const caps = {
      chargeKwh: battery.maxChargePowerKw * stage.hours,
      dischargeKwh: isHeld ? 0 : battery.maxDischargePowerKw * stage.hours,
    };
    const write = (field: number, acKwh: number) => {
      into[first + field] = gridCt(stage, rules, netKwh + acKwh) + Math.max(0, -acKwh) * rules.wearCt;
      into[first + field + 1] = this.indexOf(socAfter(socKwh, acKwh, battery));
    };
    // What `free` does; `block` does not store, `hold` does not give, `standby` does neither.
    const ownKwh = selfConsumptionKwh(netKwh, socKwh, caps, battery);
    write(OWN, ownKwh);
    const canRest = controls.has(ownKwh > 0 ? "block" : "hold") || controls.has("standby");
    if (ownKwh !== 0 && canRest) write(IDLE, 0);
    else into[first + IDLE] = Number.POSITIVE_INFINITY;
    const leastKwh = Math.max(0, ownKwh);
    const limitKw = Math.min(rules.importLimitKw, stage.overCtKw > 0 ? stage.targetKw : NO_LIMIT);
    const mostKwh = Math.min(
      caps.chargeKwh,
      limitKw * stage.hours - netKwh,
      (battery.maxSocKwh - socKwh) / battery.chargeEfficiency,
    );
    write(CHARGE, leastKwh);
    if (!controls.has("charge") || mostKwh <= leastKwh) into[first + CHARGE + 1] = Number.POSITIVE_INFINITY;
    into[first + CHARGE_MOST] = this.indexOf(socAfter(socKwh, mostKwh, battery));
    into[first + CHARGE_CT] = this.#chargeCt(stage);
  }

  /** Index of the stored energy up to which charging at the price of the stage pays. */
  stopOf(t: number, row: Float64Array): number {
    const ctPerPoint = this.#chargeCt(this.#site.stages[t]!);
    let best = Number.POSITIVE_INFINITY;
    let stop = 0;
    for (let i = 0; i < row.length; i++) {
      const ct = ctPerPoint * i + row[i]!;
      if (ct >= best - TIE_CT) continue;
      best = ct;
      stop = i;
    }
    return stop;
  }

  #chargeCt({ importCt }: Stage): number {
    return (importCt / this.#site.rules.battery.chargeEfficiency) * this.#spacing;
  }
}

/** Cost of what a stage imports or, below 0, exports, ct. */
export function gridCt(stage: Stage, rules: PolicyRules, kwh: number): number {
  if (kwh < 0) return -Math.min(-kwh, rules.exportLimitKw * stage.hours) * stage.exportCt;
  return kwh * stage.importCt + Math.max(0, kwh / stage.hours - stage.targetKw) * stage.overCtKw;
}
