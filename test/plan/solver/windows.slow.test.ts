import { beforeAll, expect, it } from "vitest";
import { loadSolver } from "../../../src/plan/solver/highs.js";
import { optimise } from "../../../src/plan/solver/optimise.js";
import { problemOf } from "../../../src/plan/solver/problem.js";
import { solveProblem } from "../../../src/plan/solver/solve.js";
import { brokenRules, worthOf } from "../../support/optimizer-checker.js";
import { evccRequest } from "./evcc-requests.js";

let highs: Awaited<ReturnType<typeof loadSolver>>;
beforeAll(async () => {
  highs = await loadSolver();
});

const now = () => performance.now();

it.each([1, 3])(
  "solves three and a half days of a battery day by day as well as at once (seed %i)",
  (seed) => {
    const request = evccRequest(seed, { steps: 336, batteries: 1, vehicles: 0 });
    const given = optimise(request, { highs, now, limitSeconds: 60 });
    expect([given.status, brokenRules(request, given)]).toEqual(["Optimal", []]);
    const problem = problemOf(request);
    const { schedule } = solveProblem(problem, { highs, now, limitSeconds: 60 });
    const atOnce = {
      ...given,
      batteries: given.batteries.map((battery, i) => ({
        ...battery,
        charging_power: schedule!.charge[i]!.map((kwh) => kwh * 1000),
        discharging_power: schedule!.discharge[i]!.map((kwh) => kwh * 1000),
      })),
    };
    expect(worthOf(request, atOnce).worth - worthOf(request, given).worth).toBeLessThan(0.02);
  },
);

it("keeps all rules in seven days with a car and two batteries, also when the time is over", () => {
  const request = evccRequest(4, { steps: 670, batteries: 2, vehicles: 1 });
  for (const limitSeconds of [0.2, 2]) {
    const given = optimise(request, { highs, now, limitSeconds });
    expect(["Optimal", "Feasible"]).toContain(given.status);
    expect(brokenRules(request, given)).toEqual([]);
    expect(given.batteries.map(({ charging_power }) => charging_power.length)).toEqual([670, 670, 670]);
  }
});
