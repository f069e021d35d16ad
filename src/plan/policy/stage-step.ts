import { type InverterFlows, inverterStep } from "../physics/inverter.js";
import type { ModeOption } from "./decide.js";
import type { PolicyRules } from "./stage-costs.js";
import type { Stage } from "./stages.js";
import { chargeBelowTargetKw, isKeptFull } from "./targets.js";

/** A step of the inverter and what it costs. */
export interface StepCosts {
  flows: InverterFlows;
  costCt: number;
  billCt: number;
  overCt: number;
}

/** What the battery does in a stage with a certain load, kWh; without an option it is left alone. */
export function stepOf(
  stage: Stage,
  rules: PolicyRules,
  { socKwh, option, netKwh }: { socKwh: number; option: ModeOption | undefined; netKwh: number },
): StepCosts {
  const mode = option?.mode ?? "free";
  const isCharge = mode === "charge" && option !== undefined;
  const flows = inverterStep({
    storage: rules.battery,
    connection: rules,
    command: {
      mode,
      chargePowerKw: isCharge && stage.overCtKw > 0 ? chargeBelowTargetKw(stage, stage) : Infinity,
      stopSocKwh: isCharge ? option.stopSocKwh : Infinity,
      dischargeCapKw:
        option !== undefined && isKeptFull(stage, rules)
          ? 0
          : mode === "discharge"
            ? option!.dischargeKwh / stage.hours
            : Infinity,
    },
    step: { minutes: stage.hours * 60, loadKwh: Math.max(0, netKwh), pvKwh: Math.max(0, -netKwh) },
    socKwh,
  });
  const billCt = stage.importCt * flows.importKwh - stage.exportCt * flows.exportKwh;
  return {
    flows,
    costCt: billCt + rules.wearCt * flows.dischargeKwh,
    billCt,
    overCt: overCt(stage, flows),
  };
}

/** Price of import above the target of the stage, ct. */
function overCt({ targetKw, overCtKw, hours }: Stage, { importKwh }: InverterFlows): number {
  return Math.max(0, importKwh / hours - targetKw) * overCtKw;
}
