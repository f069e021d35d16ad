import {
  DAY_FEATURES,
  firstOrigin,
  HOURLY_FEATURES,
  LEADS,
  type OriginFeatures,
  originFeatures,
} from "./features.js";
import type { MarketDays } from "./market-days.js";
import { NormalEquations } from "./normal-equations.js";
import { type OriginWeather, WEATHER_FEATURES } from "./origin-weather.js";
import { fromUnits, toUnits, type UnitSpan } from "./price-units.js";
import { profileFeatures, profileWidth } from "./profile-features.js";

/** One regression model of the blend. */
export interface LearnerSettings {
  /** `hourly`: one ridge per local hour and lead day. `profile`: one ridge per lead day on random waves, for all hours. */
  kind: "hourly" | "profile";
  units: UnitSpan;
  /** Half-life of the row weights, days; undefined: equal weights. */
  halfLifeDays?: number;
  /** Maximum age of rows, days. */
  windowDays?: number;
  /** By lead. */
  penalties: readonly number[];
}

/** Members of the blend besides the exponential mean; see docs/forecast.md for their selection. */
export const LEARNERS: readonly LearnerSettings[] = [
  { kind: "profile", units: 45, halfLifeDays: 700, penalties: [1, 1, 1, 1, 1, 1, 1] },
  { kind: "profile", units: 365, halfLifeDays: 700, penalties: [1, 1, 1, 1, 1, 1, 1] },
  { kind: "hourly", units: 90, halfLifeDays: 700, penalties: [0.04, 0.3, 0.3, 0.3, 0.3, 0.3, 0.3] },
  { kind: "hourly", units: "fixed", windowDays: 730, penalties: [0.15, 0.15, 0.15, 0.15, 0.15, 0.15, 0.15] },
];

/** Members that use weather; added to the others for hours with known weather. */
export const WEATHER_LEARNERS: readonly LearnerSettings[] = [
  { kind: "hourly", units: 90, halfLifeDays: 700, penalties: [0.03, 0.04, 0.04, 0.04, 0.04, 0.04, 0.04] },
  {
    kind: "hourly",
    units: "fixed",
    halfLifeDays: 700,
    penalties: [0.03, 0.04, 0.04, 0.04, 0.04, 0.04, 0.04],
  },
  { kind: "profile", units: 365, halfLifeDays: 700, penalties: [0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5] },
];

const HOURLY_WIDTH = HOURLY_FEATURES + DAY_FEATURES;

/** Intercept and coefficients of a learner, by lead and hour, and the range of its targets. */
export interface Fit {
  coefficients: Float32Array;
  least: number;
  most: number;
}

/** Number of coefficients of one hour and lead, with the intercept; `countries`: number of countries with weather. */
export function widthOf({ kind }: LearnerSettings, countries = 0): number {
  return kind === "hourly" ? 1 + HOURLY_WIDTH + countries * WEATHER_FEATURES : 1 + profileWidth(countries);
}

/** Inputs of a learner at an origin. */
export interface LearnerInputs {
  features: OriginFeatures;
  profile: Float64Array | undefined;
  /** For learners that use weather. */
  weather: OriginWeather | undefined;
}

export function learnerInputs(
  settings: LearnerSettings,
  days: MarketDays,
  origin: number,
  given: { weather?: OriginWeather | undefined; features?: OriginFeatures | undefined } = {},
): LearnerInputs {
  const { weather, features = originFeatures(days, origin, settings.units) } = given;
  return {
    features,
    profile: settings.kind === "profile" ? profileFeatures(features, weather) : undefined,
    weather,
  };
}

/**
 * Prices, EUR/MWh, [lead - 1][hour], predicted by a fit from an origin's inputs; NaN where required weather is unknown.
 */
export function predict(settings: LearnerSettings, fit: Fit, inputs: LearnerInputs): Float64Array {
  const width = widthOf(settings, inputs.weather?.countries);
  const made = new Float64Array(LEADS * 24);
  const row = new Float64Array(width - 1);
  for (let lead = 0; lead < LEADS; lead++) {
    for (let hour = 0; hour < 24; hour++) {
      if (settings.kind === "hourly" || hour === 0) rowOf(inputs, lead, hour, row);
      const base = (lead * 24 + hour) * width;
      let z = fit.coefficients[base]!;
      for (let index = 0; index < row.length; index++) z += fit.coefficients[base + 1 + index]! * row[index]!;
      // sinh amplifies large errors: limited to the observed range.
      z = Math.max(fit.least, Math.min(fit.most, z));
      const known = inputs.weather === undefined || inputs.weather.complete[lead * 24 + hour] === 1;
      made[lead * 24 + hour] = known ? fromUnits(z, inputs.features.units) : Number.NaN;
    }
  }
  return made;
}

function rowOf(
  { features, profile, weather }: LearnerInputs,
  lead: number,
  hour: number,
  row: Float64Array,
): void {
  if (profile !== undefined) {
    row.set(profile.subarray(lead * row.length, (lead + 1) * row.length));
    return;
  }
  const from = (lead * 24 + hour) * HOURLY_FEATURES;
  row.set(features.hourly.subarray(from, from + HOURLY_FEATURES));
  row.set(features.daily.subarray(lead * DAY_FEATURES, (lead + 1) * DAY_FEATURES), HOURLY_FEATURES);
  if (weather === undefined) return;
  const width = weather.countries * WEATHER_FEATURES;
  const at = (lead * 24 + hour) * width;
  row.set(weather.values.subarray(at, at + width), HOURLY_WIDTH);
}

/** True if all data for learning the hours of a lead day are known. */
function wholeDay({ weather }: LearnerInputs, lead: number): boolean {
  return (
    weather === undefined || weather.complete.subarray(lead * 24, (lead + 1) * 24).every((one) => one === 1)
  );
}

/** Additional inputs of a learner that uses weather. */
export interface LearnerWeather {
  /** Number of countries with weather. */
  countries: number;
  /** The weather forecast at an origin (day number). */
  at: (origin: number) => OriginWeather;
  /** Learners without weather; the features of one with the same units are reused. */
  others: readonly Learner[];
}

/** A learner that reads the days in order and can be fitted after each of them. */
export class Learner {
  readonly settings: LearnerSettings;
  readonly #equations: NormalEquations[];
  /** Inputs of the newest origins and of those about to leave the window. */
  readonly #inputs = new Map<number, LearnerInputs>();
  readonly #row: Float64Array;
  readonly #targets: Float64Array;
  #least = Infinity;
  #most = -Infinity;
  readonly #rows = new Array<number>(LEADS).fill(0);
  readonly #weather: LearnerWeather | undefined;
  readonly #lender: Learner | undefined;
  readonly #width: number;

  /** `weather`: for a learner that uses it. */
  constructor(settings: LearnerSettings, weather?: LearnerWeather) {
    this.settings = settings;
    this.#weather = weather;
    this.#lender = weather?.others.find((other) => other.settings.units === settings.units);
    this.#width = widthOf(settings, weather?.countries);
    const width = this.#width - 1;
    const hourly = settings.kind === "hourly";
    this.#equations = Array.from(
      { length: hourly ? LEADS * 24 : LEADS },
      () => new NormalEquations(width, hourly ? 1 : 24),
    );
    this.#row = new Float64Array(width);
    this.#targets = new Float64Array(hourly ? 1 : 24);
  }

  /** Number of days learnt from, by lead (1 to 7), including those that have left the window. */
  rows(lead: number): number {
    return this.#rows[lead - 1]!;
  }

  inputsAt(days: MarketDays, origin: number): LearnerInputs {
    let inputs = this.#inputs.get(origin);
    if (inputs === undefined) {
      const features = this.#lender?.inputsAt(days, origin).features;
      inputs = learnerInputs(this.settings, days, origin, { weather: this.#weather?.at(origin), features });
      this.#inputs.set(origin, inputs);
    }
    return inputs;
  }

  /** Learns from a day whose prices have become known, as the target of seven origins. Must be called in order of days. */
  read(days: MarketDays, day: number): void {
    const { halfLifeDays, windowDays } = this.settings;
    // Instead of reducing the weight of all older rows, each new row gets a larger weight.
    const weight = halfLifeDays === undefined ? 1 : 2 ** ((day - days.first) / halfLifeDays);
    this.#count(days, day, weight);
    const oldest = day - (windowDays ?? Infinity);
    if (oldest > days.first) this.#count(days, oldest, -1);
    for (const origin of this.#inputs.keys()) {
      const recent = origin > day - LEADS && origin <= day;
      const leaving = origin > oldest - LEADS && origin <= oldest;
      if (!recent && !leaving) this.#inputs.delete(origin);
    }
  }

  #count(days: MarketDays, day: number, weight: number): void {
    if (!days.known(day)) return;
    for (let lead = 0; lead < LEADS; lead++) {
      const origin = day - lead - 1;
      if (origin < firstOrigin(days)) continue;
      const inputs = this.inputsAt(days, origin);
      if (!wholeDay(inputs, lead)) continue;
      if (weight > 0) this.#rows[lead]!++;
      const { units } = inputs.features;
      for (let hour = 0; hour < 24; hour++) {
        const z = toUnits(days.price(day, hour), units);
        if (weight > 0) {
          this.#least = Math.min(this.#least, z);
          this.#most = Math.max(this.#most, z);
        }
        if (this.settings.kind === "profile") {
          this.#targets[hour] = z;
        } else {
          rowOf(inputs, lead, hour, this.#row);
          this.#targets[0] = z;
          this.#equations[lead * 24 + hour]!.add(this.#row, this.#targets, weight);
        }
      }
      if (this.settings.kind === "profile") {
        rowOf(inputs, lead, 0, this.#row);
        this.#equations[lead]!.add(this.#row, this.#targets, weight);
      }
    }
  }

  /** The fit to the days read up to `day`. */
  fit(days: MarketDays, day: number): Fit {
    const { kind, penalties, halfLifeDays } = this.settings;
    const coefficients = new Float32Array(LEADS * 24 * this.#width);
    let at = 0;
    const newestWeight = halfLifeDays === undefined ? 1 : 2 ** ((day - days.first) / halfLifeDays);
    this.#equations.forEach((equations, index) => {
      const lead = kind === "hourly" ? Math.floor(index / 24) : index;
      const penalty = penalties[lead]!;
      if (this.#rows[lead] === 0) {
        at += equations.outputs * (equations.features + 1);
        return;
      }
      const solution =
        kind === "hourly" ? equations.ridge(penalty) : equations.plainRidge(penalty * newestWeight);
      coefficients.set(solution, at);
      at += solution.length;
    });
    return { coefficients, least: this.#least, most: this.#most };
  }
}
