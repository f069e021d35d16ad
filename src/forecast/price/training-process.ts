import { errorMessage } from "../../core/error-message.js";
import { volunteerForOutOfMemory } from "../../core/memory.js";
import { ForecastIssueSet } from "./forecast-issue-set.js";
import { MarketDays } from "./market-days.js";
import { trainOn } from "./train.js";
import type { TrainingAnswer, TrainingTask } from "./training.js";

/** A killed training is repeated the next day; until then the last model is used. */
const OUT_OF_MEMORY_SCORE = 750;

/**
 * The training process: receives days and weather in one message, answers with the model and ends. It ignores signals to the
 * process group (from a terminal or systemd), because the gateway stops it; if the gateway was killed it ends after its work.
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
