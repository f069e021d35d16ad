import { seededRandom } from "../simulation/random.js";
import { DAY_FEATURES, HOURLY_FEATURES, LEADS, type OriginFeatures, PROFILE_FEATURES } from "./features.js";
import { type OriginWeather, SUMMARY_FEATURES } from "./origin-weather.js";

/** Hours whose features represent the whole day. */
const HOURS = [2, 6, 9, 13, 17, 20];
const INPUTS = HOURS.length * PROFILE_FEATURES + DAY_FEATURES;
const WAVES = 200;
/** With weather, whose effect is nearly linear, fewer are sufficient. */
const WEATHER_WAVES = 100;
/** Width of the approximated kernel exp(-GAMMA * squared distance / INPUTS). */
const GAMMA = 0.3;
/** Limit of the inputs, in deviations: extreme prices must stay within the range of the waves. */
const FURTHEST = 5;
const SEED = 20_170_922;

/** Width of a row; `countries`: number of countries with weather. */
export function profileWidth(countries: number): number {
  return waveCount(countries) + inputCount(countries);
}

function inputCount(countries: number): number {
  return INPUTS + countries * SUMMARY_FEATURES;
}

function waveCount(countries: number): number {
  return countries === 0 ? WAVES : WEATHER_WAVES;
}

/** Mean and deviation of hourly features in their units, and of each day feature, over 2022 to 2024. */
const HOURLY_DEVIATION = 0.93;
const DAY_MEANS = [
  0, 0, -0.9, 1, 0, 1.8, -0.3, -0.4, 0.3, -0.2, -0.5, 0, 0.65, 0.2, 0.25, 0, 0.13, 0.14, 0.14, 0.13, 0.14,
  0.14, 0.18, 0.02, 0.01, 0.01, 0.68, 0.14, 0.18, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0.32, 0.02, 0.03, 0.04,
];
const DAY_DEVIATIONS = [
  0.76, 0.82, 0.89, 0.8, 0.75, 0.5, 0.77, 0.74, 0.92, 0.94, 1, 0.98, 0.86, 0.82, 0.64, 0.74, 0.34, 0.35, 0.34,
  0.34, 0.35, 0.35, 0.38, 0.15, 0.11, 0.08, 0.46, 0.35, 0.38, 0.69, 0.72, 0.27, 0.26, 0.31, 0.29, 0.27, 0.26,
  0.41, 0.39, 0.47, 0.14, 0.18, 0.19,
];

interface Waves {
  /** [wave][input] */
  frequencies: Float64Array;
  phases: Float64Array;
}

/** By number of countries with weather. */
const drawn = new Map<number, Waves>();

/** The waves are drawn from a seed, so that they are equal in every process. */
function wavesOf(countries: number): Waves {
  let waves = drawn.get(countries);
  if (waves !== undefined) return waves;
  const inputs = inputCount(countries);
  const count = waveCount(countries);
  const random = seededRandom(SEED);
  const scale = Math.sqrt((2 * GAMMA) / inputs);
  waves = {
    frequencies: Float64Array.from({ length: count * inputs }, () => scale * random.normal()),
    phases: Float64Array.from({ length: count }, () => 2 * Math.PI * random.uniform()),
  };
  drawn.set(countries, waves);
  return waves;
}

/**
 * Features of a whole target day for a nonlinear model: random waves of the standardised inputs, with which a ridge regression
 * approximates one with a Gaussian kernel (Rahimi and Recht 2007, "Random features for large-scale kernel machines"), and the
 * inputs themselves. [lead - 1][profileWidth].
 */
export function profileFeatures({ hourly, daily }: OriginFeatures, weather?: OriginWeather): Float64Array {
  const countries = weather?.countries ?? 0;
  const count = inputCount(countries);
  const width = profileWidth(countries);
  const { frequencies, phases } = wavesOf(countries);
  const waves = phases.length;
  const made = new Float64Array(LEADS * width);
  const inputs = new Float64Array(count);
  for (let lead = 0; lead < LEADS; lead++) {
    let next = 0;
    for (const hour of HOURS) {
      const from = (lead * 24 + hour) * HOURLY_FEATURES;
      for (let feature = 0; feature < PROFILE_FEATURES; feature++)
        inputs[next++] = bounded(hourly[from + feature]! / HOURLY_DEVIATION);
    }
    for (let feature = 0; feature < DAY_FEATURES; feature++) {
      const value = daily[lead * DAY_FEATURES + feature]! - DAY_MEANS[feature]!;
      inputs[next++] = bounded(value / Math.max(0.05, DAY_DEVIATIONS[feature]!));
    }
    const summary = weather?.summary.subarray(lead * (count - INPUTS), (lead + 1) * (count - INPUTS)) ?? [];
    for (const value of summary) inputs[next++] = bounded(value);
    const base = lead * width;
    for (let wave = 0; wave < waves; wave++) {
      let angle = phases[wave]!;
      const from = wave * count;
      for (let input = 0; input < count; input++) angle += frequencies[from + input]! * inputs[input]!;
      made[base + wave] = Math.sqrt(2 / waves) * Math.cos(angle);
    }
    for (let input = 0; input < count; input++)
      made[base + waves + input] = inputs[input]! / Math.sqrt(count);
  }
  return made;
}

function bounded(value: number): number {
  return Math.max(-FURTHEST, Math.min(FURTHEST, value));
}
