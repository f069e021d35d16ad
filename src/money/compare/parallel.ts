import { availableParallelism, constants } from "node:os";
import { DAY_MS, HOUR_MS, hoursOf, type Interval } from "../../core/domain/interval.js";
import { programModule } from "../../core/installation.js";
import { WorkPool } from "../../core/work/work-pool.js";
import type { TariffCost } from "./compare-tariff.js";
import type { ComparisonTasks } from "./comparison-worker.js";
import { type ComparedCase, type ComparisonData, SiteComparison } from "./site-comparison.js";

/** More threads hardly help: each has the memory of a gateway. */
const MOST_THREADS = 4;
/** Shorter periods take less time than starting threads. */
const LEAST_DAYS = 30;
/** Four years with all suppliers take minutes, on a small computer an hour. */
const TIME_MS = 6 * HOUR_MS;
/** A year with all suppliers needs less than half of it. */
const MEMORY_MB = 700;

/** Called with the share that is done, 0 to 1. */
type OnProgress = (share: number) => void;

/** The cost of each case, in several threads where that is worth it. */
export async function compareAll(
  data: ComparisonData,
  cases: readonly ComparedCase[],
  onProgress: OnProgress,
): Promise<TariffCost[]> {
  const threads = Math.min(MOST_THREADS, availableParallelism());
  if (threads >= 2 && hoursOf(data.period) >= LEAST_DAYS * 24)
    return compareInThreads(data, cases, { threads, onProgress });
  const report = progressOf(data, cases, onProgress);
  const comparison = new SiteComparison(data);
  const runs = isPlanned(data, cases)
    ? comparison.forecasts(data.period, (hours) => report("forecast", FORECAST_WEIGHT * hours))
    : [];
  return cases.map((one, index) => comparison.cost(one, runs, (hours) => report(`${index}`, hours)));
}

/** The home as it is and a change of it; more need the memory of further gateways. */
const MOST_BACKGROUND_THREADS = 2;

/**
 * Threads of a comparison beside a running gateway. On Linux they have a lower priority than the gateway and may use each core;
 * elsewhere one core is left to it.
 */
export function backgroundThreads(cores = availableParallelism(), platform = process.platform): number {
  const free = platform === "linux" ? cores : cores - 1;
  return Math.max(1, Math.min(MOST_BACKGROUND_THREADS, free));
}

interface ThreadOptions {
  threads: number;
  onProgress: OnProgress;
  /** The threads yield to the rest of the machine. */
  isBackground?: boolean;
  /** Ends the comparison: the promise is then rejected. */
  signal?: AbortSignal;
}

/** The cost of each case; nothing is computed in the thread of the caller. Rejects with the error of a thread. */
export async function compareInThreads(
  data: ComparisonData,
  cases: readonly ComparedCase[],
  { threads, onProgress, isBackground = false, signal }: ThreadOptions,
): Promise<TariffCost[]> {
  const report = progressOf(data, cases, onProgress);
  const pool = new WorkPool<ComparisonTasks>({
    module: programModule("money/compare/comparison-worker"),
    kind: "thread",
    name: "A comparison of tariffs",
    atOnce: threads,
    timeMs: TIME_MS,
    memoryMb: MEMORY_MB,
    ...(isBackground && { niceness: constants.priority.PRIORITY_BELOW_NORMAL }),
    data,
  });
  const asking = (name: string, weight: number) => ({
    owner: name,
    signal,
    onProgress: (hours: number) => report(name, weight * hours),
  });
  try {
    const parts = isPlanned(data, cases) ? partsOf(data.period, threads) : [];
    const forecasts = await Promise.all(
      parts.map((part, index) =>
        pool.run("forecasts", { part }, asking(`forecast ${index}`, FORECAST_WEIGHT)),
      ),
    );
    const runs = forecasts.flat();
    const shares = sharesOf(cases, threads);
    const costs = await Promise.all(
      shares.map((share, index) => pool.run("costs", { cases: share, runs }, asking(`costs ${index}`, 1))),
    );
    return cases.map((_, index) => costs[index % threads]![Math.floor(index / threads)]!);
  } finally {
    await pool.stop();
  }
}

/** Without a battery nothing is planned, and no forecast is needed. */
function isPlanned({ plant }: ComparisonData, cases: readonly ComparedCase[]): boolean {
  return plant.battery !== null || cases.some(({ change }) => change?.batteryKwh !== undefined);
}

/** The time of the forecasts of an hour as a share of that of a case. */
const FORECAST_WEIGHT = 0.3;

/** Reports the hours that are done of each task as a share of all of them. */
function progressOf(data: ComparisonData, cases: readonly ComparedCase[], onProgress: OnProgress) {
  const total = hoursOf(data.period) * ((isPlanned(data, cases) ? FORECAST_WEIGHT : 0) + cases.length);
  const done = new Map<string, number>();
  return (task: string, hours: number) => {
    done.set(task, hours);
    onProgress(Math.min(1, [...done.values()].reduce((sum, one) => sum + one, 0) / total));
  };
}

/** Parts of whole days that follow one another. */
function partsOf({ start, end }: Interval, count: number): Interval[] {
  const days = Math.ceil((end.getTime() - start.getTime()) / DAY_MS / count);
  return Array.from({ length: count }, (_, index) => ({
    start: new Date(start.getTime() + index * days * DAY_MS),
    end: new Date(Math.min(end.getTime(), start.getTime() + (index + 1) * days * DAY_MS)),
  })).filter((part) => part.start < part.end);
}

/** The items dealt out in turn; all take about as long. */
function sharesOf<Item>(items: readonly Item[], count: number): Item[][] {
  return Array.from({ length: Math.min(count, items.length) }, (_, share) =>
    items.filter((_, index) => index % count === share),
  );
}
