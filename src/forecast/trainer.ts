import { firstOrigin, LEADS } from "./features.js";
import { type Country, ForecastIssueSet } from "./forecast-issue-set.js";
import { type Fit, LEARNERS, Learner, predict, WEATHER_LEARNERS } from "./learner.js";
import type { MarketDays } from "./market-days.js";
import { exponentialMean } from "./mean-forecast.js";
import { type OriginWeather, originInstantMs, originWeather } from "./origin-weather.js";
import { PastForecasts } from "./past-forecasts.js";
import { SPREAD_DAYS, unitsOf } from "./price-units.js";
import type { TrainedModel, TrainedWeather } from "./trained-model.js";

/** Minimum number of days of a learner before it is fitted. */
const LEAST_ROWS = 60;
/** Minimum number of days with issued weather of a lead: slightly more than half a year. */
const LEAST_WEATHER_DAYS = 200;
/** Minimum number of outcomes of a lead for the error intervals with weather. */
const LEAST_OUTCOMES = 10;
/** During the training, learners are fitted on day numbers divisible by this: a fit costs more than a month of rows. */
const REFIT_DAYS = 28;
const WEATHER_REFIT_DAYS = 2 * REFIT_DAYS;

/** Weather for a training: all issues, and the countries with enough of them. */
export interface TrainingWeather {
  issues: ForecastIssueSet;
  countries: readonly Country[];
}

/**
 * Processes the market day by day and makes the forecast of each day with the data known then, to determine the weights of
 * the blend and its error intervals. The result for a day does not depend on later days, so continuing gives the same result
 * as starting again. With weather it does so twice, with and without, because the model must also work without weather.
 */
export class Trainer {
  readonly #learners = LEARNERS.map((settings) => new Learner(settings));
  readonly #past = new PastForecasts(LEARNERS.length + 1);
  readonly #weatherLearners: Learner[] = [];
  readonly #weatherPast = new PastForecasts(LEARNERS.length + 1 + WEATHER_LEARNERS.length);
  readonly #countries: readonly Country[];
  /** Weather features of the newest origins and of those about to leave a learner's window. */
  readonly #weatherAt = new Map<number, OriginWeather>();
  /** First origin (day number) with past forecasts; earlier days are only used for learning. */
  readonly measureFrom: number;
  #fits: Fit[] | undefined;
  #weatherFits: { leads: number; fits: Fit[] } = { leads: 0, fits: [] };
  #days: MarketDays | undefined;
  #issues = ForecastIssueSet.empty;
  #readTo: number | undefined;

  /** `countries`: those whose weather is used; empty: no weather. */
  constructor(measureFrom: number, countries: readonly Country[] = []) {
    this.measureFrom = measureFrom;
    this.#countries = countries;
    if (countries.length === 0) return;
    const weather = {
      countries: countries.length,
      at: (origin: number) => this.#weatherOf(origin),
      others: this.#learners,
    };
    this.#weatherLearners = WEATHER_LEARNERS.map((settings) => new Learner(settings, weather));
  }

  /** True if `days` and `issues` begin with the data read before. */
  canReadOn(days: MarketDays, { issues, countries }: TrainingWeather): boolean {
    if (countries.join() !== this.#countries.join()) return false;
    if (this.#days === undefined) return true;
    if (days.last < this.#readTo! || !this.#days.agreesWith(days)) return false;
    return countries.length === 0 || this.#issues.agreesWith(issues, originInstantMs(this.#readTo!));
  }

  /** Continues to the end of `days`. */
  read(days: MarketDays, issues: ForecastIssueSet, onDay: (day: number) => void = () => {}): void {
    const from = this.#readTo === undefined ? days.first : this.#readTo + 1;
    this.#days = days;
    this.#issues = issues;
    for (let day = from; day <= days.last; day++) {
      this.#readDay(days, day);
      this.#readTo = day;
      onDay(day);
    }
  }

  #weatherOf(origin: number): OriginWeather {
    let weather = this.#weatherAt.get(origin);
    if (weather === undefined) {
      weather = originWeather(this.#issues, this.#countries, origin, originInstantMs(origin));
      this.#weatherAt.set(origin, weather);
      // A week of origins at each end of a window, and a reserve.
      if (this.#weatherAt.size > 4 * LEADS) this.#weatherAt.delete(this.#weatherAt.keys().next().value!);
    }
    return weather;
  }

  #readDay(days: MarketDays, day: number): void {
    this.#past.mature(days, day);
    this.#weatherPast.mature(days, day);
    for (const learner of this.#learners) learner.read(days, day);
    for (const learner of this.#weatherLearners) learner.read(days, day);
    if (day < this.measureFrom || day < firstOrigin(days)) return;
    if (this.#learners[0]!.rows(1) < LEAST_ROWS) return;
    if (this.#fits === undefined || day % REFIT_DAYS === 0) {
      this.#fits = fitted(this.#learners, days, day);
    }
    const leads = this.#weatherLeads(LEAST_ROWS);
    if (leads > this.#weatherFits.leads || day % WEATHER_REFIT_DAYS === 0) {
      this.#weatherFits = { leads, fits: leads === 0 ? [] : fitted(this.#weatherLearners, days, day) };
    }
    this.#forecastAt(days, day);
  }

  #forecastAt(days: MarketDays, origin: number): void {
    const predicted = (learner: Learner, fit: Fit) =>
      predict(learner.settings, fit, learner.inputsAt(days, origin));
    const predictions = this.#learners.map((learner, index) => predicted(learner, this.#fits![index]!));
    predictions.push(exponentialMean(days, origin));
    const { spread } = unitsOf(days, origin, SPREAD_DAYS);
    this.#past.add(origin, predictions, { spread, leads: LEADS });
    const { leads, fits } = this.#weatherFits;
    if (leads === 0) return;
    const withWeather = this.#weatherLearners.map((learner, index) =>
      predicted(learner, fits[index]!).fill(Number.NaN, leads * 24),
    );
    this.#weatherPast.add(origin, [...predictions, ...withWeather], { spread, leads });
  }

  /** Number of leads, from the first on, whose learners have each read so many days with weather. */
  #weatherLeads(least: number): number {
    for (let lead = 1; lead <= LEADS; lead++)
      if (!this.#weatherLearners.every((learner) => learner.rows(lead) >= least)) return lead - 1;
    return this.#weatherLearners.length === 0 ? 0 : LEADS;
  }

  /** The model fitted to all data read; undefined if there are too few. */
  model(): TrainedModel | undefined {
    const reach = this.#past.reach(LEADS);
    if (this.#fits === undefined || this.#readTo === undefined || reach === undefined) return undefined;
    const weather = this.#weatherModel();
    return {
      trainedTo: this.#readTo,
      knownDays: this.#days!.knownDays,
      fits: fitted(this.#learners, this.#days!, this.#readTo),
      weights: this.#past.weights(),
      reach,
      ...(weather === undefined ? {} : { weather }),
    };
  }

  #weatherModel(): TrainedWeather | undefined {
    let leads = this.#weatherLeads(LEAST_WEATHER_DAYS);
    while (leads > 0 && this.#weatherPast.outcomes(leads) < LEAST_OUTCOMES) leads--;
    const reach = this.#weatherPast.reach(leads);
    if (leads === 0 || reach === undefined) return undefined;
    return {
      countries: [...this.#countries],
      days: this.#weatherLearners[0]!.rows(1),
      leads,
      fits: fitted(this.#weatherLearners, this.#days!, this.#readTo!),
      weights: this.#weatherPast.weights(),
      reach,
    };
  }
}

function fitted(learners: readonly Learner[], days: MarketDays, day: number): Fit[] {
  return learners.map((learner) => learner.fit(days, day));
}
