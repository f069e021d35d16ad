import { parentPort, workerData } from "node:worker_threads";
import { MarketDays } from "./market-days.js";
import { trainOn } from "./train.js";
import type { TrainingAnswer, TrainingTask } from "./training.js";
import { WeatherBook } from "./weather-book.js";

/** The training thread: reads the days and the weather it was given, answers with the model, ends. */
const { days, weather } = workerData as TrainingTask;
const answer: TrainingAnswer = {
  model: trainOn(MarketDays.from(days), { weather: WeatherBook.of(weather) }),
};
parentPort?.postMessage(answer);
