/** The thread that computes plans for `PlanThreads`. */
import { parentPort } from "node:worker_threads";
import { computePlan, type PlanTask } from "./plan-tasks.js";
import type { PlanResult } from "./plan-threads.js";

const resultOf = (task: PlanTask): PlanResult => {
  try {
    return { plan: computePlan(task) };
  } catch {
    return {};
  }
};

parentPort?.on("message", (task: PlanTask) => parentPort?.postMessage(resultOf(task)));
