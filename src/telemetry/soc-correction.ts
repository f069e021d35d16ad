import type { PowerRange } from "../config/site-limits.js";
import type { TimedValue } from "../core/domain/counter.js";
import { type EnergyStep, hoursOf, MINUTE_MS } from "../core/domain/interval.js";

/** A storage whose energies are derived from its SOC. */
export interface MeasuredBattery {
  capacityKwh: number;
  /** Stored per AC kWh charged, and AC kWh per stored kWh: the same in both directions. */
  oneWayEfficiency: number;
}

/** Largest distance of readings of the SOC that still shows the hour of the energy. */
export const LONGEST_SOC_GAP_MS = 65 * MINUTE_MS;
/** Powers that come as often miss nothing. */
export const OFTEN_MS = 2 * MINUTE_MS;
/** A device of this power or less is at rest, kW. */
export const REST_KW = 0.05;
/** Resolutions of states of charge, percent. */
const RESOLUTIONS_PCT = [1, 0.5, 0.1];
const FINEST_PCT = 0.01;
/** The usable capacity differs from the settings by at most 20 %; the nearest comes first. */
const CAPACITY_FACTORS = Array.from(
  { length: 21 },
  (_, k) => 1 + (k % 2 === 0 ? 1 : -1) * 0.02 * Math.ceil(k / 2),
);

/** AC energy that stores an energy (negative: that is taken out), kWh. */
export function acKwh(storedKwh: number, { oneWayEfficiency }: MeasuredBattery): number {
  return storedKwh > 0 ? storedKwh / oneWayEfficiency : storedKwh * oneWayEfficiency;
}

function storedKwhOf(kwh: number, { oneWayEfficiency }: MeasuredBattery): number {
  return kwh > 0 ? kwh * oneWayEfficiency : kwh / oneWayEfficiency;
}

/**
 * The energies of the power of a storage (`pieces`, in order of time) with what happened between its readings: where they leave what is stored
 * further from the SOC than its resolution, they are moved as little as the SOC allows. A coarse SOC thus corrects what adds up over
 * several readings. The usable capacity is the one that needs the least correction. A change that the storage cannot have made is a
 * correction of the SOC by the device. Pure.
 */
export function correctedBySoc(
  pieces: readonly EnergyStep[],
  soc: readonly TimedValue[],
  storage: MeasuredBattery,
  range?: PowerRange,
): readonly EnergyStep[] {
  if (soc.length < 2 || !pieces.some((piece) => lengthMs(piece) > OFTEN_MS)) return pieces;
  const { spans, outside } = spansOf(pieces, soc, storage);
  const stepPct =
    RESOLUTIONS_PCT.find((step) => soc.every(({ value }) => isMultiple(value, step))) ?? FINEST_PCT;
  const canBe = (span: Span, moveKwh: number) => {
    if (range === undefined) return true;
    const kw = acKwh(span.storedKwh + moveKwh, storage) / hoursOf(span);
    return kw >= range.minKw && kw <= range.maxKw;
  };
  const [best] = CAPACITY_FACTORS.map((factor) =>
    leastMoves(spans, { pctKwh: (factor * storage.capacityKwh) / 100, stepPct, canBe }),
  ).sort((a, b) => a.sumKwh - b.sumKwh);
  return [...outside, ...spans.flatMap((span, index) => moved(span, best!.moves[index]!, storage))];
}

/** Between two readings of the SOC that show what was stored. */
interface Span {
  start: Date;
  end: Date;
  /** By the SOC. */
  changePct: number;
  /** By the power, kWh. */
  storedKwh: number;
  /** The power is known in the whole span, but so seldom that it can miss something. */
  isKnown: boolean;
  pieces: EnergyStep[];
}

function spansOf(pieces: readonly EnergyStep[], soc: readonly TimedValue[], storage: MeasuredBattery) {
  const spans: Span[] = [];
  const outside: EnergyStep[] = [];
  let next = 0;
  let open: Span | undefined;
  let rest = pieces[0];
  const takeUntil = (end: Date): EnergyStep[] => {
    const taken: EnergyStep[] = [];
    while (rest !== undefined && rest.start < end) {
      const isWhole = rest.end <= end;
      if (open !== undefined) open.isKnown ||= lengthMs(pieces[next]!) > OFTEN_MS;
      taken.push(isWhole ? rest : partOf(rest, rest.start, end));
      rest = isWhole ? pieces[++next] : partOf(rest, end, rest.end);
    }
    return taken;
  };
  outside.push(...takeUntil(soc[0]!.at));
  for (const [index, { at, value }] of soc.slice(1).entries()) {
    const before = soc[index]!;
    open ??= { start: before.at, end: at, changePct: 0, storedKwh: 0, isKnown: false, pieces: [] };
    const taken = takeUntil(at);
    open.pieces.push(...taken);
    open.end = at;
    open.changePct += value - before.value;
    const last = taken.at(-1);
    const isFlowing = last !== undefined && Math.abs(last.kwh / hoursOf(last)) > REST_KW;
    // A value that is repeated while energy flows may be old.
    if (value === before.value && isFlowing && lengthMs(open) <= LONGEST_SOC_GAP_MS) continue;
    spans.push(closed(open, storage));
    open = undefined;
  }
  if (open !== undefined) outside.push(...open.pieces);
  if (rest !== undefined) outside.push(rest, ...pieces.slice(next + 1));
  return { spans, outside };
}

function closed(span: Span, storage: MeasuredBattery): Span {
  const coveredMs = span.pieces.reduce((sum, piece) => sum + lengthMs(piece), 0);
  return {
    ...span,
    storedKwh: span.pieces.reduce((sum, { kwh }) => sum + storedKwhOf(kwh, storage), 0),
    isKnown: span.isKnown && coveredMs >= lengthMs(span) - 2_000 && lengthMs(span) <= LONGEST_SOC_GAP_MS,
  };
}

/** The least energies to add to the spans, kWh stored, that keep what is stored within the resolution of the SOC. */
function leastMoves(
  spans: readonly Span[],
  {
    pctKwh,
    stepPct,
    canBe,
  }: { pctKwh: number; stepPct: number; canBe: (span: Span, moveKwh: number) => boolean },
): { moves: number[]; sumKwh: number } {
  const halfKwh = (stepPct / 2) * pctKwh;
  let [low, high, difference, sumKwh] = [-halfKwh, halfKwh, 0, 0];
  const moves = spans.map((span) => {
    difference += span.changePct * pctKwh - span.storedKwh;
    const [least, most] = [difference - halfKwh, difference + halfKwh];
    const moveKwh = least > high ? least - high : most < low ? most - low : 0;
    const isMove = span.isKnown && canBe(span, moveKwh);
    if (span.isKnown) sumKwh += Math.abs(moveKwh);
    if (!isMove) [low, high, difference] = [-halfKwh, halfKwh, 0];
    else if (moveKwh === 0) [low, high] = [Math.max(low, least), Math.min(high, most)];
    else low = high = moveKwh > 0 ? least : most;
    return isMove ? moveKwh : 0;
  });
  return { moves, sumKwh };
}

/** The pieces of a span with an energy more: first that which did not flow is left out, what is left is spread over time. */
function moved(span: Span, moveKwh: number, storage: MeasuredBattery): readonly EnergyStep[] {
  if (moveKwh === 0) return span.pieces;
  const opposite = (kwh: number) => Math.max(0, -Math.sign(moveKwh) * kwh);
  const stored = span.pieces.map(({ kwh }) => storedKwhOf(kwh, storage));
  const oppositeKwh = stored.reduce((sum, kwh) => sum + opposite(kwh), 0);
  const left = Math.max(0, 1 - Math.abs(moveKwh) / oppositeKwh);
  const restKwh = Math.sign(moveKwh) * Math.max(0, Math.abs(moveKwh) - oppositeKwh);
  return span.pieces.map((piece, index) => {
    const kwh = stored[index]!;
    const share = (restKwh * lengthMs(piece)) / lengthMs(span);
    return { ...piece, kwh: acKwh((opposite(kwh) > 0 ? left * kwh : kwh) + share, storage) };
  });
}

function partOf(piece: EnergyStep, start: Date, end: Date): EnergyStep {
  const share = (end.getTime() - start.getTime()) / lengthMs(piece);
  return { start, end, kwh: piece.kwh * share };
}

function lengthMs({ start, end }: { start: Date; end: Date }): number {
  return end.getTime() - start.getTime();
}

export function isMultiple(value: number, step: number): boolean {
  const times = value / step;
  return Math.abs(times - Math.round(times)) < 1e-6 * Math.max(1, Math.abs(times));
}
