import { BlendWeights, blend } from "./blend.js";
import { exponentialMean } from "./exponential-mean.js";
import { firstOrigin, LEADS } from "./features.js";
import { IntervalKeeper, type Reach } from "./intervals.js";
import { type Fit, LEARNERS, Learner, predict } from "./learner.js";
import type { MarketDays } from "./market-days.js";
import { unitsOf } from "./price-units.js";
import type { TrainedModel } from "./trained-model.js";

/** Days that a learner must have read before it is fitted at all. */
const LEAST_ROWS = 60;
/** On the way, learners are fitted anew on days of the calendar whose number this divides: it costs more than a month's rows. */
const REFIT_DAYS = 28;
/** Errors are counted in the spread of the prices of so many days before their origin. */
export const SPREAD_DAYS = 90;

/** What was said at an origin, until all of it has come true. */
interface Told {
  /** By member: [lead - 1][hour]. */
  predictions: Float64Array[];
  blended: Float64Array;
  spread: number;
  reach: Reach | undefined;
}

/**
 * Reads the market day by day, and at each day says what it would have forecast, with nothing known that came later: that
 * is how it learns the blend's weights and how wrong it is. What it has learnt of a day does not depend on how far it has
 * read since, so reading on is the same as beginning anew, only faster.
 */
export class Trainer {
  readonly #learners = LEARNERS.map((settings) => new Learner(settings));
  readonly #weights = Array.from({ length: LEADS }, () => new BlendWeights(LEARNERS.length + 1));
  readonly #intervals = new IntervalKeeper();
  readonly #told = new Map<number, Told>();
  /** First origin (day number) at which past forecasts are made; the earlier days are only learnt from. */
  readonly measureFrom: number;
  #fits: Fit[] | undefined;
  #days: MarketDays | undefined;
  #readTo: number | undefined;

  constructor(measureFrom: number) {
    this.measureFrom = measureFrom;
  }

  /** Last day read. */
  get readTo(): number | undefined {
    return this.#readTo;
  }

  /** True when `days` begins with what has been read. */
  canReadOn(days: MarketDays): boolean {
    return this.#days === undefined || (days.last >= this.#readTo! && this.#days.agreesWith(days));
  }

  /** Reads on to the end of `days`. */
  read(days: MarketDays, onDay: (day: number) => void = () => {}): void {
    const from = this.#readTo === undefined ? days.first : this.#readTo + 1;
    this.#days = days;
    for (let day = from; day <= days.last; day++) {
      this.#readDay(days, day);
      this.#readTo = day;
      onDay(day);
    }
  }

  #readDay(days: MarketDays, day: number): void {
    this.#mature(days, day);
    for (const learner of this.#learners) learner.read(days, day);
    if (day < this.measureFrom || day < firstOrigin(days)) return;
    if (this.#learners[0]!.rows < LEAST_ROWS) return;
    if (this.#fits === undefined || day % REFIT_DAYS === 0) this.#fits = this.#fitted(days, day);
    this.#tell(days, day);
  }

  #fitted(days: MarketDays, day: number): Fit[] {
    return this.#learners.map((learner) => learner.fit(days, day));
  }

  #tell(days: MarketDays, origin: number): void {
    const predictions = this.#learners.map((learner, index) =>
      predict(learner.settings, this.#fits![index]!, learner.inputsAt(days, origin)),
    );
    predictions.push(exponentialMean(days, origin));
    const weights = this.#weights.map((one) => one.weights());
    this.#told.set(origin, {
      predictions,
      blended: blend(predictions, (index) => weights[Math.floor(index / 24)]!),
      spread: unitsOf(days, origin, SPREAD_DAYS).spread,
      reach: this.#intervals.reach(),
    });
  }

  /** Holds what was said of a day against what came. */
  #mature(days: MarketDays, day: number): void {
    for (let lead = 1; lead <= LEADS; lead++) {
      const told = this.#told.get(day - lead);
      if (told === undefined || !days.known(day)) continue;
      const base = (lead - 1) * 24;
      const errors = told.predictions.map((prediction) => {
        let sum = 0;
        for (let hour = 0; hour < 24; hour++)
          sum += Math.abs(days.price(day, hour) - prediction[base + hour]!);
        return sum / 24;
      });
      this.#weights[lead - 1]!.matured(errors);
      const spreads = Array.from(
        { length: 24 },
        (_, hour) => (days.price(day, hour) - told.blended[base + hour]!) / told.spread,
      );
      this.#intervals.matured(lead, spreads, told.reach);
    }
    this.#told.delete(day - LEADS);
  }

  /** What has been learnt, fitted to all that has been read; undefined while that is too little. */
  model(): TrainedModel | undefined {
    const reach = this.#intervals.reach();
    if (this.#fits === undefined || this.#readTo === undefined || reach === undefined) return undefined;
    return {
      trainedTo: this.#readTo,
      knownDays: this.#days!.knownDays,
      fits: this.#fitted(this.#days!, this.#readTo),
      weights: this.#weights.map((one) => one.weights()),
      reach,
    };
  }
}
