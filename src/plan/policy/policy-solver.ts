import { solveStages } from "./plan-policy.js";
import type { PolicyInput } from "./policy-input.js";
import { type Policy, SolvedPolicy } from "./solved-policy.js";
import type { SolvedStages } from "./solved-stages.js";

/** Memory for the solutions of all sites of the process: a home needs 0.3 MB, with a learned load 1.4 MB. */
const MOST_BYTES = 400e6;

/** Solves the policies of a site one after another. Between two readings little more than the step in progress differs. */
export class PolicySolver {
  static #usedBytes = 0;
  #last: SolvedStages | undefined;
  #bytes = 0;

  /** The same as `planPolicy`. */
  solve(input: PolicyInput): Policy {
    const solved = solveStages(input, this.#last);
    this.forget();
    const bytes = solved.values.reduce((sum, { byteLength }) => sum + byteLength, 0);
    if (PolicySolver.#usedBytes + bytes <= MOST_BYTES) {
      this.#last = solved;
      this.#bytes = bytes;
      PolicySolver.#usedBytes += bytes;
    }
    return new SolvedPolicy(solved);
  }

  /** Frees the memory. */
  forget(): void {
    PolicySolver.#usedBytes -= this.#bytes;
    this.#bytes = 0;
    this.#last = undefined;
  }
}
