import { programModule } from "../../core/installation.js";
import { WorkPool } from "../../core/work/work-pool.js";
import type { ForecastIssueSet } from "./forecast-issue-set.js";
import type { MarketDays } from "./market-days.js";
import type { TrainedModel } from "./trainer.js";
import type { TrainingTasks } from "./training-worker.js";

/** Trains the price model. */
export interface Training {
  /** Undefined if there are too few days for a model. */
  train(days: MarketDays, weather: ForecastIssueSet): Promise<TrainedModel | undefined>;
  /** Ends a training in progress: it is then rejected. */
  stop(): Promise<void>;
}

/** A training takes seconds, on a small computer under load minutes. */
const TIME_MS = 30 * 60_000;
const MEMORY_MB = 400;
/** Lets the gateway and other programs of the computer go first. */
const NICENESS = 10;
/** A killed training is repeated the next day; until then the last model is used. */
const OUT_OF_MEMORY_SCORE = 750;

/**
 * Trains in a child process, so that the gateway stays responsive and the memory of the training, about 100 MB, is returned
 * to the system afterwards, which would not be the case with a worker thread.
 */
export class BackgroundTraining implements Training {
  readonly #pool = new WorkPool<TrainingTasks>({
    module: programModule("forecast/price/training-worker"),
    kind: "process",
    name: "The training process",
    timeMs: TIME_MS,
    memoryMb: MEMORY_MB,
    idleMs: 0,
    niceness: NICENESS,
    outOfMemoryScore: OUT_OF_MEMORY_SCORE,
  });

  async train(days: MarketDays, weather: ForecastIssueSet): Promise<TrainedModel | undefined> {
    return this.#pool.run("train", { days: days.data(), weather: weather.tables }, { owner: "forecast" });
  }

  stop(): Promise<void> {
    return this.#pool.stop();
  }
}
