import { BAND_CELLS } from "./error-bands.js";
import { CELLS, FEATURES, LEADS, WEATHER_FEATURES } from "./features.js";
import { COUNTRIES, type Country } from "./forecast-issue-set.js";
import { MODEL_VERSIONS } from "./model.js";
import type { TrainedModel, TrainedTier, TrainedWeather } from "./trainer.js";

/** Stored form of a tier of the model: coefficients as base64 of little-endian 32-bit floats. */
interface TierDocument {
  modelVersion: string;
  coefficients: string;
  below: number[];
  above: number[];
}

/** A trained price model as a JSON value, about 0.1 MB; its content is internal to a version of the model. */
export interface PriceModel extends TierDocument {
  version: 2;
  trainedTo: number;
  knownDays: number;
  least: number;
  most: number;
  weather?: WeatherDocument;
}

interface WeatherDocument extends TierDocument {
  countries: Country[];
  days: number;
  leads: number;
}

/** The model as a JSON value. */
export function writeModel({
  trainedTo,
  knownDays,
  least,
  most,
  weather,
  ...tier
}: TrainedModel): PriceModel {
  return {
    version: 2,
    trainedTo,
    knownDays,
    least,
    most,
    ...writeTier(tier, MODEL_VERSIONS.ridge),
    ...(weather === undefined ? {} : { weather: writeWeather(weather) }),
  };
}

function writeWeather({ countries, days, leads, ...tier }: TrainedWeather): WeatherDocument {
  return { countries, days, leads, ...writeTier(tier, MODEL_VERSIONS.weather_ridge) };
}

function writeTier({ coefficients, band }: TrainedTier, modelVersion: string): TierDocument {
  const bytes = Buffer.alloc(coefficients.length * 4);
  coefficients.forEach((value, index) => {
    bytes.writeFloatLE(value, index * 4);
  });
  const { below, above } = band;
  return { modelVersion, coefficients: bytes.toString("base64"), below: [...below], above: [...above] };
}

/**
 * Reads a model written by `writeModel` of this version; an unreadable weather part is dropped. Undefined for anything else,
 * also for the models of former versions, which are trained again.
 */
export function readModel(document: unknown): TrainedModel | undefined {
  const { version, trainedTo, knownDays, least, most, weather, ...rest } = membersOf(document);
  if (version !== 2 || !isInteger(trainedTo) || !isInteger(knownDays)) return undefined;
  if (!isNumber(least) || !isNumber(most)) return undefined;
  const tier = readTier(rest, MODEL_VERSIONS.ridge, FEATURES);
  const withWeather = readWeather(weather);
  return tier && { trainedTo, knownDays, least, most, ...tier, ...(withWeather && { weather: withWeather }) };
}

function readWeather(document: unknown): TrainedWeather | undefined {
  const { countries, days, leads, ...rest } = membersOf(document);
  if (!Array.isArray(countries) || countries.length === 0 || !isInteger(days)) return undefined;
  if (!countries.every((one): one is Country => COUNTRIES.includes(one))) return undefined;
  if (!isInteger(leads) || leads < 1 || leads > LEADS) return undefined;
  const width = FEATURES + countries.length * WEATHER_FEATURES;
  const tier = readTier(rest, MODEL_VERSIONS.weather_ridge, width);
  return tier && { countries, days, leads, ...tier };
}

function readTier(
  { modelVersion, coefficients, below, above }: Record<string, unknown>,
  expectedVersion: string,
  width: number,
): TrainedTier | undefined {
  if (modelVersion !== expectedVersion || typeof coefficients !== "string") return undefined;
  if (!isNumbers(below, BAND_CELLS) || !isNumbers(above, BAND_CELLS)) return undefined;
  const bytes = Buffer.from(coefficients, "base64");
  if (bytes.length !== CELLS * (width + 1) * 4) return undefined;
  const read = Float32Array.from({ length: bytes.length / 4 }, (_, index) => bytes.readFloatLE(index * 4));
  if (!read.every((value) => Number.isFinite(value))) return undefined;
  const band = { below: Float64Array.from(below), above: Float64Array.from(above) };
  return { coefficients: read, band };
}

function membersOf(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}

function isNumber(value: unknown): value is number {
  return Number.isFinite(value);
}

function isInteger(value: unknown): value is number {
  return Number.isInteger(value);
}

function isNumbers(value: unknown, length: number): value is number[] {
  return Array.isArray(value) && value.length === length && value.every(isNumber);
}
