import type { SgReadySettings, SlotSettings } from "../../config/settings.js";
import {
  contains,
  DAY_MS,
  HOUR_MS,
  hoursOf,
  type Interval,
  MINUTE_MS,
  QUARTER_MS,
} from "../../core/domain/interval.js";
import { localDate } from "../../core/time/zone.js";
import type { PricedSlot } from "./prices.js";
import { type SlotCosts, withCosts } from "./slot-costs.js";

/** States of the SG Ready label; the index is the number of the state in the order of the BWP less one. */
export const SG_STATES = ["block", "normal", "encourage", "force"] as const;

export type SgState = (typeof SG_STATES)[number];

/** A state for a time. */
export interface SgSpan extends Interval {
  state: SgState;
}

/** The states of a heat pump: those that have been and those that are planned, in order of time. */
export interface SgPlan {
  decidedAt: Date;
  spans: readonly SgSpan[];
}

/** A quarter-hour as the plan sees it. */
export interface SgStep extends Interval {
  /** What a kWh costs the site, ct. */
  ctKwh: number;
  exportCtKwh: number;
  /** Expected PV surplus, kW. */
  surplusKw: number;
}

/** Power of a heat pump whose settings do not say it, kW. */
export const SG_POWER_KW = 2;
/** How far the states are planned. */
const AHEAD_MS = 2 * DAY_MS;

/** The states of the heat pump of a slot; `slots` are the priced quarter-hours of the horizon. */
export function sgReadyOf(
  {
    settings: { sg_ready, power_kw },
    sgReady: before,
  }: { settings: Pick<SlotSettings, "sg_ready" | "power_kw">; sgReady?: SgPlan | undefined },
  {
    slots,
    costs,
    now,
    zone,
  }: {
    slots: readonly PricedSlot[];
    /** What its energy costs the site; undefined: its price. */
    costs: SlotCosts | undefined;
    now: Date;
    zone: string;
  },
): SgPlan | undefined {
  if (sg_ready === null) return undefined;
  const ahead = slots.filter(({ start, end }) => end > now && start.getTime() < now.getTime() + AHEAD_MS);
  const priced = costs === undefined ? ahead : withCosts(ahead, costs, undefined);
  const steps = priced.map(({ start, end, costCtKwh, importCtKwh, exportCtKwh }): SgStep => {
    const t = costs?.steps.findIndex((step) => step.end > start) ?? -1;
    const surplusKwh = costs?.surplusKwh?.[t];
    const surplusKw = surplusKwh === undefined ? 0 : surplusKwh / hoursOf(costs!.steps[t]!);
    return { start, end, ctKwh: costCtKwh ?? importCtKwh, exportCtKwh, surplusKw };
  });
  return planSgReady(steps, { now, before, rules: { ...sg_ready, zone, powerKw: power_kw ?? SG_POWER_KW } });
}

/** Longest block, and most blocks that begin on a local day. */
export const BLOCK_QUARTERS = 8;
export const BLOCKS_A_DAY = 3;
/** The states follow the cost within its own spread: the cheapest hours are encouraged, the dearest blocked. */
const CHEAP_SHARE = 0.3;
const DEAR_SHARE = 0.8;
/** A state other than normal has to gain this much in all, and this in each quarter-hour, ct/kWh. */
const CHANGE_CT = 4;
const LEAST_CT = 0.5;
/** Of a state that is not allowed: it only ends its dwell time. */
const NEVER_CT = -1e6;
/** The earlier plan stays while another is better by no more than this a quarter-hour, ct/kWh. */
const HYSTERESIS_CT = 0.3;
/** Surplus that would be exported is worth this much more than its cost says, ct/kWh. */
const EXPORTED_CT = 2;
/** The cost of a kWh from surplus is that of the feed-in, within this, ct/kWh. */
const SAME_CT = 0.5;
const LONGEST_DWELL_QUARTERS = 4;
/** How long past states are kept: a day with its blocks. */
const KEPT_MS = 26 * HOUR_MS;

interface SgRules extends SgReadySettings {
  /** Zone of the local days that blocks are counted in. */
  zone: string;
  /** Power of the heat pump, kW. */
  powerKw: number;
}

/**
 * The states of a heat pump over the given quarter-hours by what its energy costs the site, relative to the spread of these
 * costs: `block` in the dearest, `encourage` in the cheapest and where surplus would be exported, `force` at costs of 0 or
 * less and where the surplus covers its power. Each state lasts the dwell time; a block lasts at most two hours, as long a
 * time without a block follows, and at most three begin on a day. The steps follow one another without a gap, the first
 * one in progress or ahead; the state in force is kept until its quarter-hour ends. Pure.
 */
export function planSgReady(
  steps: readonly SgStep[],
  { now, before, rules }: { now: Date; before: SgPlan | undefined; rules: SgRules },
): SgPlan {
  const first = steps[0];
  if (first === undefined) return { decidedAt: now, spans: before?.spans ?? [] };
  const isDecided = before !== undefined && before.decidedAt >= first.start && before.decidedAt <= now;
  const from = isDecided ? first.end : first.start;
  const past = until(before?.spans ?? [], from).filter(({ end }) => now.getTime() - end.getTime() < KEPT_MS);
  const open = steps.filter(({ start }) => start >= from);
  const problem = new SgProblem(open, { before, rules });
  const states = problem.solve(stateAfter(past, { rules, from }));
  const spans = [...past];
  for (const [t, state] of states.entries()) {
    const { start, end } = open[t]!;
    const last = spans.at(-1);
    if (last?.state === state && last.end.getTime() === start.getTime())
      spans[spans.length - 1] = { ...last, end };
    else spans.push({ start, end, state });
  }
  return { decidedAt: now, spans };
}

/** The state of a plan at a time; `normal` outside of it. */
export function sgStateAt(plan: SgPlan | undefined, at: Date): SgState {
  return plan?.spans.find((span) => contains(span, at))?.state ?? "normal";
}

function until(spans: readonly SgSpan[], end: Date): SgSpan[] {
  return spans.filter(({ start }) => start < end).map((span) => (span.end > end ? { ...span, end } : span));
}

/** What the rules need to know of the past. */
interface Standing {
  kind: SgState;
  /** Quarter-hours that the state still has to last. */
  dwell: number;
  /** Quarter-hours of the block so far, or that have to pass without one. */
  block: number;
  /** Blocks that began on the local day. */
  blocks: number;
}

function stateAfter(past: readonly SgSpan[], { rules, from }: { rules: SgRules; from: Date }): Standing {
  // While the gateway did not run, the contacts were open.
  const last = past.findLast(({ end }) => end.getTime() === from.getTime());
  const quarters = (span: Interval) => Math.round(hoursOf(span) * 4);
  const day = localDate(from, rules.zone);
  const blocked = past.filter(({ state }) => state === "block");
  const lastBlock = blocked.at(-1);
  const since = lastBlock === undefined ? 0 : quarters({ start: lastBlock.end, end: from });
  const lastLength = lastBlock === undefined ? 0 : Math.min(BLOCK_QUARTERS, quarters(lastBlock));
  return {
    kind: last?.state ?? "normal",
    dwell: last === undefined ? 0 : Math.max(0, dwellQuarters(rules) - quarters(last)),
    block: last?.state === "block" ? lastLength : Math.max(0, lastLength - since),
    blocks: blocked.filter(({ start }) => localDate(start, rules.zone) === day).length,
  };
}

function dwellQuarters({ dwell_min }: SgReadySettings): number {
  return Math.min(LONGEST_DWELL_QUARTERS, Math.max(1, Math.ceil((dwell_min * MINUTE_MS) / QUARTER_MS)));
}

const BLOCK_STATES = BLOCK_QUARTERS + 1;
const COUNTS = BLOCKS_A_DAY + 1;

/** The transitions by dwell time: the same for each plan. */
const transitions = new Map<number, readonly [Int16Array, Int16Array]>();

/** Dynamic programming over the standing after each quarter-hour; standings and their transitions are numbers. */
class SgProblem {
  readonly #gains: Record<SgState, number>[];
  readonly #isNewDay: boolean[];
  readonly #dwell: number;
  readonly #count: number;
  /** Standing after a quarter-hour in each state, on the same day and on a new one; -1 where the rules forbid it. */
  readonly #next: readonly [Int16Array, Int16Array];

  constructor(steps: readonly SgStep[], { before, rules }: { before: SgPlan | undefined; rules: SgRules }) {
    this.#gains = gainsOf(steps, rules);
    for (const [t, { start }] of steps.entries()) {
      const planned = before?.spans.find((span) => contains(span, start))?.state;
      if (planned !== undefined) this.#gains[t]![planned] += HYSTERESIS_CT;
    }
    const dates = steps.map(({ start }) => localDate(start, rules.zone));
    this.#isNewDay = dates.map((date, t) => t > 0 && date !== dates[t - 1]);
    this.#dwell = dwellQuarters(rules);
    this.#count = SG_STATES.length * this.#dwell * BLOCK_STATES * COUNTS;
    const known = transitions.get(this.#dwell);
    this.#next = known ?? [this.#transitions(false), this.#transitions(true)];
    transitions.set(this.#dwell, this.#next);
  }

  /** The best state of each quarter-hour. */
  solve(start: Standing): SgState[] {
    const count = this.#gains.length;
    const values: Float64Array[] = new Array<Float64Array>(count + 1);
    values[count] = new Float64Array(this.#count);
    for (let t = count - 1; t >= 0; t--) {
      const value = new Float64Array(this.#count);
      for (let code = 0; code < this.#count; code++) {
        const kind = this.#best(t, code, values[t + 1]!);
        value[code] = this.#valueOf(t, { code, kind }, values[t + 1]!);
      }
      values[t] = value;
    }
    const states: SgState[] = [];
    let code = this.#encode({ ...start, dwell: Math.min(start.dwell, this.#dwell - 1) });
    for (let t = 0; t < count; t++) {
      const kind = this.#best(t, code, values[t + 1]!);
      code = this.#nextOf(t, code, kind);
      states.push(SG_STATES[kind]!);
    }
    return states;
  }

  #best(t: number, code: number, values: Float64Array): number {
    let best = 0;
    let most = Number.NEGATIVE_INFINITY;
    for (let kind = 0; kind < SG_STATES.length; kind++) {
      const value = this.#valueOf(t, { code, kind }, values);
      if (value <= most + 1e-9) continue;
      most = value;
      best = kind;
    }
    return best;
  }

  #valueOf(t: number, { code, kind }: { code: number; kind: number }, values: Float64Array): number {
    const next = this.#nextOf(t, code, kind);
    if (next < 0) return Number.NEGATIVE_INFINITY;
    const [from, to] = [this.#kindOf(code), SG_STATES[kind]!];
    const changeCt = from === to || to === "normal" ? 0 : CHANGE_CT;
    return this.#gains[t]![to] - changeCt + values[next]!;
  }

  #nextOf(t: number, code: number, kind: number): number {
    return this.#next[this.#isNewDay[t] ? 1 : 0][code * SG_STATES.length + kind]!;
  }

  #transitions(isNewDay: boolean): Int16Array {
    const next = new Int16Array(this.#count * SG_STATES.length).fill(-1);
    for (let code = 0; code < this.#count; code++)
      for (const [kind, state] of SG_STATES.entries()) {
        const after = this.#after(this.#decode(code), state, isNewDay);
        if (after !== undefined) next[code * SG_STATES.length + kind] = this.#encode(after);
      }
    return next;
  }

  /** The standing after a quarter-hour in a state; undefined where the rules forbid it. */
  #after({ kind: from, dwell, block, blocks }: Standing, kind: SgState, isNewDay: boolean) {
    const isSame = kind === from;
    if (!isSame && dwell > 0) return undefined;
    const today = isNewDay ? 0 : blocks;
    const left = isSame ? Math.max(0, dwell - 1) : this.#dwell - 1;
    const after = (quarters: number, begun = today): Standing => ({
      kind,
      dwell: left,
      block: quarters,
      blocks: begun,
    });
    if (kind !== "block") return after(Math.max(0, block - 1));
    if (isSame) return block < BLOCK_QUARTERS ? after(block + 1) : undefined;
    return block > 0 || today >= BLOCKS_A_DAY ? undefined : after(1, today + 1);
  }

  #encode({ kind, dwell, block, blocks }: Standing): number {
    return ((SG_STATES.indexOf(kind) * this.#dwell + dwell) * BLOCK_STATES + block) * COUNTS + blocks;
  }

  #decode(code: number): Standing {
    const rest = Math.floor(code / COUNTS);
    return {
      kind: this.#kindOf(code),
      dwell: Math.floor(rest / BLOCK_STATES) % this.#dwell,
      block: rest % BLOCK_STATES,
      blocks: code % COUNTS,
    };
  }

  #kindOf(code: number): SgState {
    return SG_STATES[Math.floor(code / (COUNTS * BLOCK_STATES * this.#dwell))]!;
  }
}

/** What each state gains in each quarter-hour over `normal`, ct/kWh. */
function gainsOf(steps: readonly SgStep[], rules: SgRules): Record<SgState, number>[] {
  const sorted = steps.map(({ ctKwh }) => ctKwh).sort((a, b) => a - b);
  const quantile = (share: number) => sorted[Math.floor(share * (sorted.length - 1))] ?? 0;
  const [cheapCt, dearCt] = [quantile(CHEAP_SHARE), quantile(DEAR_SHARE)];
  return steps.map(({ ctKwh, exportCtKwh, surplusKw }) => {
    const isExported = surplusKw > 0 && ctKwh <= exportCtKwh + SAME_CT;
    const encourage = cheapCt - ctKwh - LEAST_CT + (isExported ? EXPORTED_CT : 0);
    const isForced = ctKwh <= 0 || (isExported && surplusKw >= rules.powerKw);
    return {
      normal: 0,
      block: rules.block && !isExported && ctKwh > 0 ? ctKwh - dearCt - LEAST_CT : NEVER_CT,
      encourage,
      force: rules.force && isForced ? Math.max(encourage, 0) + EXPORTED_CT : NEVER_CT,
    };
  });
}
