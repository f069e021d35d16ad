import type { Country } from "./forecast-issue-set.js";
import type { IntervalWidths } from "./intervals.js";
import type { Fit } from "./learner.js";

/** A trained model: everything a forecast needs besides the prices. */
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
  /** The tier with weather; undefined with too few days of issued weather. */
  weather?: TrainedWeather;
}

/** The tier with weather. */
export interface TrainedWeather {
  /** Countries with weather in the training. */
  countries: Country[];
  /** Number of days with weather that lead 1 was trained with. */
  days: number;
  /** Number of trained leads, from the first on. */
  leads: number;
  /** By weather learner. */
  fits: Fit[];
  /** By lead: weights of the learners without weather, of the exponential mean, of the learners with weather; sum 1. */
  weights: number[][];
  reach: IntervalWidths;
}
