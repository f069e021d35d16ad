import type { Country } from "./forecast-issue-set.js";
import type { IntervalWidths } from "./intervals.js";
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
  reach: IntervalWidths;
  /** What weather adds; missing where too few days with issued weather are held. */
  weather?: TrainedWeather;
}

/** The tier that looks at the weather. */
export interface TrainedWeather {
  /** Whose weather it was trained with. */
  countries: Country[];
  /** Number of days with weather that lead 1 was learnt from. */
  days: number;
  /** How many leads, from the first on, have been learnt. */
  leads: number;
  /** By weather learner. */
  fits: Fit[];
  /** By lead: weights of the learners without weather, of the exponential mean, of the learners with weather; sum 1. */
  weights: number[][];
  reach: IntervalWidths;
}
