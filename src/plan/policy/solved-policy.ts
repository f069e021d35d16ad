import { checkArray, checkDate, checkNumber, checkObject } from "../../core/check-fields.js";
import type { InverterFlows } from "../physics/inverter.js";
import { type ModeOption, optionsOf } from "./decide.js";
import { ExtraLoadCosts } from "./extra-load.js";
import { type InformationBound, informationBound } from "./information-bound.js";
import { ModeChoice } from "./mode-choice.js";
import type { Command, CommandReason, ForcedMode } from "./policy-input.js";
import type { RunStart } from "./sample-runs.js";
import { scenarioWeights } from "./scenario-weights.js";
import { POLICY_SETTINGS } from "./settings.js";
import { expectedRun, type SimulateInput, type Simulation, simulatePolicy } from "./simulate-policy.js";
import type { SolvedStages } from "./solved-stages.js";
import { StageCosts } from "./stage-costs.js";
import type { Stage } from "./stages.js";
import { chargeBelowTargetKw, isKeptFull } from "./targets.js";

/** The moment and what is known of it. */
export interface ActInput {
  now: Date;
  socKwh: number;
  /** Load less PV as measured over the last quarter-hour, without the battery, kW. */
  netLoadKw?: number;
  /** PV as measured over the last quarter-hour, kW. */
  pvKw?: number;
  /** The last answer: its mode is kept while another gains next to nothing. */
  previous?: Command;
}

/** A solved policy. Its answers depend on what is asked alone. */
export interface Policy {
  /** What the battery is to do for the rest of the step; asked each quarter-hour. */
  act(input: ActInput): Command;
  /** The command of a forced mode, within the import limit and the rule for negative prices. */
  force(input: ActInput, forced: ForcedMode): Command;
  /** What the battery is expected to do in each stage: the flows of `simulate`, without what they bring. */
  course(input: RunStart): readonly InverterFlows[];
  /** What the policy is expected to bring over its horizon, from sampled loads (default 100 samples, seed 1). */
  simulate(input: SimulateInput): Simulation;
  /** What the policy is away from perfect knowledge of the load, on the same samples (default 20, seed 1). */
  bound(input: SimulateInput): InformationBound;
  /** What more load would cost in each stage (default 6 samples, seed 1). */
  extraLoad(input: SimulateInput): ExtraLoadCosts;
  /** Least expected cost to go from `socKwh`, less the worth of what is stored at the end, ct. */
  costCt(socKwh: number): number;
}

/** Value functions of a problem and what is read off them. */
export class SolvedPolicy implements Policy {
  readonly #solved: SolvedStages;
  readonly #costs: StageCosts;
  readonly #choice: ModeChoice;

  constructor(solved: SolvedStages) {
    this.#solved = solved;
    this.#costs = new StageCosts(solved.rules);
    this.#choice = new ModeChoice(solved);
  }

  act(input: ActInput): Command {
    return this.#decide(input, undefined);
  }

  force(input: ActInput, forced: ForcedMode): Command {
    const command = this.#decide(input, forced);
    return command.reason === "negative_price" ? command : { ...command, reason: "override" };
  }

  #decide(input: ActInput, forced: ForcedMode | undefined): Command {
    checkObject("input", input);
    const { now, socKwh, netLoadKw, pvKw, previous } = input;
    checkDate("now", now);
    checkNumber("socKwh", socKwh, 0);
    if (netLoadKw !== undefined) checkNumber("netLoadKw", netLoadKw);
    if (pvKw !== undefined) checkNumber("pvKw", pvKw);
    const { stages, rules, values } = this.#solved;
    const nowMs = now.getTime();
    const t = stageAt(stages, nowMs);
    const stage = stages[t];
    if (stage === undefined || (t > 0 && nowMs < stage.startMs)) return this.#withoutPrice();
    const rest = Math.min(1, (stage.endMs - nowMs) / (stage.endMs - stage.startMs));
    const hours = stage.hours * rest;
    const netKwh = stage.netKwh.map((kwh) => kwh * rest);
    const weights = scenarioWeights({ stages, t, nowMs, chain: rules.chain }, { netLoadKw, pvKw });
    const costs = this.#costs;
    const optionsAt = (nets: Float64Array, stopsKwh?: number[]): ModeOption[] => {
      costs.of(stage, values[t + 1]!, { hours, netKwh: nets });
      costs.at(socKwh);
      return optionsOf({ costs, stage, rules, socKwh, weights, stopsKwh });
    };
    let options = optionsAt(netKwh);
    if (netLoadKw !== undefined) {
      const charge = options.find(({ mode }) => mode === "charge");
      const measured = optionsAt(
        new Float64Array(netKwh.length).fill(netLoadKw * hours),
        charge && [charge.stopSocKwh],
      );
      const share = POLICY_SETTINGS.measuredShare;
      options = options.map((option) => {
        const same = measured.find(({ mode }) => mode === option.mode) ?? option;
        return { ...option, ct: (1 - share) * option.ct + share * same.ct };
      });
    }
    const chosen =
      forced === undefined
        ? this.#choice.choose(options, {
            t,
            stage: { ...stage, hours, loadKwh: stage.loadKwh * rest, pvKwh: stage.pvKwh * rest },
            socKwh,
            previous: previous?.mode,
          })
        : { ...forced, ct: 0, dischargeKwh: 0 };
    return this.#command(chosen, stage, {
      hours,
      valueCtKwh: costs.marginalWorth(socKwh, weights),
      // Neither the likely loads nor the measured one, with charging, may exceed the target; nor the latter the import limit.
      chargeRoomKw: Math.min(
        chargeBelowTargetKw(stage, { hours, netKwh }),
        Math.min(stage.targetKw, rules.importLimitKw) - (netLoadKw ?? -Infinity),
      ),
    });
  }

  course(input: RunStart): readonly InverterFlows[] {
    checkSimulation(input);
    return expectedRun(this.#solved, input).flows;
  }

  simulate(input: SimulateInput): Simulation {
    checkSimulation(input);
    return simulatePolicy(this.#solved, input);
  }

  bound(input: SimulateInput): InformationBound {
    checkSimulation(input);
    return informationBound(this.#solved, input);
  }

  extraLoad(input: SimulateInput): ExtraLoadCosts {
    checkSimulation(input);
    return new ExtraLoadCosts(this.#solved, input);
  }

  costCt(socKwh: number): number {
    checkNumber("socKwh", socKwh, 0);
    const { values, rules } = this.#solved;
    this.#costs.follow(values[0]!);
    const weights = rules.chain.usual({ dark: false }, new Float64Array(rules.chain.count));
    return weights.reduce((sum, weight, w) => sum + weight * this.#costs.worth(socKwh, w), 0);
  }

  #command(
    option: ModeOption,
    stage: Stage,
    { hours, valueCtKwh, chargeRoomKw }: { hours: number; valueCtKwh: number; chargeRoomKw: number },
  ): Command {
    const { battery, importLimitKw, controls } = this.#solved.rules;
    const { stopSocKwh } = option;
    const expectedNetKw = (stage.loadKwh - stage.pvKwh) / stage.hours;
    const roomKw = Math.min(importLimitKw - expectedNetKw, chargeRoomKw);
    const resting = controls.has("hold") ? "hold" : controls.has("standby") ? "standby" : "charge";
    const mode = option.mode === "charge" && roomKw <= 0 ? resting : option.mode;
    const dischargeCapKw = isKeptFull(stage, this.#solved.rules)
      ? 0
      : mode === "discharge"
        ? option.dischargeKwh / hours
        : mode === "hold" || mode === "standby" || mode === "charge"
          ? 0
          : battery.maxDischargePowerKw;
    return {
      mode,
      chargePowerKw:
        mode === "charge"
          ? Math.max(
              LEAST_CHARGE_SHARE * battery.maxChargePowerKw,
              Math.min(battery.maxChargePowerKw, roomKw),
            )
          : 0,
      stopSocKwh,
      dischargeCapKw,
      chargeCapKw: ["block", "standby", "discharge"].includes(mode) ? 0 : battery.maxChargePowerKw,
      valueCtKwh,
      // A battery that cannot be held serves the load at any price.
      reason: reasonOf(mode, { isNegative: stage.importCt < 0 && dischargeCapKw === 0, expectedNetKw }),
    };
  }

  /** Beyond the horizon and in gaps: self-consumption. */
  #withoutPrice(): Command {
    const { battery } = this.#solved.rules;
    return {
      mode: "free",
      chargePowerKw: 0,
      stopSocKwh: battery.maxSocKwh,
      dischargeCapKw: battery.maxDischargePowerKw,
      chargeCapKw: battery.maxChargePowerKw,
      valueCtKwh: 0,
      reason: "no_price",
    };
  }
}

/** A charge that the import limit leaves no room for is commanded at this share of its power, where neither `hold` nor `standby` is possible. */
const LEAST_CHARGE_SHARE = 0.02;

/** Index of the first stage that ends after an instant; their number if all have ended. */
function stageAt(stages: readonly Stage[], ms: number): number {
  let low = 0;
  let high = stages.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (ms < stages[middle]!.endMs) high = middle;
    else low = middle + 1;
  }
  return low;
}

function reasonOf(
  mode: Command["mode"],
  { isNegative, expectedNetKw }: { isNegative: boolean; expectedNetKw: number },
): CommandReason {
  if (isNegative) return "negative_price";
  switch (mode) {
    case "free":
      return "self_consumption";
    case "hold":
      return "keep_for_dearer";
    case "standby":
      return expectedNetKw < 0 ? "pv_later" : "keep_for_dearer";
    case "block":
      return "pv_later";
    case "charge":
      return "cheap_price";
    case "discharge":
      return "export_price";
  }
}

function checkSimulation(input: SimulateInput): void {
  checkObject("input", input);
  const { socKwh, samples, seed, unservedKwh = [] } = input;
  checkNumber("socKwh", socKwh, 0);
  if (samples !== undefined && !(Number.isInteger(samples) && samples >= 0)) {
    throw new RangeError("samples must be a whole number of 0 or more.");
  }
  if (seed !== undefined) checkNumber("seed", seed);
  checkArray("unservedKwh", unservedKwh);
  for (const [t, kwh] of unservedKwh.entries()) checkNumber(`unservedKwh[${t}]`, kwh, 0);
}
