import { createHash } from "node:crypto";
import { floorTo, hoursOf, type Interval } from "../core/domain/interval.js";
import { gridFedCharge, type StepReason } from "./explain.js";
import type { SiteInput, StepPrice } from "./site-input.js";
import type { ChargeRun, SitePlan } from "./site-plan.js";

/** A grid-fed charge below this is rounding, kWh. */
const LEAST_CHARGE_KWH = 1e-6;

/** Charging in one step of the solved plan. */
export interface ChargeStep {
  price: StepPrice;
  chargeKwh: number;
  loadKwh: number;
  pvKwh: number;
  reason: StepReason;
}

/** True for a step in which the grid feeds the battery. */
export function isGridFed(step: ChargeStep): boolean {
  return gridFedCharge(step, step.chargeKwh) > LEAST_CHARGE_KWH;
}

/**
 * The steps with a grid-fed charge, merged into runs. A run in progress keeps its start from the previous plan; without
 * one it starts at the grid line of its first step.
 */
export function chargeRuns(steps: readonly ChargeStep[], input: SiteInput, prefixEnd: Date): ChargeRun[] {
  const runs: ChargeRun[] = [];
  let group: ChargeStep[] = [];
  const close = () => {
    if (group.length > 0) runs.push(runOf(group, input, prefixEnd));
    group = [];
  };
  for (const step of steps) {
    if (isGridFed(step)) group.push(step);
    else close();
  }
  close();
  return runs;
}

function runOf(steps: readonly ChargeStep[], input: SiteInput, prefixEnd: Date): ChargeRun {
  const first = steps[0]!;
  const last = steps.at(-1)!;
  const energyKwh = steps.reduce((sum, step) => sum + step.chargeKwh, 0);
  const weighted = (value: (price: StepPrice) => number) =>
    steps.reduce((sum, step) => sum + value(step.price) * step.chargeKwh, 0) / energyKwh;
  const hours = hoursOf({ start: first.price.start, end: last.price.end });
  return {
    start: first.price.start > input.now ? first.price.start : startInProgress(input),
    end: last.price.end,
    energyKwh,
    powerKw: energyKwh / hours,
    priceCtKwh: weighted((price) => price.priceCtKwh),
    totalCtKwh: weighted((price) => price.importCtKwh),
    prefix: first.price.start < prefixEnd,
    provisional: steps.every((step) => step.price.source !== "day_ahead"),
    reason: first.reason,
  };
}

function startInProgress({ now, stepMinutes, previous }: SiteInput): Date {
  const before = previous?.chargeHours.find((run) => run.start <= now && now <= run.end);
  return before?.start ?? new Date(floorTo(now.getTime(), stepMinutes * 60_000));
}

/** The parts of the runs within `day`. */
export function clipRuns(runs: readonly Interval[], day: Interval): Interval[] {
  return runs
    .filter((run) => run.start < day.end && run.end > day.start)
    .map((run) => ({
      start: run.start < day.start ? day.start : run.start,
      end: run.end > day.end ? day.end : run.end,
    }));
}

/** Energy over the configured charge power, rounded up to quarter-hours; 0 for a battery that cannot charge. */
export function hoursFor(energyKwh: number, powerKw: number): number {
  if (energyKwh <= LEAST_CHARGE_KWH || powerKw <= 0) return 0;
  return Math.ceil((4 * energyKwh) / powerKw - 1e-6) / 4;
}

/** First 16 hex digits of SHA-256 over the starts of the runs, ISO UTC to the second, joined by commas. */
export function planHash(runs: SitePlan["chargeHours"]): string {
  const starts = runs.map((run) => `${run.start.toISOString().slice(0, 19)}Z`).join(",");
  return createHash("sha256").update(starts).digest("hex").slice(0, 16);
}
