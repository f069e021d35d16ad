import { errorMessage } from "../../core/error-message.js";
import { volunteerForOutOfMemory } from "../../core/memory.js";
import { planDevices } from "../devices/plan-devices.js";
import { relaxedEnergies } from "../devices/relaxation.js";
import { loadSolver } from "./highs.js";
import { optimise } from "./optimise.js";
import type { SolverAnswer, SolverTask } from "./service.js";

/** A killed solver costs evcc one advice; less than a killed training. */
const OUT_OF_MEMORY_SCORE = 800;

/**
 * The solver process: answers each task in a message, one after another, until the gateway disconnects. It ignores signals to
 * the process group (from a terminal or systemd), because the gateway ends it.
 */
volunteerForOutOfMemory(OUT_OF_MEMORY_SCORE);
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => {});
const loading = loadSolver();
process.on("message", (task: SolverTask) => {
  answerTo(task)
    .catch((error: unknown): SolverAnswer => ({ failure: errorMessage(error) }))
    .then((answer) => process.send?.(answer));
});

async function answerTo(task: SolverTask): Promise<SolverAnswer> {
  const highs = await loading;
  if (task.kind === "evcc") {
    const { request, limitSeconds } = task;
    return { answer: optimise(request, { highs, now: () => performance.now(), limitSeconds }) };
  }
  const start = relaxedEnergies(highs, task.input);
  return { answer: planDevices({ ...task.input, ...(start !== undefined && { start }) }) };
}
