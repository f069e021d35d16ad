/** One step of the planning problem. All energies are kWh of the step on the AC side, prices ct/kWh. */
export interface Step {
  importPriceCtKwh: number;
  exportPriceCtKwh: number;
  loadKwh: number;
  pvKwh: number;
  /** Most that the battery may charge. */
  maxChargeKwh: number;
  /** Least charge other than 0; 0 for no such limit. */
  minChargeKwh: number;
  maxDischargeKwh: number;
  importLimitKwh: number;
  exportLimitKwh: number;
}

/** Properties that apply to every step. */
export interface Rules {
  /** Stored per AC kWh charged, in (0, 1]. */
  chargeEfficiency: number;
  /** Delivered on the AC side per stored kWh, in (0, 1]. */
  dischargeEfficiency: number;
  wearCtKwh: number;
  gridChargeAllowed: boolean;
  exportAllowed: boolean;
  curtailmentAllowed: boolean;
  /** Penalty per kWh above the import limit in the search; far above any real price, never part of a reported cost. */
  breachPenaltyCtKwh: number;
}

/** Energy flows of a step for a chosen AC energy of the battery. */
export interface Flows {
  chargeKwh: number;
  dischargeKwh: number;
  importKwh: number;
  exportKwh: number;
  curtailedKwh: number;
  /** Import over the import limit, contained in importKwh. */
  importLimitExceededKwh: number;
  /** Money: import less export plus wear. */
  costCt: number;
}

/** AC energies that the rules allow: `[lowest, 0]` and `[chargeFrom, highest]`. */
export interface ActionRange {
  /** At most 0: the deepest discharge. */
  lowest: number;
  /** Least charge above 0 (0: any). */
  chargeFrom: number;
  /** Most charge; 0 where charging is not allowed. */
  highest: number;
}

/** True if PV is curtailed because exporting costs money. */
function curtailsAtLoss(step: Step, rules: Rules): boolean {
  return rules.curtailmentAllowed && step.exportPriceCtKwh < 0;
}

/** The battery energies that device, grid limits and permissions allow in a step, whatever the SOC. */
export function actionRange(step: Step, rules: Rules): ActionRange {
  const net = step.loadKwh - step.pvKwh;
  let highest = step.maxChargeKwh;
  if (!rules.gridChargeAllowed) highest = Math.min(highest, Math.max(0, -net));
  // Charging must neither cause a breach of the import limit nor increase one that the load causes.
  highest = Math.min(highest, Math.max(0, step.importLimitKwh - net));
  const chargeFrom = step.minChargeKwh;
  // A limit equal to the least power up to rounding still allows it; a lower one allows no charging.
  if (highest < chargeFrom - 1e-12) highest = 0;

  let deepest = step.maxDischargeKwh;
  if (!rules.exportAllowed) deepest = Math.min(deepest, Math.max(0, net));
  // Curtailing can avoid all export of PV, so what the battery adds beyond the load must fit the export limit.
  deepest = Math.min(deepest, step.loadKwh + step.exportLimitKwh);
  return { lowest: -deepest, chargeFrom: highest > 0 ? Math.min(chargeFrom, highest) : 0, highest };
}

/** Curtailed PV: the whole surplus if exporting costs money, else what exceeds the export limit. */
function curtailed(step: Step, rules: Rules, surplusKwh: number): number {
  const beyondKwh = curtailsAtLoss(step, rules) ? surplusKwh : surplusKwh - step.exportLimitKwh;
  return Math.min(step.pvKwh, Math.max(0, beyondKwh));
}

/** Energy flows when the battery takes `acKwh` (positive: charging) in the step. */
export function flowsOf(step: Step, rules: Rules, acKwh: number): Flows {
  const net = step.loadKwh - step.pvKwh + acKwh;
  const surplus = Math.max(0, -net);
  const curtailedKwh = curtailed(step, rules, surplus);
  const importKwh = Math.max(0, net);
  const exportKwh = surplus - curtailedKwh;
  const dischargeKwh = Math.max(0, -acKwh);
  return {
    chargeKwh: Math.max(0, acKwh),
    dischargeKwh,
    importKwh,
    exportKwh,
    curtailedKwh,
    importLimitExceededKwh: Math.max(0, importKwh - step.importLimitKwh),
    costCt:
      step.importPriceCtKwh * importKwh - step.exportPriceCtKwh * exportKwh + rules.wearCtKwh * dischargeKwh,
  };
}

/** Cost of a step in the search: money plus the penalty on import above the limit. */
export function searchCost(step: Step, rules: Rules, acKwh: number): number {
  const net = step.loadKwh - step.pvKwh + acKwh;
  const wearCt = acKwh < 0 ? -acKwh * rules.wearCtKwh : 0;
  if (net >= 0) {
    const breachKwh = Math.max(0, net - step.importLimitKwh);
    return step.importPriceCtKwh * net + rules.breachPenaltyCtKwh * breachKwh + wearCt;
  }
  return wearCt - step.exportPriceCtKwh * (-net - curtailed(step, rules, -net));
}

/** d cost / d AC energy between two kinks. */
function marginalCost(step: Step, rules: Rules, acKwh: number): number {
  const net = step.loadKwh - step.pvKwh + acKwh;
  const wear = acKwh < 0 ? rules.wearCtKwh : 0;
  if (net > 0) {
    const penalty = net > step.importLimitKwh ? rules.breachPenaltyCtKwh : 0;
    return step.importPriceCtKwh + penalty - wear;
  }
  const sold = curtailsAtLoss(step, rules) ? -net > step.pvKwh : -net < step.exportLimitKwh;
  return (sold ? step.exportPriceCtKwh : 0) - wear;
}

/** A linear piece of a step's cost over the AC energy, from `from` to `to`, ct per AC kWh. */
export interface CostPiece {
  from: number;
  to: number;
  slope: number;
}

/** The step's cost as linear pieces over `[low, high]`, ascending; at most six. */
export function costPieces(step: Step, rules: Rules, low: number, high: number): CostPiece[] {
  const net = step.loadKwh - step.pvKwh;
  const kinks = [0, -net, step.importLimitKwh - net, -step.loadKwh];
  if (Number.isFinite(step.exportLimitKwh)) kinks.push(-net - step.exportLimitKwh);
  const inner = kinks.filter((kink) => kink > low && kink < high).sort((a, b) => a - b);
  const pieces: CostPiece[] = [];
  let from = low;
  for (const to of [...inner, high]) {
    if (to - from <= 0) continue;
    const slope = marginalCost(step, rules, (from + to) / 2);
    const last = pieces.at(-1);
    // Charging and discharging have different losses, so a piece never spans 0.
    if (last !== undefined && last.slope === slope && from !== 0) last.to = to;
    else pieces.push({ from, to, slope });
    from = to;
  }
  return pieces;
}
