import { type BandWidths, ErrorBands, noForecast } from "./error-bands.js";
import {
  CELLS,
  DAILY_FEATURES,
  FEATURES,
  firstOrigin,
  LEADS,
  type OriginInputs,
  originInputs,
  WEATHER_FEATURES,
} from "./features.js";
import { type Country, ForecastIssueSet } from "./forecast-issue-set.js";
import type { MarketDays } from "./market-days.js";
import { NormalEquations } from "./normal-equations.js";
import { originInstantMs, originWeather } from "./origin-weather.js";
import { fromUnits, toUnits } from "./price-units.js";

/** Half-life of the weight of past days. */
const HALF_LIFE_DAYS = 500;
/** Penalties of the regressions of the first lead and of the others. */
const PENALTIES = [0.06, 0.2] as const;
const WEATHER_PENALTIES = [0.06, 0.1] as const;
/** Minimum number of days before the first fit. */
const LEAST_DAYS = 60;
/** Minimum number of days with issued weather of a lead: slightly more than half a year. */
const LEAST_WEATHER_DAYS = 200;
/** For the errors of the past the model is fitted on day numbers divisible by this. */
const REFIT_DAYS = 56;

/** A trained tier of the model: 168 regressions and the band around them. */
export interface TrainedTier {
  /** [lead - 1][hour]: intercept and coefficients of the leading features of a row. */
  coefficients: Float32Array;
  band: BandWidths;
}

/** A trained model: everything a forecast needs besides the prices. */
export interface TrainedModel extends TrainedTier {
  /** Day number of the newest day learnt from. */
  trainedTo: number;
  /** Number of days learnt from. */
  knownDays: number;
  /** Range of the targets, in units: sinh amplifies large errors, so predictions are limited to it. */
  least: number;
  most: number;
  /** The tier with weather; undefined with too few days of issued weather. */
  weather?: TrainedWeather;
}

export interface TrainedWeather extends TrainedTier {
  countries: Country[];
  /** Number of days with weather that lead 1 was trained with. */
  days: number;
  /** Number of trained leads, from the first on. */
  leads: number;
}

/** Weather for a training: all issues, and the countries with enough of them. */
export interface TrainingWeather {
  issues: ForecastIssueSet;
  countries: readonly Country[];
}

/** Prices, EUR/MWh, [lead - 1][hour], predicted by a tier from an origin's inputs. */
export function predict(
  coefficients: Float32Array,
  { units, daily, hourly, width }: OriginInputs,
  { least, most }: Pick<TrainedModel, "least" | "most">,
): Float64Array {
  const count = coefficients.length / CELLS;
  return new Float64Array(CELLS).map((_, cell) => {
    const base = cell * count;
    const first = daily[Math.floor(cell / 24)]!;
    let z = coefficients[base]!;
    for (let index = 0; index < DAILY_FEATURES; index++) z += coefficients[base + 1 + index]! * first[index]!;
    for (let index = 0; index < count - 1 - DAILY_FEATURES; index++)
      z += coefficients[base + 1 + DAILY_FEATURES + index]! * hourly[cell * width + index]!;
    return fromUnits(Math.max(least, Math.min(most, z)), units);
  });
}

/**
 * One ridge regression per local hour and lead. Processes the market day by day and makes the forecast of each day with the
 * data known then, to learn the band from its errors. The result for a day does not depend on later days, so continuing
 * gives the same result as starting again. The regressions with weather use the sums of those without and the columns of
 * the weather.
 */
export class Trainer {
  readonly #equations: NormalEquations[];
  readonly #countries: readonly Country[];
  /** Inputs of the last seven origins. */
  readonly #inputs = new Map<number, OriginInputs>();
  readonly #bands = new ErrorBands();
  readonly #weatherBands = new ErrorBands();
  readonly #range = { least: Infinity, most: -Infinity };
  #learntDays = 0;
  /** Number of days with weather, by lead. */
  readonly #weatherDays = new Array<number>(LEADS).fill(0);
  /** First origin (day number) with past forecasts; earlier days are only used for learning. */
  readonly measureFrom: number;
  #fit: Float32Array | undefined;
  #weatherFit: Float32Array | undefined;
  #days: MarketDays | undefined;
  #issues = ForecastIssueSet.empty;
  #readTo: number | undefined;
  #model: TrainedModel | undefined;

  /** `countries`: those whose weather is used; empty: no weather. */
  constructor(measureFrom: number, countries: readonly Country[] = []) {
    this.measureFrom = measureFrom;
    this.#countries = countries;
    const width = FEATURES + countries.length * WEATHER_FEATURES;
    this.#equations = [];
    for (let cell = 0; cell < CELLS; cell++) {
      const of = this.#equations[cell - (cell % 24)];
      this.#equations.push(new NormalEquations(width, of && { count: DAILY_FEATURES, of }));
    }
  }

  /** True if `days` and `issues` begin with the data read before. */
  canReadOn(days: MarketDays, { issues, countries }: TrainingWeather): boolean {
    if (countries.join() !== this.#countries.join()) return false;
    if (this.#days === undefined) return true;
    if (days.last < this.#readTo! || !this.#days.agreesWith(days)) return false;
    return countries.length === 0 || this.#issues.agreesWith(issues, originInstantMs(this.#readTo!));
  }

  /** Continues to the end of `days`. */
  read(days: MarketDays, issues: ForecastIssueSet): void {
    const from = this.#readTo === undefined ? days.first : this.#readTo + 1;
    this.#days = days;
    this.#issues = issues;
    for (let day = from; day <= days.last; day++) {
      this.#readDay(days, day);
      this.#readTo = day;
      this.#model = undefined;
    }
  }

  #readDay(days: MarketDays, day: number): void {
    this.#bands.mature(days, day);
    this.#weatherBands.mature(days, day);
    if (days.known(day)) this.#learn(days, day);
    if (day < firstOrigin(days)) return;
    const inputs = this.#inputsAt(days, day);
    this.#inputs.set(day, inputs);
    this.#inputs.delete(day - LEADS);
    if (day < this.measureFrom || this.#learntDays < LEAST_DAYS) return;
    if (this.#fit === undefined || day % REFIT_DAYS === 0) {
      this.#fit = this.#fitted();
      this.#weatherFit = this.#weatherLeads(LEAST_DAYS) === 0 ? undefined : this.#fittedToWeather();
    }
    this.#bands.add(day, predict(this.#fit, inputs, this.#range));
    if (this.#weatherFit === undefined) return;
    const prices = predict(this.#weatherFit, inputs, this.#range);
    this.#weatherBands.add(
      day,
      noForecast().map((none, cell) => (inputs.withWeather![cell] === 1 ? prices[cell]! : none)),
    );
  }

  #inputsAt(days: MarketDays, origin: number): OriginInputs {
    if (this.#countries.length === 0) return originInputs(days, origin);
    const weather = originWeather(this.#issues, this.#countries, origin, originInstantMs(origin));
    return originInputs(days, origin, weather);
  }

  /** Learns from a day whose prices have become known, as the target of seven origins. */
  #learn(days: MarketDays, day: number): void {
    // Newer rows count more; only the ratio of the weights matters.
    const weight = 2 ** ((day - days.first) / HALF_LIFE_DAYS);
    let targets = 0;
    for (let lead = 1; lead <= LEADS; lead++) {
      const inputs = this.#inputs.get(day - lead);
      if (inputs === undefined) continue;
      targets++;
      const { units, daily, hourly, width, withWeather } = inputs;
      const firstCell = (lead - 1) * 24;
      for (let hour = 0; hour < 24; hour++) {
        const z = toUnits(days.price(day, hour), units);
        this.#range.least = Math.min(this.#range.least, z);
        this.#range.most = Math.max(this.#range.most, z);
        const cell = firstCell + hour;
        const row = { first: daily[lead - 1]!, others: hourly, from: cell * width };
        this.#equations[cell]!.add(row, z, weight);
      }
      if (withWeather?.subarray(firstCell, firstCell + 24).every((known) => known === 1))
        this.#weatherDays[lead - 1]!++;
    }
    if (targets === LEADS) this.#learntDays++;
  }

  /** Number of leads, from the first on, with so many days with weather. */
  #weatherLeads(least: number): number {
    const short = this.#weatherDays.findIndex((days) => days < least);
    return short === -1 ? LEADS : short;
  }

  #fitted(penalties: readonly [number, number] = PENALTIES, count = FEATURES): Float32Array {
    const coefficients = new Float32Array(CELLS * (count + 1));
    this.#equations.forEach((equations, cell) => {
      coefficients.set(equations.ridge(penalties[cell < 24 ? 0 : 1], count), cell * (count + 1));
    });
    return coefficients;
  }

  #fittedToWeather(): Float32Array {
    return this.#fitted(WEATHER_PENALTIES, this.#equations[0]!.features);
  }

  /** The model fitted to all data read; undefined if there are too few. */
  model(): TrainedModel | undefined {
    const band = this.#bands.widths();
    if (this.#model !== undefined || this.#readTo === undefined || band === undefined) return this.#model;
    const weather = this.#weatherModel();
    this.#model = {
      trainedTo: this.#readTo,
      knownDays: this.#days!.knownDays,
      ...this.#range,
      coefficients: this.#fitted(),
      band,
      ...(weather === undefined ? {} : { weather }),
    };
    return this.#model;
  }

  #weatherModel(): TrainedWeather | undefined {
    for (let leads = this.#weatherLeads(LEAST_WEATHER_DAYS); leads > 0; leads--) {
      const band = this.#weatherBands.widths(leads);
      if (band === undefined) continue;
      return {
        countries: [...this.#countries],
        days: this.#weatherDays[0]!,
        leads,
        coefficients: this.#fittedToWeather(),
        band,
      };
    }
    return undefined;
  }
}
