import type { Highs } from "highs";
import { answerOf, type OptimizerAnswer } from "./answer.js";
import { problemOf } from "./problem.js";
import type { OptimizerRequest } from "./request.js";
import { solveInWindows } from "./windows.js";

/** Answers a request within about `limitSeconds`. */
export function optimise(
  request: OptimizerRequest,
  options: { highs: Highs; now: () => number; limitSeconds: number },
): OptimizerAnswer {
  const problem = problemOf(request);
  return answerOf(problem, solveInWindows(problem, options));
}
