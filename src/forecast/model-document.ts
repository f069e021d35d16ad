import { LEADS } from "./features.js";
import { COUNTRIES, type Country } from "./forecast-issue-set.js";
import { BLOCKS } from "./intervals.js";
import { type Fit, LEARNERS, type LearnerSettings, WEATHER_LEARNERS, widthOf } from "./learner.js";
import { MODEL_VERSIONS } from "./model.js";
import type { TrainedModel, TrainedWeather } from "./trained-model.js";

/** Stored form of a trained model: JSON, coefficients as base64 of little-endian 32-bit floats; about 2 MB. */
interface ModelDocument extends TierDocument {
  version: 1;
  modelVersion: string;
  trainedTo: number;
  knownDays: number;
  weather?: WeatherDocument;
}

/** Common part of both tiers of the model. */
interface TierDocument {
  fits: { coefficients: string; least: number; most: number }[];
  weights: number[][];
  below: number[];
  above: number[];
}

interface WeatherDocument extends TierDocument {
  modelVersion: string;
  countries: Country[];
  days: number;
  leads: number;
}

/** The model as a JSON value. */
export function writeModel(model: TrainedModel): ModelDocument {
  const { trainedTo, knownDays, weather } = model;
  return {
    version: 1,
    modelVersion: MODEL_VERSIONS.ridge,
    trainedTo,
    knownDays,
    ...writeTier(model),
    ...(weather === undefined ? {} : { weather: writeWeather(weather) }),
  };
}

function writeWeather(weather: TrainedWeather): WeatherDocument {
  const { countries, days, leads } = weather;
  return { modelVersion: MODEL_VERSIONS.weather_ridge, countries, days, leads, ...writeTier(weather) };
}

function writeTier({ fits, weights, reach }: Pick<TrainedModel, "fits" | "weights" | "reach">): TierDocument {
  return {
    fits: fits.map(({ coefficients, least, most }) => ({ coefficients: encode(coefficients), least, most })),
    weights,
    below: [...reach.below],
    above: [...reach.above],
  };
}

/** Reads a model written by `writeModel` of this version; an unreadable weather part is dropped. Undefined for anything else. */
export function readModel(document: unknown): TrainedModel | undefined {
  if (!isModel(document)) return undefined;
  const { trainedTo, knownDays } = document;
  const tier = readTier(document, LEARNERS, 0);
  if (tier === undefined) return undefined;
  const weather = readWeather(document.weather);
  return { trainedTo, knownDays, ...tier, ...(weather === undefined ? {} : { weather }) };
}

function readWeather(document: unknown): TrainedWeather | undefined {
  if (!isWeather(document)) return undefined;
  const { countries, days, leads } = document;
  const tier = readTier(document, WEATHER_LEARNERS, countries.length);
  return tier && { countries, days, leads, ...tier };
}

function readTier(
  { fits, weights, below, above }: TierDocument,
  learners: readonly LearnerSettings[],
  countries: number,
): Pick<TrainedModel, "fits" | "weights" | "reach"> | undefined {
  const read: Fit[] = [];
  for (const [index, { coefficients, least, most }] of fits.entries()) {
    const numbers = decode(coefficients);
    if (numbers.length !== LEADS * 24 * widthOf(learners[index]!, countries)) return undefined;
    if (!numbers.every((value) => Number.isFinite(value))) return undefined;
    read.push({ coefficients: numbers, least, most });
  }
  return { fits: read, weights, reach: { below: Float64Array.from(below), above: Float64Array.from(above) } };
}

function isModel(value: unknown): value is ModelDocument {
  const model = value as Partial<Record<keyof ModelDocument, unknown>> | null | undefined;
  return (
    typeof model === "object" &&
    model !== null &&
    model.version === 1 &&
    model.modelVersion === MODEL_VERSIONS.ridge &&
    Number.isInteger(model.trainedTo) &&
    Number.isInteger(model.knownDays) &&
    isTier(model, LEARNERS.length, LEARNERS.length + 1)
  );
}

function isWeather(value: unknown): value is WeatherDocument {
  const weather = value as Partial<Record<keyof WeatherDocument, unknown>> | null | undefined;
  return (
    typeof weather === "object" &&
    weather !== null &&
    weather.modelVersion === MODEL_VERSIONS.weather_ridge &&
    Array.isArray(weather.countries) &&
    weather.countries.length > 0 &&
    weather.countries.every((one) => COUNTRIES.includes(one)) &&
    Number.isInteger(weather.days) &&
    typeof weather.leads === "number" &&
    weather.leads >= 1 &&
    weather.leads <= LEADS &&
    isTier(weather, WEATHER_LEARNERS.length, LEARNERS.length + 1 + WEATHER_LEARNERS.length)
  );
}

function isTier(
  tier: Partial<Record<keyof TierDocument, unknown>>,
  learners: number,
  members: number,
): boolean {
  return (
    Array.isArray(tier.fits) &&
    tier.fits.length === learners &&
    tier.fits.every(isFit) &&
    Array.isArray(tier.weights) &&
    tier.weights.length === LEADS &&
    tier.weights.every((row) => isNumbers(row, members)) &&
    isNumbers(tier.below, LEADS * BLOCKS) &&
    isNumbers(tier.above, LEADS * BLOCKS)
  );
}

function isFit(value: unknown): boolean {
  const fit = value as Partial<Record<"coefficients" | "least" | "most", unknown>> | null;
  return (
    typeof fit === "object" &&
    fit !== null &&
    typeof fit.coefficients === "string" &&
    Number.isFinite(fit.least) &&
    Number.isFinite(fit.most)
  );
}

function isNumbers(value: unknown, length: number): boolean {
  return Array.isArray(value) && value.length === length && value.every((one) => Number.isFinite(one));
}

function encode(numbers: Float32Array): string {
  const bytes = Buffer.alloc(numbers.length * 4);
  for (let index = 0; index < numbers.length; index++) bytes.writeFloatLE(numbers[index]!, index * 4);
  return bytes.toString("base64");
}

function decode(text: string): Float32Array {
  const bytes = Buffer.from(text, "base64");
  return Float32Array.from({ length: bytes.length >> 2 }, (_, index) => bytes.readFloatLE(index * 4));
}
