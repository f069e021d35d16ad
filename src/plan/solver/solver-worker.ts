import { serveTasks } from "../../core/work/serve-tasks.js";
import { type DevicePlanInput, planDevices } from "../devices/plan-devices.js";
import { relaxedEnergies } from "../devices/relaxation.js";
import { loadSolver } from "./highs.js";
import { optimise } from "./optimise.js";
import { OptimizerRequestError, readOptimizerRequest } from "./request.js";

/** The answer to a request of evcc as JSON, or why the request cannot be read. */
export type OptimizerReply =
  | { answer: string }
  | { refusal: { message: string; details: Readonly<Record<string, string>> } };

async function tasksOf() {
  const highs = await loadSolver();
  return {
    optimise: ({ body, limitSeconds }: { body: Uint8Array; limitSeconds: number }): OptimizerReply => {
      try {
        const now = () => performance.now();
        return {
          answer: JSON.stringify(optimise(readOptimizerRequest(body), { highs, now, limitSeconds })),
        };
      } catch (error) {
        if (!(error instanceof OptimizerRequestError)) throw error;
        return { refusal: { message: error.message, details: error.details } };
      }
    },
    planDevices: (input: DevicePlanInput) => {
      const start = relaxedEnergies(highs, input);
      return planDevices({ ...input, ...(start !== undefined && { start }) });
    },
  };
}

export type SolverTasks = Awaited<ReturnType<typeof tasksOf>>;

serveTasks(tasksOf);
