import { errorMessage } from "../../core/error-message.js";
import type { Log } from "../../core/log.js";
import { SerialQueue } from "../../core/work/serial-queue.js";
import { type DocumentArchive, restored } from "../../store/archive.js";
import type { PriceSeries } from "../market/price-series.js";
import { ForecastIssueSet } from "./forecast-issue-set.js";
import { readModel, writeModel } from "./model-document.js";
import { LEAST_DAYS, trainingDays, trainingWeather } from "./train.js";
import type { TrainedModel } from "./trainer.js";
import type { Training } from "./training.js";

const DOCUMENT = "forecast/model";
/** Growth of the history, for example by a backfill, after which a new training starts at once. */
const LEAST_GROWTH = 1.1;

export interface ModelStoreOptions {
  documents: DocumentArchive;
  training: Training;
  log: Log;
  /** Called after a training: undefined on success, otherwise a sentence with the reason. */
  onTrained: (failure: string | undefined) => void;
}

/**
 * Holds the trained model: loaded from disk after a restart, and trained in a child process once a day, when the prices of
 * another day are known. After a failed training the previous model remains in use; the next attempt is on the next day.
 */
export class ModelStore {
  readonly #options: ModelStoreOptions;
  #model: TrainedModel | undefined;
  #isTraining = false;
  /** Newest prices received during a training. */
  #waiting: { published: PriceSeries; now: Date; weather: ForecastIssueSet } | undefined;
  /** Last day of the input of a failed training: the same input would fail again. */
  #failedTo: number | undefined;
  /** Number of weather issues in the last training. */
  #issuesGiven = 0;
  readonly #saves = new SerialQueue();
  #stopped = false;

  constructor(options: ModelStoreOptions) {
    this.#options = options;
  }

  current(): TrainedModel | undefined {
    return this.#model;
  }

  /** Loads the stored model; a missing or damaged one is ignored until a training has ended. */
  async load(): Promise<void> {
    const { documents, log } = this.#options;
    const warning = "The trained model could not be read; it will be trained again.";
    this.#model = await restored(documents, DOCUMENT, readModel, { log, warning });
  }

  /** Starts a training if there are more data than the model was trained with. Returns immediately. */
  consider(published: PriceSeries, now: Date, weather: ForecastIssueSet = ForecastIssueSet.empty): void {
    if (this.#stopped) return;
    if (this.#isTraining) {
      this.#waiting = { published, now, weather };
      return;
    }
    const days = trainingDays(published, now);
    const model = this.#model;
    const isCurrent =
      model !== undefined &&
      model.trainedTo >= days.last &&
      model.knownDays * LEAST_GROWTH >= days.knownDays &&
      !this.#weatherHasGrown(model, weather);
    if (days.knownDays < LEAST_DAYS || isCurrent || this.#failedTo === days.last) return;
    this.#isTraining = true;
    this.#issuesGiven = weather.tables.length;
    this.#options.log.info({ days: days.knownDays }, "The price model is being trained.");
    this.#options.training
      .train(days, weather)
      .then(
        (trained) => this.#take(trained),
        (error: unknown) => {
          this.#failedTo = days.last;
          this.#fail(error);
        },
      )
      .catch((error: unknown) => {
        // An error of a listener must not prevent later trainings.
        const sentence = "A listener of the price model failed.";
        this.#options.log.error({ reason: errorMessage(error) }, sentence);
      })
      .finally(() => this.#ended());
  }

  /** True if there is considerably more issued weather than the model was trained with. */
  #weatherHasGrown({ weather }: TrainedModel, issues: ForecastIssueSet): boolean {
    const learnt = Math.max(weather?.days ?? 0, this.#issuesGiven);
    return trainingWeather(issues).countries.length > 0 && issues.tables.length > learnt * LEAST_GROWTH;
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
          "The trained model could not be saved; it is kept in memory.",
        ),
      );
    onTrained(undefined);
  }

  #fail(error: unknown): void {
    if (this.#stopped) return;
    const reason = errorMessage(error);
    this.#options.log.error(
      { reason },
      "The price model could not be trained; the previous one remains in use.",
    );
    this.#options.onTrained(`The price model could not be trained: ${reason}`);
  }

  #ended(): void {
    this.#isTraining = false;
    const waiting = this.#waiting;
    this.#waiting = undefined;
    if (waiting !== undefined) this.consider(waiting.published, waiting.now, waiting.weather);
  }

  /** Stops a running training; resolves when pending saves have ended. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#waiting = undefined;
    await this.#options.training.stop();
    await this.#saves.idle();
  }
}
