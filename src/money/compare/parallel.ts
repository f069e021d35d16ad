import { availableParallelism } from "node:os";
import { DAY_MS, HOUR_MS, type Interval } from "../../core/domain/interval.js";
import { TaskThread } from "../../core/work/worker-thread.js";
import type { PastRun } from "../../forecast/price/rolling.js";
import type { Tariff } from "../../tariff/tariff.js";
import type { TariffCost } from "./compare-tariff.js";
import { type ComparisonData, SiteComparison } from "./site-comparison.js";

/** Work for a thread: forecasts of a part of the period, or the cost under a tariff (`runs` with the first one). */
export type ComparisonTask = { part: Interval } | { tariff: Tariff; runs?: readonly PastRun[] };

/** From a thread; its progress is the number of hours done of the task. */
export type ComparisonTaskResult = { runs: PastRun[] } | { cost: TariffCost };

/** More threads hardly help: each has the memory of a gateway. */
const MOST_THREADS = 4;
/** Shorter periods take less time than starting threads. */
const LEAST_DAYS = 30;

/** Called with the share that is done, 0 to 1. */
type OnProgress = (share: number) => void;

/** The cost under each tariff, in several threads where that is worth it. */
export async function compareAll(
  data: ComparisonData,
  tariffs: readonly Tariff[],
  onProgress: OnProgress,
): Promise<TariffCost[]> {
  const { start, end } = data.period;
  const hours = (end.getTime() - start.getTime()) / HOUR_MS;
  // Threads need compiled files.
  const isSource = import.meta.url.endsWith(".ts");
  const threads = Math.min(MOST_THREADS, availableParallelism());
  if (!isSource && threads >= 2 && hours >= LEAST_DAYS * 24)
    return compareInThreads(data, tariffs, { threads, onProgress });
  const report = progressOf(data, tariffs, onProgress);
  const comparison = new SiteComparison(data);
  const runs = comparison.forecasts(data.period, (count) => report("forecast", 2 * count));
  return tariffs.map((tariff, index) => comparison.cost(tariff, runs, (count) => report(`${index}`, count)));
}

interface ThreadOptions {
  threads: number;
  onProgress: OnProgress;
  /** The threads yield to the rest of the machine, and each has a limit of memory. */
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
  signal?.throwIfAborted();
  const report = progressOf(data, tariffs, onProgress);
  const pool = Array.from({ length: threads }, () => startThread({ data, isBackground }));
  const end = () => void Promise.all(pool.map((thread) => thread.stop()));
  signal?.addEventListener("abort", end);
  try {
    const parts = partsOf(data.period, threads);
    const forecasts = await Promise.all(
      parts.map((part, index) =>
        pool[index]!.run({ part }, (count) => report(`forecast ${index}`, 2 * count)),
      ),
    );
    const runs = forecasts.flatMap((message) => ("runs" in message ? message.runs : []));
    const costs = new Array<TariffCost>(tariffs.length);
    let next = 0;
    await Promise.all(
      pool.map(async (thread, index) => {
        for (let first = true; next < tariffs.length; first = false) {
          const at = next++;
          const task = { tariff: tariffs[at]!, ...(first && { runs }) };
          const message = await thread.run(task, (count) => report(`${at}`, count));
          if ("cost" in message) costs[at] = message.cost;
        }
        report(`thread ${index}`, 0);
      }),
    );
    return costs;
  } finally {
    signal?.removeEventListener("abort", end);
    for (const thread of pool) await thread.stop();
  }
}

/** Reports the hours that are done of each task as a share of all of them. */
function progressOf({ period }: ComparisonData, tariffs: readonly Tariff[], onProgress: OnProgress) {
  const hours = (period.end.getTime() - period.start.getTime()) / HOUR_MS;
  // Forecasts take as long as two tariffs.
  const total = hours * (2 + tariffs.length);
  const done = new Map<string, number>();
  return (task: string, count: number) => {
    done.set(task, count);
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

/** What a thread starts with. */
export interface ThreadData {
  data: ComparisonData;
  isBackground: boolean;
}

/** A year with all suppliers needs less than half of it. */
const MOST_MEMORY_MB = 700;

function startThread(workerData: ThreadData): TaskThread<ComparisonTask, ComparisonTaskResult> {
  return new TaskThread(new URL("./thread.js", import.meta.url), {
    workerData,
    ...(workerData.isBackground && { resourceLimits: { maxOldGenerationSizeMb: MOST_MEMORY_MB } }),
  });
}
