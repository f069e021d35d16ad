import type { ControlledMode } from "../../core/domain/battery.js";
import { interpolate } from "../interpolate.js";
import { selfConsumptionKwh, socAfter } from "../physics/inverter.js";
import type { PolicyBattery } from "./policy-input.js";
import type { ScenarioChain } from "./scenario-chain.js";
import type { Stage } from "./stages.js";
import { chargeBelowTargetKw, isKeptFull, stopBefore, type Targets, targetsOf } from "./targets.js";

/** What does not change from stage to stage. */
export interface PolicyRules {
  battery: PolicyBattery;
  wearCt: number;
  importLimitKw: number;
  exportLimitKw: number;
  controls: ReadonlySet<ControlledMode>;
  chain: ScenarioChain;
  /** Stored energies at which the value functions are kept: `minSocKwh + i * spacingKwh`. */
  points: number;
  spacingKwh: number;
}

/** Index of a mode in the tables of a stage. */
export const FREE = 0;
export const HOLD = 1;
export const BLOCK = 2;
export const STANDBY = 3;

/** Value functions at the end of a stage: one layer of `points` values a scenario, lowest cost to go in ct. */
export type Layers = Float64Array;

/** Costs by mode. */
export type ModeCosts = readonly [Float64Array, Float64Array, Float64Array, Float64Array];

/**
 * Costs of one stage and what follows it, by mode and scenario. `at` computes the modes whose course is given by the
 * inverter alone; `charge` and `discharge` depend on a target that is chosen for a distribution of scenarios.
 */
export class StageCosts {
  readonly #rules: PolicyRules;
  /** Stored energies of the points. */
  readonly #socs: Float64Array;
  /** Cost of `free`, `hold`, `block` and `standby` from the SOC of the last `at`, by scenario. */
  readonly byMode: ModeCosts;
  /** The same of the last `atPoints`: `points` values a scenario. */
  #rows: ModeCosts | undefined;
  #stage!: Stage;
  #count: number;
  #next!: Layers;
  #netKwh!: Float64Array;
  #chargeKwh = 0;
  #caps = { chargeKwh: 0, dischargeKwh: 0 };
  #feedInKwh = 0;
  #importLimitKwh = 0;
  #targetKwh = 0;
  #overCtKwh = 0;
  /** Stored energy of the last `at`. */
  readonly #soc = new Float64Array(1);

  constructor(rules: PolicyRules) {
    this.#rules = rules;
    const { chain, points, spacingKwh, battery } = rules;
    this.#count = chain.count;
    this.#socs = new Float64Array(points);
    for (let i = 0; i < points; i++) this.#socs[i] = battery.minSocKwh + i * spacingKwh;
    this.byMode = modeCosts(chain.count);
  }

  /** Looks at a stage, or at another length of it with other net loads. */
  of(stage: Stage, next: Layers, part: { hours: number; netKwh: Float64Array } = stage): void {
    const { battery, importLimitKw, exportLimitKw, chain } = this.#rules;
    this.#stage = stage;
    this.#count = chain.countOf(stage);
    this.#next = next;
    this.#netKwh = part.netKwh;
    this.#chargeKwh = battery.maxChargePowerKw * part.hours;
    const dischargeKwh = isKeptFull(stage, this.#rules) ? 0 : battery.maxDischargePowerKw * part.hours;
    this.#caps = { chargeKwh: this.#chargeKwh, dischargeKwh };
    this.#feedInKwh = exportLimitKw * part.hours;
    this.#importLimitKwh = importLimitKw * part.hours;
    this.#targetKwh = stage.targetKw * part.hours;
    this.#overCtKwh = stage.overCtKw === 0 ? 0 : stage.overCtKw / part.hours;
    if (stage.overCtKw > 0)
      this.#chargeKwh = Math.min(this.#chargeKwh, chargeBelowTargetKw(stage, part) * part.hours);
  }

  /** Computes `byMode` for a stored energy. */
  at(socKwh: number): void {
    this.#soc[0] = socKwh;
    this.#compute(this.#soc, this.byMode);
  }

  /** The costs by mode for the stored energy of each point: `points` values a scenario. */
  atPoints(): ModeCosts {
    this.#rows ??= modeCosts(this.#rules.chain.count * this.#rules.points);
    this.#compute(this.#socs, this.#rows);
    return this.#rows;
  }

  /** The physics of `selfConsumptionKwh`, with what does not depend on the stored energy out of the inner loop: most of a solve is spent here. */
  #compute(socs: Float64Array, [free, hold, block, standby]: ModeCosts): void {
    const { battery, wearCt, points, spacingKwh } = this.#rules;
    const { minSocKwh, maxSocKwh, chargeEfficiency, dischargeEfficiency } = battery;
    const { importCt, exportCt } = this.#stage;
    const feedInKwh = this.#feedInKwh;
    const targetKwh = this.#targetKwh;
    const overCtKwh = this.#overCtKwh;
    const { chargeKwh, dischargeKwh } = this.#caps;
    const next = this.#next;
    const count = this.#count;
    const last = points - 2;
    const perKwh = 1 / spacingKwh;
    const perKwhIn = chargeEfficiency / spacingKwh;
    const perKwhOut = 1 / (dischargeEfficiency * spacingKwh);
    const width = socs.length;
    for (let w = 0, base = 0, at = 0; w < count; w++, base += points) {
      const netKwh = this.#netKwh[w]!;
      if (netKwh < 0) {
        const surplusKwh = -netKwh;
        const idleCt = -Math.min(surplusKwh, feedInKwh) * exportCt;
        const mostKwh = Math.min(surplusKwh, chargeKwh);
        for (let i = 0; i < width; i++, at++) {
          const from = (socs[i]! - minSocKwh) * perKwh;
          const idle = idleCt + interpolate(next, base, last, from);
          const inKwh = Math.min(mostKwh, (maxSocKwh - socs[i]!) / chargeEfficiency);
          const stored =
            inKwh > 0
              ? -Math.min(surplusKwh - inKwh, feedInKwh) * exportCt +
                interpolate(next, base, last, from + inKwh * perKwhIn)
              : idle;
          free[at] = stored;
          hold[at] = stored;
          block[at] = idle;
          standby[at] = idle;
        }
      } else {
        const idleCt = netKwh * importCt + Math.max(0, netKwh - targetKwh) * overCtKwh;
        const mostKwh = Math.min(netKwh, dischargeKwh);
        for (let i = 0; i < width; i++, at++) {
          const from = (socs[i]! - minSocKwh) * perKwh;
          const idle = idleCt + interpolate(next, base, last, from);
          const outKwh = Math.min(mostKwh, (socs[i]! - minSocKwh) * dischargeEfficiency);
          const served =
            outKwh > 0
              ? (netKwh - outKwh) * importCt +
                Math.max(0, netKwh - outKwh - targetKwh) * overCtKwh +
                outKwh * wearCt +
                interpolate(next, base, last, from - outKwh * perKwhOut)
              : idle;
          free[at] = served;
          hold[at] = idle;
          block[at] = served;
          standby[at] = idle;
        }
      }
    }
  }

  /**
   * Which modes may cost less than `free` from some point: by the least and the greatest worth of a stored kWh at the end of the stage,
   * and whether some scenario has a surplus or a deficit.
   */
  candidates(): { hold: boolean; block: boolean; charge: boolean } {
    const { battery, wearCt, points, spacingKwh } = this.#rules;
    const { importCt, exportCt } = this.#stage;
    const next = this.#next;
    let least = Infinity;
    let most = -Infinity;
    let surplus = false;
    let deficit = false;
    for (let w = 0; w < this.#count; w++) {
      if (this.#netKwh[w]! < 0) surplus = true;
      else deficit = true;
      for (let at = w * points + 1; at < (w + 1) * points; at++) {
        const worth = next[at - 1]! - next[at]!;
        if (worth < least) least = worth;
        if (worth > most) most = worth;
      }
    }
    return {
      hold: deficit && most / spacingKwh > (importCt - wearCt) * battery.dischargeEfficiency,
      block: surplus && (least / spacingKwh) * battery.chargeEfficiency < Math.max(0, exportCt),
      charge: most / spacingKwh > importCt / battery.chargeEfficiency,
    };
  }

  /** Looks at what follows alone. */
  follow(next: Layers): void {
    this.#next = next;
    this.#count = this.#rules.chain.count;
  }

  /** Cost to go with `socKwh` stored at the end of the stage, scenario `w`: linear between points and beyond them. */
  worth(socKwh: number, w: number): number {
    const { points, spacingKwh, battery } = this.#rules;
    return interpolate(this.#next, w * points, points - 2, (socKwh - battery.minSocKwh) / spacingKwh);
  }

  /** Worth of one more stored kWh at the end of the stage, ct. */
  marginalWorth(socKwh: number, weights: Float64Array): number {
    const { points, spacingKwh } = this.#rules;
    return points === 1 ? 0 : this.meanWorth(socKwh - spacingKwh / 2, socKwh + spacingKwh / 2, weights);
  }

  /** Mean worth of a kWh between two stored energies at the end of the stage, ct. */
  meanWorth(fromKwh: number, toKwh: number, weights: Float64Array): number {
    let worthCt = 0;
    for (let w = 0; w < this.#count; w++)
      worthCt += (weights[w]! * (this.worth(fromKwh, w) - this.worth(toKwh, w))) / (toKwh - fromKwh);
    return worthCt;
  }

  /** The targets for a distribution of scenarios; they do not depend on what is stored. */
  targets(weights: Float64Array): Targets {
    const { points } = this.#rules;
    const ahead = new Float64Array(points);
    for (let w = 0; w < this.#count; w++) {
      if (weights[w] === 0) continue;
      for (let i = 0; i < points; i++) ahead[i]! += weights[w]! * this.#next[w * points + i]!;
    }
    return targetsOf(ahead, { stage: this.#stage, rules: this.#rules, socs: this.#socs });
  }

  /** The targets for each scenario before the stage. */
  targetsBefore(): Targets[] {
    const { points, chain } = this.#rules;
    const stage = this.#stage;
    const ahead = new Float64Array(chain.count * points);
    chain.expectations(this.#next, stage, ahead, { width: points, until: points });
    return Array.from({ length: chain.countBefore(stage) }, (_, v) => {
      const own = ahead.subarray(v * points, (v + 1) * points);
      return targetsOf(own, { stage, rules: this.#rules, socs: this.#socs });
    });
  }

  /** `stopBefore` from the SOC of the last `at`, for the expected surplus. */
  stopBefore(targetKwh: number, weights: Float64Array): number {
    let netKwh = 0;
    for (let w = 0; w < this.#count; w++) netKwh += weights[w]! * Math.min(0, this.#netKwh[w]!);
    return netKwh < 0 ? this.#stopBefore(targetKwh, this.#soc[0]!, netKwh) : targetKwh;
  }

  #stopBefore(targetKwh: number, socKwh: number, netKwh: number): number {
    const mostKwh = Math.min(this.#chargeKwh, this.#importLimitKwh - netKwh);
    const surplusKwh = Math.min(-netKwh, this.#chargeKwh);
    return stopBefore(targetKwh, { socKwh, mostKwh, surplusKwh }, this.#rules.battery);
  }

  /** Expected cost of `charge` up to `stopKwh` from the SOC of the last `at`; above it the same as `hold`. */
  chargeCt(stopKwh: number, weights: Float64Array): number {
    let sum = 0;
    for (let w = 0; w < this.#count; w++)
      if (weights[w] !== 0)
        sum +=
          weights[w]! * this.#charged(stopKwh, w, { socKwh: this.#soc[0]!, holdCt: this.byMode[HOLD][w]! });
    return sum;
  }

  /** Cost of `charge` up to the target, or to where surplus leads up to it, from the first `until` points, by scenario as in `atPoints`. */
  chargeRows(targetKwh: number, until: number, into: Float64Array): void {
    const { points } = this.#rules;
    const hold = this.#rows![HOLD];
    for (let w = 0; w < this.#count; w++) {
      const netKwh = this.#netKwh[w]!;
      for (let i = 0, at = w * points; i < until; i++, at++) {
        const from = { socKwh: this.#socs[i]!, holdCt: hold[at]! };
        into[at] = this.#charged(targetKwh, w, from);
        const stopKwh = netKwh < 0 ? this.#stopBefore(targetKwh, from.socKwh, netKwh) : targetKwh;
        if (stopKwh < targetKwh) into[at] = Math.min(into[at]!, this.#charged(stopKwh, w, from));
      }
    }
  }

  #charged(stopKwh: number, w: number, from: { socKwh: number; holdCt: number }): number {
    if (stopKwh <= from.socKwh) return from.holdCt;
    const { battery } = this.#rules;
    const netKwh = this.#netKwh[w]!;
    const fullKwh = Math.max(0, Math.min(this.#chargeKwh, this.#importLimitKwh - netKwh));
    if (fullKwh <= Math.max(0, -netKwh) + 1e-12) return from.holdCt;
    const share = Math.min(1, (stopKwh - from.socKwh) / battery.chargeEfficiency / fullKwh);
    const firstKwh = fullKwh * share;
    const socKwh = socAfter(from.socKwh, firstKwh, battery);
    const restKwh = netKwh * (1 - share);
    const laterKwh = restKwh < 0 ? selfConsumptionKwh(restKwh, socKwh, this.#caps, battery) : 0;
    const firstGridKwh = netKwh * share + firstKwh;
    return (
      this.#gridCt(firstGridKwh) +
      this.#gridCt(restKwh + laterKwh) +
      this.#overCt(Math.max(0, firstGridKwh) + Math.max(0, restKwh + laterKwh)) +
      this.worth(socAfter(socKwh, laterKwh, battery), w)
    );
  }

  /** The best energy to give in `discharge` down to one of the floors (kWh of the stage, AC), and its expected cost. */
  discharge(floorsKwh: readonly number[], weights: Float64Array): { energyKwh: number; ct: number } {
    let best = { energyKwh: 0, ct: Infinity };
    for (const floorKwh of floorsKwh) {
      const energyKwh = this.#energyDownTo(floorKwh, this.#soc[0]!);
      if (energyKwh <= 1e-9) continue;
      let ct = 0;
      for (let w = 0; w < this.#count; w++) {
        if (weights[w] !== 0) ct += weights[w]! * this.#given(energyKwh, w, this.#soc[0]!);
      }
      if (ct < best.ct) best = { energyKwh, ct };
    }
    return best;
  }

  /** Cost of `discharge` down to a floor by scenario as in `atPoints`; infinite where there is nothing to give. */
  dischargeRows(floorKwh: number, into: Float64Array): void {
    const { points } = this.#rules;
    for (let w = 0; w < this.#count; w++) {
      for (let i = 0, at = w * points; i < points; i++, at++) {
        const energyKwh = this.#energyDownTo(floorKwh, this.#socs[i]!);
        into[at] = energyKwh <= 1e-9 ? Infinity : this.#given(energyKwh, w, this.#socs[i]!);
      }
    }
  }

  #energyDownTo(floorKwh: number, socKwh: number): number {
    return Math.min(this.#caps.dischargeKwh, (socKwh - floorKwh) * this.#rules.battery.dischargeEfficiency);
  }

  #given(energyKwh: number, w: number, socKwh: number): number {
    const { battery, wearCt } = this.#rules;
    const netKwh = this.#netKwh[w]!;
    const servedKwh = Math.max(netKwh, Math.min(energyKwh, netKwh + this.#feedInKwh));
    const storedKwh = (socKwh - battery.minSocKwh) * battery.dischargeEfficiency;
    const givenKwh = Math.max(0, Math.min(servedKwh, energyKwh, storedKwh));
    return (
      this.#gridCt(netKwh - givenKwh) +
      this.#overCt(netKwh - givenKwh) +
      givenKwh * wearCt +
      this.worth(socAfter(socKwh, -givenKwh, battery), w)
    );
  }

  /** Price of an import above the target of the stage. */
  #overCt(importKwh: number): number {
    return importKwh > this.#targetKwh ? (importKwh - this.#targetKwh) * this.#overCtKwh : 0;
  }

  #gridCt(gridKwh: number): number {
    if (gridKwh >= 0) return gridKwh * this.#stage.importCt;
    return -Math.min(-gridKwh, this.#feedInKwh) * this.#stage.exportCt;
  }
}

function modeCosts(count: number): ModeCosts {
  return [new Float64Array(count), new Float64Array(count), new Float64Array(count), new Float64Array(count)];
}
