import { errorMessage } from "../error-message.js";
import type { Log } from "../log.js";
import type { PriceSeries } from "../market/price-series.js";
import { SerialQueue } from "../serial-queue.js";
import type { DocumentArchive } from "../store/archive.js";
import { ForecastIssueSet } from "./forecast-issue-set.js";
import { readModel, writeModel } from "./model-document.js";
import { LEAST_DAYS, trainingDays, trainingWeather } from "./train.js";
import type { TrainedModel } from "./trained-model.js";
import type { StartTraining, Training } from "./training.js";

const DOCUMENT = "forecast/model";
/** History that grows by so much under a model, as a backfill makes it, calls for a new one at once. */
const WORTHWHILE_GROWTH = 1.1;

export interface ModelStoreOptions {
  documents: DocumentArchive;
  startTraining: StartTraining;
  log: Log;
  /** Called when a training has ended: with its model, or with a sentence why there is none. */
  onTrained: (failure: string | undefined) => void;
}

/**
 * Holds the trained model: from disk after a restart, and trained anew in a process of its own once a day, when prices of a
 * further day are known. A training that fails leaves the model of before in place; the next day tries again.
 */
export class ModelStore {
  readonly #options: ModelStoreOptions;
  #model: TrainedModel | undefined;
  #training: Training | undefined;
  /** Newest prices that came while a training was under way. */
  #waiting: { published: PriceSeries; now: Date; weather: ForecastIssueSet } | undefined;
  /** Days that the last failed training was given: the same ones would fail again. */
  #failedTo: number | undefined;
  /** Issues of weather that the last training of this process was given. */
  #issuesGiven = 0;
  readonly #saves = new SerialQueue();
  #stopped = false;

  constructor(options: ModelStoreOptions) {
    this.#options = options;
  }

  current(): TrainedModel | undefined {
    return this.#model;
  }

  /** Reads the stored model; without one, or with a damaged one, there is none until a training has ended. */
  async load(): Promise<void> {
    try {
      this.#model = readModel(await this.#options.documents.get(DOCUMENT));
    } catch (error) {
      this.#options.log.warn(
        { reason: errorMessage(error) },
        "The trained model could not be read; it is trained anew.",
      );
    }
  }

  /** Trains when there is more to learn from than the model knows. Returns at once. */
  consider(published: PriceSeries, now: Date, weather: ForecastIssueSet = ForecastIssueSet.empty): void {
    if (this.#stopped) return;
    if (this.#training !== undefined) {
      this.#waiting = { published, now, weather };
      return;
    }
    const days = trainingDays(published, now);
    const model = this.#model;
    const learnt =
      model !== undefined &&
      model.trainedTo >= days.last &&
      model.knownDays * WORTHWHILE_GROWTH >= days.knownDays &&
      !this.#weatherHasGrown(model, weather);
    if (days.knownDays < LEAST_DAYS || learnt || this.#failedTo === days.last) return;
    let training: Training;
    try {
      training = this.#options.startTraining(days, weather);
    } catch (error) {
      this.#failedTo = days.last;
      this.#fail(error);
      return;
    }
    this.#training = training;
    this.#issuesGiven = weather.tables.length;
    this.#options.log.info({ days: days.knownDays }, "The price model is being trained.");
    training.model
      .then(
        (trained) => this.#take(trained),
        (error: unknown) => {
          this.#failedTo = days.last;
          this.#fail(error);
        },
      )
      .catch((error: unknown) => {
        // A listener that throws must not end the training for good.
        const sentence = "The news of the price model could not be passed on.";
        this.#options.log.error({ reason: errorMessage(error) }, sentence);
      })
      .finally(() => this.#ended());
  }

  /** True when so much more issued weather is held than the model has learnt from that it is worth a training. */
  #weatherHasGrown({ weather }: TrainedModel, held: ForecastIssueSet): boolean {
    const learnt = Math.max(weather?.days ?? 0, this.#issuesGiven);
    return trainingWeather(held).countries.length > 0 && held.tables.length > learnt * WORTHWHILE_GROWTH;
  }

  #take(trained: TrainedModel | undefined): void {
    if (this.#stopped || trained === undefined) return;
    this.#model = trained;
    const { documents, log, onTrained } = this.#options;
    log.info({ days: trained.knownDays }, "The price model is trained.");
    this.#saves
      .run(() => documents.put(DOCUMENT, writeModel(trained)))
      .catch((error: unknown) =>
        log.error(
          { reason: errorMessage(error) },
          "The trained model could not be stored; it serves from memory.",
        ),
      );
    onTrained(undefined);
  }

  #fail(error: unknown): void {
    if (this.#stopped) return;
    const reason = errorMessage(error);
    this.#options.log.error(
      { reason },
      "The price model could not be trained; what was there before serves on.",
    );
    this.#options.onTrained(`The price model could not be trained: ${reason}`);
  }

  #ended(): void {
    this.#training = undefined;
    const waiting = this.#waiting;
    this.#waiting = undefined;
    if (waiting !== undefined) this.consider(waiting.published, waiting.now, waiting.weather);
  }

  /** Ends a training under way; resolves when the last model is on disk, as far as the disk takes it. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#waiting = undefined;
    await this.#training?.stop();
    await this.#saves.idle();
  }
}
