import { HOUR_MS, MINUTE_MS } from "../../core/domain/interval.js";
import type { PolicyInput } from "./policy-input.js";
import { type ChainStage, ScenarioChain } from "./scenario-chain.js";

/** Above any power, kW; unlike Infinity it may be multiplied by 0. */
export const NO_LIMIT = 1e9;

/** One stage of the recursion: what is left of a step. Energies kWh of the stage, prices ct/kWh. */
export interface Stage extends ChainStage {
  startMs: number;
  endMs: number;
  hours: number;
  importCt: number;
  /** What feeding in brings: never negative where PV may be curtailed. */
  exportCt: number;
  loadKwh: number;
  pvKwh: number;
  published: boolean;
  /** Load by rank. */
  loadsKwh: Float64Array;
  /** Load less PV in each scenario. */
  netKwh: Float64Array;
  /** Mean import above this power costs `overCtKw` per kW; NO_LIMIT without a target. */
  targetKw: number;
  overCtKw: number;
}

/** Below this mean power PV is next to nothing, kW. */
export const DARK_KW = 0.02;

/** Persistence of the load's rank where the input names none. */
const DEFAULT_PERSISTENCE = 0.5;

/** Without PV a higher one brings mode changes and no saving. */
const HIGHEST_WITHOUT_PV = 0.2;

/** The scenarios of the input; without shares each load rank is equally likely. */
export function chainOf({ steps, ratios, shares, persistence, pv }: PolicyInput): ScenarioChain {
  const highest = steps.some(({ pvKwh }) => pvKwh > 0) ? 1 : HIGHEST_WITHOUT_PV;
  const count = steps.reduce((most, _, t) => Math.max(most, ratios[t]?.length ?? 0), 1);
  return new ScenarioChain(
    {
      shares: (count > 1 ? shares : undefined) ?? new Array<number>(count).fill(1 / count),
      persistence: persistence === undefined ? DEFAULT_PERSISTENCE : Math.min(persistence, highest),
    },
    pv,
  );
}

/** The stages from `now` on, all with the same number of scenarios. */
export function stagesOf(input: PolicyInput): Stage[] {
  const nowMs = input.now.getTime();
  const chain = chainOf(input);
  const stages: Stage[] = [];
  for (const [t, step] of input.steps.entries()) {
    const startMs = step.start.getTime();
    const endMs = startMs + step.minutes * MINUTE_MS;
    if (endMs <= nowMs) continue;
    const rest = Math.min(1, (endMs - nowMs) / (endMs - startMs));
    const loadKwh = step.loadKwh * rest;
    const pvKwh = step.pvKwh * rest;
    const row = input.ratios[t] ?? [];
    const hours = (rest * (endMs - startMs)) / HOUR_MS;
    const loadsKwh = new Float64Array(chain.loads);
    for (let k = 0; k < chain.loads; k++) loadsKwh[k] = loadKwh * ratioOf(row, k, chain.loads);
    const dark = pvKwh < DARK_KW * hours;
    const target = step.targetApplies === false ? undefined : input.grid?.importTarget;
    const netKwh = new Float64Array(chain.count);
    for (let w = 0; w < chain.count; w++) {
      const factor = dark ? 1 : chain.pv.factors[Math.floor(w / chain.loads)]!;
      netKwh[w] = loadsKwh[w % chain.loads]! - pvKwh * factor;
    }
    const { stay, pvStay } = chain.stage(hours, { dark, afterDark: stages.at(-1)?.dark ?? false });
    stages.push({
      startMs: Math.max(startMs, nowMs),
      endMs,
      hours,
      importCt: step.importCtKwh,
      exportCt: input.grid?.curtailmentAllowed ? Math.max(0, step.exportCtKwh) : step.exportCtKwh,
      loadKwh,
      pvKwh,
      published: step.published,
      loadsKwh,
      netKwh,
      dark,
      stay,
      pvStay,
      targetKw: target?.kw ?? NO_LIMIT,
      overCtKw: target?.ctPerKw ?? 0,
    });
  }
  return stages;
}

/** Whether both stages cost the same whatever follows them. */
export function isSameStage(one: Stage, other: Stage): boolean {
  return (
    one.startMs === other.startMs &&
    one.endMs === other.endMs &&
    one.hours === other.hours &&
    one.importCt === other.importCt &&
    one.exportCt === other.exportCt &&
    one.loadKwh === other.loadKwh &&
    one.pvKwh === other.pvKwh &&
    one.published === other.published &&
    one.dark === other.dark &&
    one.stay === other.stay &&
    one.pvStay === other.pvStay &&
    one.targetKw === other.targetKw &&
    one.overCtKw === other.overCtKw &&
    isSame(one.loadsKwh, other.loadsKwh) &&
    isSame(one.netKwh, other.netKwh)
  );
}

function isSame(one: Float64Array, other: Float64Array): boolean {
  return one.length === other.length && one.every((value, index) => value === other[index]);
}

/** The factor of scenario `w` of `count`; rows of another length are stretched, rank by rank. */
function ratioOf(row: readonly number[], w: number, count: number): number {
  if (row.length === 0) return 1;
  return row[Math.floor(((w + 0.5) * row.length) / count)] ?? 1;
}
