import { constants, setPriority } from "node:os";
import { parentPort, workerData } from "node:worker_threads";
import type { TaskProgress } from "../../core/work/worker-thread.js";
import type { PastRun } from "../../forecast/price/rolling.js";
import type { ComparisonTask, ComparisonTaskResult, ThreadData } from "./parallel.js";
import { SiteComparison } from "./site-comparison.js";

/** A thread of a comparison: does one task after the other with its own copy of the data. */
const { data, isBackground }: ThreadData = workerData;
// Only Linux has a priority of its own for each thread; elsewhere this would be that of the process.
if (isBackground && process.platform === "linux") setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
const comparison = new SiteComparison(data);
let runs: readonly PastRun[] = [];
const post = (message: TaskProgress | ComparisonTaskResult) => parentPort?.postMessage(message);
const onProgress = (hours: number) => post({ progress: hours });

parentPort?.on("message", (task: ComparisonTask) => {
  if ("part" in task) post({ runs: comparison.forecasts(task.part, onProgress) });
  else {
    runs = task.runs ?? runs;
    post({ cost: comparison.cost(task.tariff, runs, onProgress) });
  }
});
