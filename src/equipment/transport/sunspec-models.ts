import { readFileSync } from "node:fs";
import { shippedPath } from "../../core/installation.js";

type PointData = readonly [
  offset: number,
  words: number,
  type: string,
  factor?: string | number | null,
  unit?: string,
];

export interface GroupData {
  name: string;
  /** Instances: a number, 0 for what fills the model, or the point with the number. */
  count: number | string;
  points: Readonly<Record<string, PointData>>;
  length: number;
}

export interface ModelData {
  name: string;
  points: Readonly<Record<string, PointData>>;
  /** With ID and length, without groups. */
  length: number;
  groups?: readonly GroupData[];
}

let models: Readonly<Record<string, ModelData>> | undefined;

/** A model of SunSpec, from the file that is shipped; undefined for one that hourgate does not read. */
export function sunSpecModel(id: number): ModelData | undefined {
  models ??= JSON.parse(readFileSync(shippedPath("config/sunspec/models.json"), "utf8")) as Readonly<
    Record<string, ModelData>
  >;
  return models[String(id)];
}
