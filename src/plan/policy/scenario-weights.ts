import { HOUR_MS, QUARTER_MS } from "../../core/domain/interval.js";
import { likeness, type ScenarioChain, spread, staying } from "./scenario-chain.js";
import { DARK_KW, type Stage } from "./stages.js";

/** What was measured over the last quarter-hour, kW. */
export interface Measured {
  /** Load less PV, without the battery. */
  netLoadKw?: number | undefined;
  pvKw?: number | undefined;
}

interface Moment {
  stages: readonly Stage[];
  /** Index of the stage in progress. */
  t: number;
  nowMs: number;
  chain: ScenarioChain;
}

/** How likely each scenario is in the rest of a stage. On average what is to come is half of the rest away. */
export function scenarioWeights(moment: Moment, { netLoadKw, pvKw }: Measured): Float64Array {
  const { stages, t, nowMs, chain } = moment;
  const stage = stages[t]!;
  const weights = new Float64Array(chain.count);
  if (netLoadKw === undefined) return chain.usual(stage, weights);
  const restHours = Math.min(1, (stage.endMs - nowMs) / (stage.endMs - stage.startMs)) * stage.hours;
  const likely =
    pvKw === undefined ? likelyByNetLoad(stage, netLoadKw, chain) : likelyByBoth(moment, netLoadKw, pvKw);
  spread(likely.load, staying(chain.load.persistence, restHours / 2), chain.load.shares);
  spread(likely.pv, staying(chain.pv.persistence, 0.25 + restHours / 2), chain.pv.shares);
  for (let w = 0; w < chain.countOf(stage); w++) {
    const k = w % chain.loads;
    weights[w] = likely.load[k]! * (stage.dark ? 1 : likely.pv[(w - k) / chain.loads]!);
  }
  return weights;
}

interface Likely {
  load: Float64Array;
  pv: Float64Array;
}

/** Load and PV are known apart. */
function likelyByBoth({ stages, t, nowMs, chain }: Moment, netLoadKw: number, pvKw: number): Likely {
  const { loadsKwh, hours } = stages[t]!;
  const { factors, shares } = chain.pv;
  const load = new Float64Array(chain.loads);
  likeness((netLoadKw + pvKw) * hours, loadsKwh, chain.load.shares, load);
  const pv = new Float64Array(factors.length);
  const expectedKw = expectedPvKw(stages, t, nowMs - QUARTER_MS / 2);
  if (expectedKw < DARK_KW) pv.set(shares);
  else likeness(pvKw / expectedKw, factors, shares, pv);
  return { load, pv };
}

/** Power on the line through the middles of the stage in progress and the one next to it, kW. */
function expectedPvKw(stages: readonly Stage[], t: number, atMs: number): number {
  const middle = ({ startMs, endMs }: Stage) => (startMs + endMs) / 2;
  const stage = stages[t]!;
  const powerKw = stage.pvKwh / stage.hours;
  const neighbour = (atMs < middle(stage) ? stages[t - 1] : undefined) ?? stages[t + 1];
  if (neighbour === undefined || Math.abs(middle(neighbour) - middle(stage)) > HOUR_MS) return powerKw;
  const slope = (neighbour.pvKwh / neighbour.hours - powerKw) / (middle(neighbour) - middle(stage));
  return Math.max(0, powerKw + slope * (atMs - middle(stage)));
}

/** Width of the likeness of a net load, kW, and as a share of the range of the scenarios. */
const WIDTH_KW = 0.1;
const WIDTH_SHARE = 0.1;

/** Load and PV from their sum alone. */
function likelyByNetLoad(stage: Stage, netLoadKw: number, chain: ScenarioChain): Likely {
  const load = new Float64Array(chain.loads);
  const pv = Float64Array.from(chain.pv.shares);
  const count = chain.countOf(stage);
  if (count === chain.loads) {
    likeness(netLoadKw * stage.hours, stage.netKwh.subarray(0, count), chain.load.shares, load);
    return { load, pv };
  }
  const netKw = stage.netKwh.map((kwh) => kwh / stage.hours);
  const lowest = Math.min(...netKw);
  const highest = Math.max(...netKw);
  const width = WIDTH_KW + WIDTH_SHARE * (highest - lowest);
  const measured = Math.min(highest, Math.max(lowest, netLoadKw));
  pv.fill(0);
  let sum = 0;
  for (const [w, kw] of netKw.entries()) {
    const k = w % chain.loads;
    const m = (w - k) / chain.loads;
    const likelihood = Math.exp(-0.5 * ((measured - kw) / width) ** 2);
    const weight = likelihood * chain.load.shares[k]! * chain.pv.shares[m]!;
    load[k]! += weight;
    pv[m]! += weight;
    sum += weight;
  }
  return { load: load.map((weight) => weight / sum), pv: pv.map((weight) => weight / sum) };
}
