import { type ChildProcess, fork } from "node:child_process";
import { createRequire } from "node:module";
import { setPriority } from "node:os";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { ForecastIssueSet, WeatherTable } from "./forecast-issue-set.js";
import type { MarketDays, MarketDaysData } from "./market-days.js";
import type { TrainedModel } from "./trained-model.js";

/** A training under way in a process of its own. */
export interface Training {
  /** Undefined when the days are too few for a model; rejects when the process fails. Never settles once stopped. */
  model: Promise<TrainedModel | undefined>;
  /** Ends the process; harmless when it has ended. */
  stop(): Promise<void>;
}

/** How a service has a model trained. */
export type StartTraining = (days: MarketDays, weather: ForecastIssueSet) => Training;

/** What the training process is given. */
export interface TrainingTask {
  days: MarketDaysData;
  weather: readonly WeatherTable[];
}

/** What the training process sends back: its only message. */
export interface TrainingAnswer {
  model: TrainedModel | undefined;
  /** Why there is no model, where the training failed. */
  failure?: string;
}

/** A runaway training must end itself, not the gateway. */
const MOST_MEMORY_MB = 300;
/** The house comes first: on a small processor a training takes a minute. */
const NICENESS = 10;

/**
 * Trains in a process of its own, during which the gateway goes on answering. A thread would do that too, but what it has
 * taken of memory, some 100 MB, the gateway's process would never give back to the system.
 */
export const trainInChildProcess: StartTraining = (days, weather) => {
  const task: TrainingTask = { days: days.data(), weather: weather.tables };
  const child = startProcess();
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
  lowerPriority(child);
  // What goes wrong with it, `exit` tells.
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

/** The built process starts as it is. From the sources, as tests run, it must first load what reads TypeScript. */
function startProcess(): ChildProcess {
  const isSource = import.meta.url.endsWith(".ts");
  const file = fileURLToPath(new URL(`./training-process.${isSource ? "ts" : "js"}`, import.meta.url));
  const reader = isSource
    ? ["--import", pathToFileURL(createRequire(import.meta.url).resolve("tsx")).href]
    : [];
  return fork(file, {
    execArgv: [`--max-old-space-size=${MOST_MEMORY_MB}`, ...reader],
    serialization: "advanced",
    // Not the gateway's own: a reader of its output would wait for the end of a training that outlived it.
    stdio: ["ignore", "ignore", "ignore", "ipc"],
  });
}

function lowerPriority({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) setPriority(pid, NICENESS);
  } catch {
    // It has ended already, or the system does not let us: a courtesy, no more.
  }
}
