import { parentPort, workerData } from "node:worker_threads";
import type { PastRun } from "../forecast/rolling.js";
import type { ComparisonTask, WorkerMessage } from "./compare-parallel.js";
import { SiteComparison } from "./compare-site.js";

/** A thread of a comparison: does one task after the other with its own copy of the data. */
const comparison = new SiteComparison(workerData);
let runs: readonly PastRun[] = [];
const post = (message: WorkerMessage) => parentPort?.postMessage(message);
const onProgress = (hours: number) => post({ progress: hours });

parentPort?.on("message", (task: ComparisonTask) => {
  if ("part" in task) post({ runs: comparison.forecasts(task.part, onProgress) });
  else {
    runs = task.runs ?? runs;
    post({ cost: comparison.cost(task.tariff, runs, onProgress) });
  }
});
