import { exponentialMean } from "./exponential-mean.js";
import { firstOrigin, LEADS } from "./features.js";
import { type Country, ForecastIssueSet } from "./forecast-issue-set.js";
import { type Fit, LEARNERS, Learner, predict, WEATHER_LEARNERS } from "./learner.js";
import type { MarketDays } from "./market-days.js";
import { type OriginWeather, originInstantMs, originWeather } from "./origin-weather.js";
import { PastForecasts } from "./past-forecasts.js";
import { unitsOf } from "./price-units.js";
import type { TrainedModel, TrainedWeather } from "./trained-model.js";

/** Days that a learner must have read before it is fitted at all. */
const LEAST_ROWS = 60;
/** Days with issued weather that a lead needs before the weather serves it: half a year and a bit, all but one season. */
const LEAST_WEATHER_DAYS = 200;
/** Outcomes that a lead needs before it is known how wrong the weather makes it. */
const LEAST_OUTCOMES = 10;
/** On the way, learners are fitted anew on days of the calendar whose number this divides: it costs more than a month's rows. */
const REFIT_DAYS = 28;
const WEATHER_REFIT_DAYS = 2 * REFIT_DAYS;
/** Errors are counted in the spread of the prices of so many days before their origin. */
export const SPREAD_DAYS = 90;

/** Weather to learn from: all issues held, and the countries whose weather counts. */
export interface TrainingWeather {
  book: ForecastIssueSet;
  countries: readonly Country[];
}

/**
 * Reads the market day by day, and at each day says what it would have forecast, with nothing known that came later: that
 * is how it learns the blend's weights and how wrong it is. What it has learnt of a day does not depend on how far it has
 * read since, so reading on is the same as beginning anew, only faster. With weather it does so twice, once without looking at
 * it: the second model must be there when the weather is not.
 */
export class Trainer {
  readonly #learners = LEARNERS.map((settings) => new Learner(settings));
  readonly #past = new PastForecasts(LEARNERS.length + 1);
  readonly #weatherLearners: Learner[] = [];
  readonly #weatherPast = new PastForecasts(LEARNERS.length + 1 + WEATHER_LEARNERS.length);
  readonly #countries: readonly Country[];
  /** Weather features of the newest origins, and of those about to leave a learner's window. */
  readonly #weatherAt = new Map<number, OriginWeather>();
  /** First origin (day number) at which past forecasts are made; the earlier days are only learnt from. */
  readonly measureFrom: number;
  #fits: Fit[] | undefined;
  #weatherFits: { leads: number; fits: Fit[] } = { leads: 0, fits: [] };
  #days: MarketDays | undefined;
  #book = ForecastIssueSet.empty;
  #readTo: number | undefined;

  /** `countries`: those whose weather is learnt from; none: the weather is not looked at. */
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

  /** True when `days` and `book` begin with what has been read. */
  canReadOn(days: MarketDays, { book, countries }: TrainingWeather): boolean {
    if (countries.join() !== this.#countries.join()) return false;
    if (this.#days === undefined) return true;
    if (days.last < this.#readTo! || !this.#days.agreesWith(days)) return false;
    return countries.length === 0 || this.#book.agreesWith(book, originInstantMs(this.#readTo!));
  }

  /** Reads on to the end of `days`. */
  read(days: MarketDays, book: ForecastIssueSet, onDay: (day: number) => void = () => {}): void {
    const from = this.#readTo === undefined ? days.first : this.#readTo + 1;
    this.#days = days;
    this.#book = book;
    for (let day = from; day <= days.last; day++) {
      this.#readDay(days, day);
      this.#readTo = day;
      onDay(day);
    }
  }

  #weatherOf(origin: number): OriginWeather {
    let weather = this.#weatherAt.get(origin);
    if (weather === undefined) {
      weather = originWeather(this.#book, this.#countries, origin, originInstantMs(origin));
      this.#weatherAt.set(origin, weather);
      // A week of origins at each end of a window, and a few to spare.
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
    this.#tell(days, day);
  }

  #tell(days: MarketDays, origin: number): void {
    const said = (learner: Learner, fit: Fit) =>
      predict(learner.settings, fit, learner.inputsAt(days, origin));
    const predictions = this.#learners.map((learner, index) => said(learner, this.#fits![index]!));
    predictions.push(exponentialMean(days, origin));
    const { spread } = unitsOf(days, origin, SPREAD_DAYS);
    this.#past.tell(origin, predictions, { spread, leads: LEADS });
    const { leads, fits } = this.#weatherFits;
    if (leads === 0) return;
    const weathered = this.#weatherLearners.map((learner, index) =>
      said(learner, fits[index]!).fill(Number.NaN, leads * 24),
    );
    this.#weatherPast.tell(origin, [...predictions, ...weathered], { spread, leads });
  }

  /** The first leads whose learners have each read so many days with weather: the nearer the day, the more is known of it. */
  #weatherLeads(least: number): number {
    for (let lead = 1; lead <= LEADS; lead++)
      if (!this.#weatherLearners.every((learner) => learner.rows(lead) >= least)) return lead - 1;
    return this.#weatherLearners.length === 0 ? 0 : LEADS;
  }

  /** What has been learnt, fitted to all that has been read; undefined while that is too little. */
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
