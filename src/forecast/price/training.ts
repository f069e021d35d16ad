import { startBackgroundProcess } from "../../core/work/background-process.js";
import type { ForecastIssueSet, WeatherTable } from "./forecast-issue-set.js";
import type { MarketDays, MarketDaysData } from "./market-days.js";
import type { TrainedModel } from "./trainer.js";

/** A training in a child process. */
export interface Training {
  /** Undefined if there are too few days for a model; rejects if the process fails. Never settles after `stop`. */
  model: Promise<TrainedModel | undefined>;
  /** Ends the process; has no effect after its end. */
  stop(): Promise<void>;
}

/** Starts a training. */
export type StartTraining = (days: MarketDays, weather: ForecastIssueSet) => Training;

/** Message to the training process. */
export interface TrainingTask {
  days: MarketDaysData;
  weather: readonly WeatherTable[];
}

/** The only message of the training process. */
export interface TrainingAnswer {
  model: TrainedModel | undefined;
  /** Why the training failed. */
  failure?: string;
}

/**
 * Trains in a child process, so that the gateway stays responsive and the memory of the training, about 100 MB, is returned
 * to the system afterwards, which would not be the case with a worker thread.
 */
export const trainInChildProcess: StartTraining = (days, weather) => {
  const task: TrainingTask = { days: days.data(), weather: weather.tables };
  const child = startBackgroundProcess(new URL("./training-process.js", import.meta.url));
  let stopped = false;
  const exited = new Promise<void>((over) => child.once("exit", () => over()));
  const model = new Promise<TrainedModel | undefined>((resolve, reject) => {
    const fail = (reason: string) => {
      if (!stopped) reject(new Error(reason));
    };
    child.once("message", ({ model, failure }: TrainingAnswer) => {
      if (failure === undefined) resolve(model);
      else fail(failure);
    });
    child.on("error", (error) => fail(error.message));
    child.once("exit", (code, signal) =>
      fail(`The training process ended with ${signal ?? `code ${code}`} and without a model.`),
    );
  });
  // Errors are handled in `exit`.
  child.send(task, () => {});
  return {
    model,
    stop: async () => {
      stopped = true;
      if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
      child.kill("SIGKILL");
      await exited;
    },
  };
};
