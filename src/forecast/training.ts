import { Worker, type WorkerOptions } from "node:worker_threads";
import type { MarketDays, MarketDaysData } from "./market-days.js";
import type { TrainedModel } from "./trained-model.js";
import type { WeatherBook, WeatherTable } from "./weather-book.js";

/** A training under way on a thread of its own. */
export interface Training {
  /** Undefined when the days are too few for a model; rejects when the thread fails. Never settles once stopped. */
  model: Promise<TrainedModel | undefined>;
  /** Ends the thread; harmless when it has ended. */
  stop(): Promise<void>;
}

/** How a service has a model trained. */
export type StartTraining = (days: MarketDays, weather: WeatherBook) => Training;

/** What the training thread is given. */
export interface TrainingTask {
  days: MarketDaysData;
  weather: readonly WeatherTable[];
}

/** What the training thread sends back: its only message. */
export interface TrainingAnswer {
  model: TrainedModel | undefined;
}

/** A runaway training must end itself, not the gateway. */
const MOST_MEMORY_MB = 300;

/** Trains on a worker thread: a minute of a small processor, during which the gateway must go on answering. */
export const trainInWorker: StartTraining = (days, weather) => {
  const task: TrainingTask = { days: days.data(), weather: weather.tables };
  const worker = startThread({
    workerData: task,
    resourceLimits: { maxOldGenerationSizeMb: MOST_MEMORY_MB },
  });
  let stopped = false;
  const model = new Promise<TrainedModel | undefined>((resolve, reject) => {
    worker.once("message", ({ model }: TrainingAnswer) => resolve(model));
    worker.once("error", (error) => {
      if (!stopped) reject(error);
    });
    worker.once("exit", (code) => {
      if (!stopped) reject(new Error(`The training thread ended with code ${code} and without a model.`));
    });
  });
  return {
    model,
    stop: async () => {
      stopped = true;
      await worker.terminate();
    },
  };
};

/** The built thread starts as it is. From the sources, as tests run, it must first load what reads TypeScript. */
function startThread(options: WorkerOptions): Worker {
  if (!import.meta.url.endsWith(".ts"))
    return new Worker(new URL("./training-worker.js", import.meta.url), options);
  const file = new URL("./training-worker.ts", import.meta.url).href;
  const code = `import("tsx/esm/api").then(({ register }) => { register(); return import(${JSON.stringify(file)}); });`;
  return new Worker(code, { ...options, eval: true });
}
