import { serveTasks } from "../../core/work/serve-tasks.js";
import { type DevicePlanInput, planDevices } from "../devices/plan-devices.js";
import { relaxedEnergies } from "../devices/relaxation.js";
import { loadSolver } from "./highs.js";
import { optimise } from "./optimise.js";
import type { OptimizerRequest } from "./request.js";

async function tasksOf() {
  const highs = await loadSolver();
  return {
    optimise: ({ request, limitSeconds }: { request: OptimizerRequest; limitSeconds: number }) =>
      optimise(request, { highs, now: () => performance.now(), limitSeconds }),
    planDevices: (input: DevicePlanInput) => {
      const start = relaxedEnergies(highs, input);
      return planDevices({ ...input, ...(start !== undefined && { start }) });
    },
  };
}

export type SolverTasks = Awaited<ReturnType<typeof tasksOf>>;

serveTasks(tasksOf);
