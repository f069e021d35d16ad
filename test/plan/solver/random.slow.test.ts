import { beforeAll, expect, it } from "vitest";
import { loadSolver } from "../../../src/plan/solver/highs.js";
import { optimise } from "../../../src/plan/solver/optimise.js";
import type { OptimizerRequest } from "../../../src/plan/solver/request.js";
import { brokenRules, worthOf } from "../../support/optimizer-checker.js";
import { evccRequest } from "./evcc-requests.js";
import { bestOnLattice } from "./lattice.js";
import { GRAIN, smallRequest } from "./random-requests.js";

let highs: Awaited<ReturnType<typeof loadSolver>>;
beforeAll(async () => {
  highs = await loadSolver();
});

const answer = (request: OptimizerRequest, limitSeconds = 20) =>
  optimise(request, { highs, now: () => performance.now(), limitSeconds });

const seeds = Array.from({ length: Number(process.env.OPTIMIZER_SEEDS ?? 80) }, (_, seed) => seed + 1);

it("finds the optimum of small requests without losses, as dynamic programming does", () => {
  const found = seeds.flatMap((seed) => {
    const request = smallRequest(seed, { onLattice: true });
    const given = answer(request);
    const best = bestOnLattice(request, GRAIN);
    if (given.status === "Infeasible") return best === Number.NEGATIVE_INFINITY ? [] : [{ seed, best }];
    const { worth } = worthOf(request, given);
    const hasPeakPrice = request.grid?.p_max_imp != null && request.grid.prc_p_exc_imp != null;
    // With a price on the peak the optimum can be between the points of the lattice.
    const isBest = worth > best - 1e-4 && (hasPeakPrice || worth < best + 1e-4);
    const broken = brokenRules(request, given);
    return isBest && broken.length === 0 && given.status === "Optimal"
      ? []
      : [{ seed, worth, best, broken, status: given.status }];
  });
  expect(found).toEqual([]);
});

it("keeps all rules in small requests with losses and an uneven first step", () => {
  const found = seeds.flatMap((seed) => {
    const request = smallRequest(seed, { onLattice: false });
    const given = answer(request);
    if (given.status === "Infeasible") return [];
    const broken = brokenRules(request, given);
    return broken.length === 0 && given.status === "Optimal" ? [] : [{ seed, broken, status: given.status }];
  });
  expect(found).toEqual([]);
});

it("keeps all rules in a day of evcc, and answers the same again", () => {
  for (const seed of [6, 15]) {
    const request = evccRequest(seed, { steps: 32, batteries: 1, vehicles: 1 });
    const given = answer(request);
    expect(brokenRules(request, given)).toEqual([]);
    expect(answer(request)).toEqual(given);
  }
});

it("answers with a schedule that keeps all rules when the time is over at once", () => {
  const request = evccRequest(2, { steps: 192, batteries: 1, vehicles: 2 });
  const given = answer(request, 0.001);
  expect(given.status).toBe("Feasible");
  expect(brokenRules(request, given)).toEqual([]);
});
