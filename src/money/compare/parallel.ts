import { availableParallelism, constants } from "node:os";
import { DAY_MS, HOUR_MS, hoursOf, type Interval } from "../../core/domain/interval.js";
import { WorkPool } from "../../core/work/work-pool.js";
import type { Tariff } from "../../tariff/tariff.js";
import type { TariffCost } from "./compare-tariff.js";
import type { ComparisonTasks } from "./comparison-worker.js";
import { type ComparisonData, SiteComparison } from "./site-comparison.js";

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

/** The cost under each tariff, in several threads where that is worth it. */
export async function compareAll(
  data: ComparisonData,
  tariffs: readonly Tariff[],
  onProgress: OnProgress,
): Promise<TariffCost[]> {
  const threads = Math.min(MOST_THREADS, availableParallelism());
  if (threads >= 2 && hoursOf(data.period) >= LEAST_DAYS * 24)
    return compareInThreads(data, tariffs, { threads, onProgress });
  const report = progressOf(data, tariffs, onProgress);
  const comparison = new SiteComparison(data);
  const runs = comparison.forecasts(data.period, (hours) => report("forecast", 2 * hours));
  return tariffs.map((tariff, index) => comparison.cost(tariff, runs, (hours) => report(`${index}`, hours)));
}

interface ThreadOptions {
  threads: number;
  onProgress: OnProgress;
  /** The threads yield to the rest of the machine. */
  isBackground?: boolean;
  /** Ends the comparison: the promise is then rejected. */
  signal?: AbortSignal;
}

/** The cost under each tariff; nothing is computed in the thread of the caller. Rejects with the error of a thread. */
export async function compareInThreads(
  data: ComparisonData,
  tariffs: readonly Tariff[],
  { threads, onProgress, isBackground = false, signal }: ThreadOptions,
): Promise<TariffCost[]> {
  const report = progressOf(data, tariffs, onProgress);
  const pool = new WorkPool<ComparisonTasks>({
    module: new URL("./comparison-worker.js", import.meta.url),
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
    const forecasts = await Promise.all(
      partsOf(data.period, threads).map((part, index) =>
        pool.run("forecasts", { part }, asking(`forecast ${index}`, 2)),
      ),
    );
    const runs = forecasts.flat();
    const shares = sharesOf(tariffs, threads);
    const costs = await Promise.all(
      shares.map((share, index) => pool.run("costs", { tariffs: share, runs }, asking(`costs ${index}`, 1))),
    );
    return tariffs.map((_, index) => costs[index % threads]![Math.floor(index / threads)]!);
  } finally {
    await pool.stop();
  }
}

/** Reports the hours that are done of each task as a share of all of them. */
function progressOf({ period }: ComparisonData, tariffs: readonly Tariff[], onProgress: OnProgress) {
  // Forecasts take as long as two tariffs.
  const total = hoursOf(period) * (2 + tariffs.length);
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
