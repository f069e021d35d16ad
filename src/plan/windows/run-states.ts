import type { SlotRange } from "./allocation.js";

/** Limits in whole slots. */
export interface SlotLimits {
  /** Days of the candidates in which starts are counted, and the starts left on each. */
  days: readonly SlotRange[];
  starts: readonly number[];
  leastRun: number;
  /** Slots that the run in progress has lasted; undefined: the device is off. */
  running: number | undefined;
}

/** What a slot in which the device is on or off changes. */
export interface RunMove {
  /** The state after it. */
  to: number;
  isStart: boolean;
  /** The day had no start left. */
  isBeyond: boolean;
  /** Slots that the run which ends before it is too short by. */
  shortBy: number;
}

interface RunStatesOptions {
  limits: SlotLimits;
  /** Whether a slot follows the one before without a gap; left out: each does. */
  joins?: (slot: number) => boolean;
  /** Slots in which the device is on at most: a shorter demand is one run, or the rest of the one in progress. */
  mostOn?: number;
  /** Most phases of a run: a longer least run ends at every second slot only, every third one and so on. Left out: at any slot. */
  mostPhases?: number;
  /** Most starts of a day that are counted: a higher limit counts as this one. */
  mostStarts?: number;
}

/**
 * The states of a device that is switched within limits, for dynamic programs over slots: the starts left on the day × the phase of
 * the run. A phase is how long the run still needs, 0 where it may end, or off. Without a limit the starts are not counted.
 */
export class RunStates {
  readonly count: number;
  readonly first: number;
  readonly #leastRun: number;
  readonly #slotsPerPhase: number;
  readonly #off: number;
  /** Starts left at the beginning of each slot that begins a day; empty where they are not limited. */
  readonly #startsFrom = new Map<number, number>();
  readonly #joins: (slot: number) => boolean;

  constructor({
    limits: { days, starts, leastRun, running },
    joins = () => true,
    mostOn = Number.POSITIVE_INFINITY,
    mostPhases = Number.POSITIVE_INFINITY,
    mostStarts = Number.POSITIVE_INFINITY,
  }: RunStatesOptions) {
    this.#leastRun = Math.max(1, Math.min(leastRun, running === undefined ? mostOn : leastRun));
    this.#slotsPerPhase = Math.max(1, Math.ceil(this.#leastRun / mostPhases));
    this.#off = this.#needsFrom(this.#slotsPerPhase - 1) + 1;
    this.#joins = joins;
    const isLimited = starts.some(Number.isFinite);
    const most = isLimited ? Math.min(mostOn, mostStarts, Math.max(...starts)) : 0;
    if (isLimited)
      for (const [day, { from }] of days.entries()) this.#startsFrom.set(from, Math.min(starts[day]!, most));
    this.count = (most + 1) * this.#phases;
    const owed = this.#leastRun > 1 ? Math.min(mostOn, Math.max(0, this.#leastRun - (running ?? 0))) : 0;
    const phase = running === undefined ? this.#off : Math.ceil(owed / this.#slotsPerPhase);
    this.first = (this.#startsFrom.get(0) ?? 0) * this.#phases + phase;
  }

  /** What a slot changes in each state. */
  moves(slot: number, isOn: boolean): RunMove[] {
    return Array.from({ length: this.count }, (_, state) => this.move(slot, state, isOn));
  }

  move(slot: number, state: number, isOn: boolean): RunMove {
    const left = Math.floor(state / this.#phases);
    const phase = state % this.#phases;
    const goesOn = isOn && phase < this.#off && (slot === 0 || this.#joins(slot));
    const isStart = isOn && !goesOn;
    const needs = goesOn ? phase : this.#needsFrom(slot);
    const endsPhase = (slot + 1) % this.#slotsPerPhase === 0;
    const next = isOn ? Math.max(0, endsPhase ? needs - 1 : needs) : this.#off;
    const after = this.#startsFrom.get(slot + 1) ?? (isStart ? Math.max(0, left - 1) : left);
    return {
      to: after * this.#phases + next,
      isStart,
      isBeyond: isStart && left === 0 && this.#startsFrom.size > 0,
      shortBy: goesOn ? 0 : this.shortBy(slot, state),
    };
  }

  /** Slots that a run is too short by if it ends before a slot. */
  shortBy(slot: number, state: number): number {
    const phase = state % this.#phases;
    return phase === 0 || phase === this.#off
      ? 0
      : phase * this.#slotsPerPhase - (slot % this.#slotsPerPhase);
  }

  get #phases(): number {
    return this.#off + 1;
  }

  /** Phase of a run at the slot that it begins with. */
  #needsFrom(slot: number): number {
    return Math.ceil(((slot % this.#slotsPerPhase) + this.#leastRun) / this.#slotsPerPhase);
  }
}
