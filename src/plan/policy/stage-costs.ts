import type { ControlledMode } from "../../core/domain/battery.js";
import { interpolate } from "../interpolate.js";
import { selfConsumptionKwh, socAfter } from "../physics/inverter.js";
import type { PolicyBattery } from "./policy-input.js";
import type { ScenarioChain } from "./scenario-chain.js";
import type { Stage } from "./stages.js";

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

/** Stored energies at which buying or giving one more kWh stops to pay, for a distribution of scenarios. */
export interface Targets {
  /** Where a charge from the grid ends. */
  stopSocKwh: number;
  /** Where giving at the export and at the import price ends; empty where the battery gives nothing. */
  floorsKwh: readonly number[];
}

/**
 * Costs of one stage and what follows it, by mode and scenario. `at` computes the modes whose course is given by the
 * inverter alone; `charge` and `discharge` depend on a target that is chosen for a distribution of scenarios.
 */
export class StageCosts {
  readonly #rules: PolicyRules;
  /** Cost of `free`, `hold`, `block` and `standby` from the SOC of the last `at`, by scenario. */
  readonly byMode: readonly [Float64Array, Float64Array, Float64Array, Float64Array];
  #stage!: Stage;
  /** Number of scenarios of the stage. */
  #count: number;
  #next!: Layers;
  #netKwh!: Float64Array;
  #chargeKwh = 0;
  #caps = { chargeKwh: 0, dischargeKwh: 0 };
  #feedInKwh = 0;
  #importLimitKwh = 0;
  #targetKwh = 0;
  #overCtKwh = 0;
  #socKwh = 0;

  constructor(rules: PolicyRules) {
    this.#rules = rules;
    const { count } = rules.chain;
    this.#count = count;
    const costs = () => new Float64Array(count);
    this.byMode = [costs(), costs(), costs(), costs()];
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

  /**
   * Computes `byMode` for a stored energy. The same physics as `selfConsumptionKwh`, with all that does not depend on the
   * scenario taken out of the loop: most of the time of a solve is spent here.
   */
  at(socKwh: number): void {
    this.#socKwh = socKwh;
    const { battery, wearCt, points, spacingKwh } = this.#rules;
    const { minSocKwh, maxSocKwh, chargeEfficiency, dischargeEfficiency } = battery;
    const { importCt, exportCt } = this.#stage;
    const feedInKwh = this.#feedInKwh;
    const targetKwh = this.#targetKwh;
    const overCtKwh = this.#overCtKwh;
    const netKwhs = this.#netKwh;
    const next = this.#next;
    const mostIn = Math.max(0, Math.min(this.#caps.chargeKwh, (maxSocKwh - socKwh) / chargeEfficiency));
    const mostOut = Math.max(
      0,
      Math.min(this.#caps.dischargeKwh, (socKwh - minSocKwh) * dischargeEfficiency),
    );
    const [free, hold, block, standby] = this.byMode;
    const last = points - 2;
    const from = (socKwh - minSocKwh) / spacingKwh;
    const perKwhIn = chargeEfficiency / spacingKwh;
    const perKwhOut = 1 / (dischargeEfficiency * spacingKwh);
    const count = this.#count;
    for (let w = 0, base = 0; w < count; w++, base += points) {
      const netKwh = netKwhs[w]!;
      const idle =
        (netKwh >= 0 ? netKwh * importCt : -Math.min(-netKwh, feedInKwh) * exportCt) +
        (netKwh > targetKwh ? (netKwh - targetKwh) * overCtKwh : 0) +
        interpolate(next, base, last, from);
      standby[w] = idle;
      if (netKwh < 0) {
        const inKwh = Math.min(-netKwh, mostIn);
        const stored =
          inKwh > 0
            ? -Math.min(-netKwh - inKwh, feedInKwh) * exportCt +
              interpolate(next, base, last, from + inKwh * perKwhIn)
            : idle;
        free[w] = stored;
        hold[w] = stored;
        block[w] = idle;
      } else {
        const outKwh = Math.min(netKwh, mostOut);
        const served =
          outKwh > 0
            ? (netKwh - outKwh) * importCt +
              (netKwh - outKwh > targetKwh ? (netKwh - outKwh - targetKwh) * overCtKwh : 0) +
              outKwh * wearCt +
              interpolate(next, base, last, from - outKwh * perKwhOut)
            : idle;
        free[w] = served;
        hold[w] = idle;
        block[w] = served;
      }
    }
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
    return this.#targetsOf(ahead);
  }

  /** The targets for each scenario before the stage. */
  targetsBefore(): Targets[] {
    const { points, chain } = this.#rules;
    const before = chain.countBefore(this.#stage);
    const values = new Float64Array(chain.count);
    const expected = new Float64Array(chain.count);
    const ahead = Array.from({ length: before }, () => new Float64Array(points));
    for (let i = 0; i < points; i++) {
      for (let w = 0; w < this.#count; w++) values[w] = this.#next[w * points + i]!;
      chain.expectations(values, this.#stage, expected);
      for (let v = 0; v < before; v++) ahead[v]![i] = expected[v]!;
    }
    return ahead.map((one) => this.#targetsOf(one));
  }

  /** The targets for the expected cost to go at the end of the stage, by point. */
  #targetsOf(ahead: Float64Array): Targets {
    const { battery, wearCt, controls } = this.#rules;
    const { importCt, exportCt } = this.#stage;
    const canCharge = controls.has("charge") && battery.maxChargePowerKw > 0;
    const floor = (priceCt: number) => this.#target((priceCt - wearCt) * battery.dischargeEfficiency, ahead);
    return {
      stopSocKwh: canCharge ? this.#target(importCt / battery.chargeEfficiency, ahead) : battery.minSocKwh,
      floorsKwh:
        controls.has("discharge") && importCt >= 0
          ? [battery.minSocKwh, floor(exportCt), floor(importCt)]
          : [],
    };
  }

  /** The stored energy at which buying one more kWh (or giving one more away) at `ctPerStoredKwh` stops to pay. */
  #target(ctPerStoredKwh: number, ahead: Float64Array): number {
    const { points, spacingKwh, battery } = this.#rules;
    let best = Infinity;
    let at = 0;
    for (let i = 0; i < points; i++) {
      const value = ctPerStoredKwh * i * spacingKwh + ahead[i]!;
      if (value < best - 1e-9) {
        best = value;
        at = i;
      }
    }
    return battery.minSocKwh + at * spacingKwh;
  }

  /** Expected cost of `charge` up to `stopKwh` from the SOC of the last `at`; above it the same as `hold`. */
  chargeCt(stopKwh: number, weights: Float64Array): number {
    let sum = 0;
    for (let w = 0; w < this.#count; w++)
      if (weights[w] !== 0) sum += weights[w]! * this.#charged(stopKwh, w);
    return sum;
  }

  /** Cost of `charge` up to `stopKwh` by scenario. */
  chargeCts(stopKwh: number, into: Float64Array): Float64Array {
    for (let w = 0; w < this.#count; w++) into[w] = this.#charged(stopKwh, w);
    return into;
  }

  #charged(stopKwh: number, w: number): number {
    if (stopKwh <= this.#socKwh) return this.byMode[HOLD][w]!;
    const { battery } = this.#rules;
    const netKwh = this.#netKwh[w]!;
    const fullKwh = Math.max(0, Math.min(this.#chargeKwh, this.#importLimitKwh - netKwh));
    if (fullKwh <= Math.max(0, -netKwh) + 1e-12) return this.byMode[HOLD][w]!;
    const share = Math.min(1, (stopKwh - this.#socKwh) / battery.chargeEfficiency / fullKwh);
    const firstKwh = fullKwh * share;
    const socKwh = socAfter(this.#socKwh, firstKwh, battery);
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
      const energyKwh = this.#energyDownTo(floorKwh);
      if (energyKwh <= 1e-9) continue;
      let ct = 0;
      for (let w = 0; w < this.#count; w++) {
        if (weights[w] !== 0) ct += weights[w]! * this.#given(energyKwh, w);
      }
      if (ct < best.ct) best = { energyKwh, ct };
    }
    return best;
  }

  /** Cost of `discharge` down to a floor by scenario; undefined where there is nothing to give. */
  dischargeCts(floorKwh: number, into: Float64Array): Float64Array | undefined {
    const energyKwh = this.#energyDownTo(floorKwh);
    if (energyKwh <= 1e-9) return undefined;
    for (let w = 0; w < this.#count; w++) into[w] = this.#given(energyKwh, w);
    return into;
  }

  #energyDownTo(floorKwh: number): number {
    return Math.min(
      this.#caps.dischargeKwh,
      (this.#socKwh - floorKwh) * this.#rules.battery.dischargeEfficiency,
    );
  }

  #given(energyKwh: number, w: number): number {
    const { battery, wearCt } = this.#rules;
    const netKwh = this.#netKwh[w]!;
    const servedKwh = Math.max(netKwh, Math.min(energyKwh, netKwh + this.#feedInKwh));
    const storedKwh = (this.#socKwh - battery.minSocKwh) * battery.dischargeEfficiency;
    const givenKwh = Math.max(0, Math.min(servedKwh, energyKwh, storedKwh));
    return (
      this.#gridCt(netKwh - givenKwh) +
      this.#overCt(netKwh - givenKwh) +
      givenKwh * wearCt +
      this.worth(socAfter(this.#socKwh, -givenKwh, battery), w)
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

/** Whether the battery is not discharged in any mode: importing earns money, and the installation can stop discharging alone. */
export function isKeptFull({ importCt }: Pick<Stage, "importCt">, { controls }: PolicyRules): boolean {
  return importCt < 0 && controls.has("hold");
}

/** Most power with which the battery may charge from the grid so that no scenario's import is above the target, kW. */
export function chargeBelowTargetKw(
  { targetKw }: Stage,
  { hours, netKwh }: { hours: number; netKwh: Float64Array },
): number {
  let highest = -Infinity;
  for (const kwh of netKwh) highest = Math.max(highest, kwh);
  return Math.max(0, targetKw - highest / hours);
}
