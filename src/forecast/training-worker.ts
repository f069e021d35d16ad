import { parentPort, workerData } from "node:worker_threads";
import { MarketDays, type MarketDaysData } from "./market-days.js";
import { trainOn } from "./train.js";
import type { TrainingAnswer } from "./training.js";

/** The training thread: reads the days it was given, answers with the model, ends. */
const answer: TrainingAnswer = { model: trainOn(MarketDays.from(workerData as MarketDaysData)) };
parentPort?.postMessage(answer);
