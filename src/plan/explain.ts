import type { BatteryMode } from "../core/domain/battery.js";
import { hasFields, isMapOf, isNumber, isOneOf } from "../core/shape.js";
import type { PlanProblem } from "./exact/solve.js";

/** What the battery does in a step, seen from the grid and the load. */
export const ACTIONS = [
  /** Takes energy from the grid. */
  "grid_charge",
  /** Stores PV surplus only. */
  "pv_charge",
  /** Serves the load. */
  "discharge",
  /** Feeds into the grid (and serves the load). */
  "export",
  /** Could serve the load but keeps its energy. */
  "hold",
  "idle",
] as const;

export type Action = (typeof ACTIONS)[number];

const REASON_CODES = [
  "recover_min_soc",
  "paid_to_charge",
  "cheap_import",
  "pv_surplus",
  "pv_later",
  "standby",
  "dear_import",
  "export_pays",
  "import_limit",
  "import_limit_ahead",
  "kept_for_later",
  "empty",
  "override",
  "nothing_to_do",
] as const;

/** Reason of an action: a stable code with figures (ct/kWh, kWh, kW); the text catalogues turn it into sentences. */
export interface StepReason {
  code: (typeof REASON_CODES)[number];
  figures: Record<string, number>;
}

/** Whether a stored value is a reason. */
export const isStepReason = hasFields<StepReason>({
  code: isOneOf(REASON_CODES),
  figures: isMapOf(isNumber),
});

const TOLERANCE = 1e-6;
/** Difference that a text with two decimals shows, ct. */
const LEAST_SHOWN_CT = 0.01;

/** The values of a solved step from which its reason is derived. */
interface ExplainedStep {
  hours: number;
  chargeKwh: number;
  dischargeKwh: number;
  /** Worth of one more stored kWh at the end of the step, ct. */
  valueCtKwh: number;
  /** Worth of the last stored kWh at the end of the step, ct. */
  lastKwhValueCt: number;
  /** Mean worth of a kWh that holding keeps from the load, ct; left out: `valueCtKwh`. */
  keptValueCtKwh?: number;
  /** The kWh is needed to avoid a breach of the import limit. */
  againstBreach: boolean;
  /** Left out if the battery is not controlled by modes. */
  mode?: BatteryMode;
}

/** Action and reason of a solved step; `socStartKwh` is the stored energy at its start. */
export function explain(
  { steps, rules, band }: PlanProblem,
  t: number,
  solved: ExplainedStep,
  socStartKwh: number,
): { action: Action; reason: StepReason } {
  const step = steps[t]!;
  const { valueCtKwh, lastKwhValueCt } = solved;
  const importCtKwh = step.importPriceCtKwh;
  const surplusKwh = Math.max(0, step.pvKwh - step.loadKwh);
  const deficitKwh = Math.max(0, step.loadKwh - step.pvKwh);
  if (solved.chargeKwh > TOLERANCE) {
    const fromGridKwh = gridFedCharge(step, solved.chargeKwh);
    if (fromGridKwh <= TOLERANCE) {
      const exportCtKwh = step.exportPriceCtKwh;
      const powers = { storedKw: solved.chargeKwh / solved.hours, surplusKw: surplusKwh / solved.hours };
      const figures = { ...powers, exportCtKwh, ...worth(lastKwhValueCt, { above: exportCtKwh }) };
      return { action: "pv_charge", reason: { code: "pv_surplus", figures } };
    }
    const storedCtKwh = importCtKwh / rules.chargeEfficiency;
    const figures = {
      importCtKwh,
      storedCtKwh,
      ...worth(lastKwhValueCt, { above: storedCtKwh }),
      energyKwh: solved.chargeKwh,
    };
    if (socStartKwh < band.minKwh - TOLERANCE) {
      return { action: "grid_charge", reason: { code: "recover_min_soc", figures } };
    }
    if (solved.againstBreach) {
      const reason = { code: "import_limit_ahead" as const, figures: { importCtKwh } };
      return { action: "grid_charge", reason };
    }
    const code = importCtKwh < 0 ? "paid_to_charge" : "cheap_import";
    return { action: "grid_charge", reason: { code, figures } };
  }
  if (solved.dischargeKwh > TOLERANCE) {
    const figures = {
      importCtKwh,
      exportCtKwh: step.exportPriceCtKwh,
      valueCtKwh,
      energyKwh: solved.dischargeKwh,
    };
    if (solved.dischargeKwh > deficitKwh + TOLERANCE) {
      return { action: "export", reason: { code: "export_pays", figures } };
    }
    const forced = deficitKwh > step.importLimitKwh + TOLERANCE;
    return { action: "discharge", reason: { code: forced ? "import_limit" : "dear_import", figures } };
  }
  const isNotStored = solved.mode === "block" || solved.mode === "standby";
  if (isNotStored && surplusKwh > TOLERANCE) {
    const exportCtKwh = step.exportPriceCtKwh;
    // Storing would pay: what is lost is the price of not discharging at the same time.
    const isLost = solved.mode === "standby" && valueCtKwh * rules.chargeEfficiency > exportCtKwh;
    const figures = { exportCtKwh, valueCtKwh };
    return { action: "idle", reason: { code: isLost ? "standby" : "pv_later", figures } };
  }
  if (deficitKwh > TOLERANCE && step.maxDischargeKwh > TOLERANCE) {
    if (socStartKwh <= band.minKwh + TOLERANCE) {
      return { action: "idle", reason: { code: "empty", figures: { importCtKwh } } };
    }
    const savesCtKwh = importCtKwh * rules.dischargeEfficiency;
    const keptCtKwh = solved.keptValueCtKwh ?? valueCtKwh;
    const figures = { importCtKwh, savesCtKwh, ...worth(keptCtKwh, { above: savesCtKwh }) };
    return { action: "hold", reason: { code: "kept_for_later", figures } };
  }
  return { action: "idle", reason: { code: "nothing_to_do", figures: {} } };
}

/**
 * The worth of a stored kWh where it is why the energy is stored or kept. Rarely the load that is not known yet, the last kWh
 * of a charge, or a mode that is kept to avoid flapping decides against these figures: then it is left out.
 */
function worth(valueCtKwh: number, { above }: { above: number }): { valueCtKwh?: number } {
  return valueCtKwh > above + LEAST_SHOWN_CT ? { valueCtKwh } : {};
}

/** The part of a charge that PV surplus does not cover, kWh. */
export function gridFedCharge(step: { loadKwh: number; pvKwh: number }, chargeKwh: number): number {
  return Math.max(0, chargeKwh - Math.max(0, step.pvKwh - step.loadKwh));
}
