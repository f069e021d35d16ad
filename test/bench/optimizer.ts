import { loadSolver } from "../../src/plan/solver/highs.js";
import { optimise } from "../../src/plan/solver/optimise.js";
import { evccRequest } from "../plan/solver/evcc-requests.js";

/** Time limit of the service, s. */
const LIMIT_SECONDS = 45;

/** Solves seeded requests of evcc; returns times and statuses. */
async function solveRequests(count: number, size: { steps: number; batteries: number; vehicles: number }) {
  const highs = await loadSolver();
  const times: number[] = [];
  const statuses: Record<string, number> = {};
  for (let seed = 1; seed <= count; seed++) {
    const request = evccRequest(seed, size);
    const started = performance.now();
    const { status } = optimise(request, {
      highs,
      now: () => performance.now(),
      limitSeconds: LIMIT_SECONDS,
    });
    times.push(performance.now() - started);
    statuses[status] = (statuses[status] ?? 0) + 1;
    if (process.argv.includes("--each")) console.log(seed, Math.round(times.at(-1)!), status);
  }
  return { times, statuses };
}

/** The optimizer for evcc on 40 seeded requests of the usual size and ten of a large one. */
export async function benchOptimizer() {
  const lines = [];
  for (const [count, size, goal] of [
    [40, { steps: 192, batteries: 1, vehicles: 1 }, "below 3000"],
    [10, { steps: 400, batteries: 1, vehicles: 2 }, ""],
  ] as const) {
    const { times, statuses } = await solveRequests(count, size);
    const name = `optimizer for evcc, ${size.steps} steps, ${size.vehicles} + ${size.batteries} batteries`;
    const mean = times.reduce((sum, time) => sum + time, 0) / count;
    lines.push(
      { name: `${name}: mean`, value: mean, unit: "ms", goal: "" },
      { name: `${name}: slowest`, value: Math.max(...times), unit: "ms", goal },
      {
        name: `${name}: proved optimal`,
        value: ((statuses.Optimal ?? 0) / count) * 100,
        unit: "%",
        goal: "",
      },
    );
  }
  return lines;
}
