import { errorMessage } from "../error-message.js";
import { volunteerForOutOfMemory } from "../memory.js";
import { ForecastIssueSet } from "./forecast-issue-set.js";
import { MarketDays } from "./market-days.js";
import { trainOn } from "./train.js";
import type { TrainingAnswer, TrainingTask } from "./training.js";

/** A training that is taken is tried again the next day; until then the last model serves. */
const OUT_OF_MEMORY_SCORE = 750;

/**
 * The training process: takes the days and the weather as its one message, answers with the model, ends. What ends the
 * gateway by a signal to all of its processes (a terminal, systemd) is not for it: the gateway stops it itself, and a
 * training whose gateway was killed ends with its work.
 */
volunteerForOutOfMemory(OUT_OF_MEMORY_SCORE);
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => {});
process.once("message", ({ days, weather }: TrainingTask) => {
  process.send?.(
    answerOf(() => trainOn(MarketDays.from(days), { weather: ForecastIssueSet.of(weather) })),
    () => process.disconnect(),
  );
});

function answerOf(train: () => TrainingAnswer["model"]): TrainingAnswer {
  try {
    return { model: train() };
  } catch (error) {
    return { model: undefined, failure: errorMessage(error) };
  }
}
