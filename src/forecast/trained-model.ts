import type { Reach } from "./intervals.js";
import type { Fit } from "./learner.js";

/** All that a forecast needs beside the prices themselves. */
export interface TrainedModel {
  /** Day number of the newest day learnt from. */
  trainedTo: number;
  /** Number of days learnt from. */
  knownDays: number;
  /** By learner. */
  fits: Fit[];
  /** By lead: weights of the learners and of the exponential mean, sum 1. */
  weights: number[][];
  reach: Reach;
}
