import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import type { TariffCost } from "../comparison/compare-tariff.js";
import { DAY_MS, HOUR_MS, type Interval } from "../domain/interval.js";
import type { PastRun } from "../forecast/rolling.js";
import type { Tariff } from "../tariff/tariff.js";
import { type ComparisonData, SiteComparison } from "./compare-site.js";

/** Work for a thread: forecasts of a part of the period, or the cost under a tariff (`runs` with the first one). */
export type ComparisonTask = { part: Interval } | { tariff: Tariff; runs?: readonly PastRun[] };

/** From a thread: hours done of the task, or its result. */
export type WorkerMessage = { progress: number } | { runs: PastRun[] } | { cost: TariffCost };

/** More threads hardly help: each has the memory of a gateway. */
const MOST_THREADS = 4;
/** Shorter periods take less time than starting threads. */
const LEAST_DAYS = 30;

/** The cost under each tariff, in several threads where that is worth it. `onProgress` is called with a share, 0 to 1. */
export async function compareAll(
  data: ComparisonData,
  tariffs: readonly Tariff[],
  onProgress: (share: number) => void,
): Promise<TariffCost[]> {
  const { start, end } = data.period;
  const hours = (end.getTime() - start.getTime()) / HOUR_MS;
  // Forecasts take as long as two tariffs.
  const total = hours * (2 + tariffs.length);
  const done = new Map<string, number>();
  const report = (task: string, count: number) => {
    done.set(task, count);
    onProgress(Math.min(1, [...done.values()].reduce((sum, one) => sum + one, 0) / total));
  };
  // Threads need compiled files.
  const isSource = import.meta.url.endsWith(".ts");
  const threads = Math.min(MOST_THREADS, availableParallelism());
  if (isSource || threads < 2 || hours < LEAST_DAYS * 24) {
    const comparison = new SiteComparison(data);
    const runs = comparison.forecasts(data.period, (count) => report("forecast", 2 * count));
    return tariffs.map((tariff, index) =>
      comparison.cost(tariff, runs, (count) => report(`${index}`, count)),
    );
  }
  const pool = Array.from({ length: threads }, () => new ComparisonThread(data));
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
    for (const thread of pool) await thread.stop();
  }
}

/** Parts of whole days that follow one another. */
function partsOf({ start, end }: Interval, count: number): Interval[] {
  const days = Math.ceil((end.getTime() - start.getTime()) / DAY_MS / count);
  return Array.from({ length: count }, (_, index) => ({
    start: new Date(start.getTime() + index * days * DAY_MS),
    end: new Date(Math.min(end.getTime(), start.getTime() + (index + 1) * days * DAY_MS)),
  })).filter((part) => part.start < part.end);
}

/** One thread; it does one task at a time. */
class ComparisonThread {
  readonly #worker: Worker;

  constructor(data: ComparisonData) {
    this.#worker = new Worker(new URL("./compare-worker.js", import.meta.url), { workerData: data });
  }

  run(task: ComparisonTask, onProgress: (hours: number) => void): Promise<WorkerMessage> {
    return new Promise((resolve, reject) => {
      const settle = (finish: () => void) => {
        this.#worker.off("message", onMessage);
        this.#worker.off("error", onError);
        finish();
      };
      const onMessage = (message: WorkerMessage) => {
        if ("progress" in message) onProgress(message.progress);
        else settle(() => resolve(message));
      };
      const onError = (error: unknown) => settle(() => reject(error));
      this.#worker.on("message", onMessage);
      this.#worker.on("error", onError);
      this.#worker.postMessage(task);
    });
  }

  async stop(): Promise<void> {
    await this.#worker.terminate();
  }
}
