import { LEADS } from "./features.js";
import { BLOCKS } from "./intervals.js";
import { type Fit, LEARNERS, widthOf } from "./learner.js";
import { MODEL_VERSIONS } from "./model.js";
import type { TrainedModel } from "./trained-model.js";

/** A trained model as it is kept on disk: JSON, coefficients as base64 of little-endian 32-bit floats; about 2 MB. */
interface ModelDocument {
  version: 1;
  modelVersion: string;
  trainedTo: number;
  knownDays: number;
  fits: { coefficients: string; least: number; most: number }[];
  weights: number[][];
  below: number[];
  above: number[];
}

/** The model as a JSON value. */
export function writeModel(model: TrainedModel): ModelDocument {
  const { trainedTo, knownDays, fits, weights, reach } = model;
  return {
    version: 1,
    modelVersion: MODEL_VERSIONS.ridge,
    trainedTo,
    knownDays,
    fits: fits.map(({ coefficients, least, most }) => ({ coefficients: encode(coefficients), least, most })),
    weights,
    below: [...reach.below],
    above: [...reach.above],
  };
}

/** The model that `writeModel` wrote in this version; undefined for anything else. */
export function readModel(document: unknown): TrainedModel | undefined {
  if (!isModel(document)) return undefined;
  const { trainedTo, knownDays, weights, below, above } = document;
  const fits: Fit[] = [];
  for (const [index, { coefficients, least, most }] of document.fits.entries()) {
    const numbers = decode(coefficients);
    if (numbers.length !== LEADS * 24 * widthOf(LEARNERS[index]!)) return undefined;
    if (!numbers.every((value) => Number.isFinite(value))) return undefined;
    fits.push({ coefficients: numbers, least, most });
  }
  const reach = { below: Float64Array.from(below), above: Float64Array.from(above) };
  return { trainedTo, knownDays, fits, weights, reach };
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
    Array.isArray(model.fits) &&
    model.fits.length === LEARNERS.length &&
    model.fits.every(isFit) &&
    Array.isArray(model.weights) &&
    model.weights.length === LEADS &&
    model.weights.every((row) => isNumbers(row, LEARNERS.length + 1)) &&
    isNumbers(model.below, LEADS * BLOCKS) &&
    isNumbers(model.above, LEADS * BLOCKS)
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
