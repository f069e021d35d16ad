import { type GroupData, type ModelData, sunSpecModel } from "../transport/sunspec-models.js";
import type { RegisterType } from "./reading-schema.js";

/** The models of SunSpec, found in a device and read by the names of their points. */

/** A point with its place from the model's ID register. */
export interface SunSpecPoint {
  offset: number;
  words: number;
  type: RegisterType;
  /** Its accumulators say 0 where they are not implemented. */
  isAccumulator: boolean;
  /** Offset of the scale factor, or the factor itself. */
  scaleAt?: number;
  exponent?: number;
  unit: string;
}

/** A model in a device. */
export interface SunSpecModel {
  id: number;
  address: number;
  /** As the device states it, without ID and length. */
  length: number;
}

export const SUNSPEC_BASES: readonly number[] = [40_000, 50_000, 0];
export const SUNSPEC_MARKER: readonly number[] = [0x5375, 0x6e53];
/** ID of what follows the last model. */
export const SUNSPEC_END = 0xffff;

const TYPES: Readonly<Record<string, RegisterType>> = {
  int16: "i16",
  sunssf: "i16",
  uint16: "u16",
  enum16: "u16",
  count: "u16",
  acc16: "u16",
  bitfield16: "u16",
  int32: "i32",
  uint32: "u32",
  enum32: "u32",
  acc32: "u32",
  bitfield32: "u32",
  int64: "i64",
  uint64: "u64",
  acc64: "u64",
  bitfield64: "u64",
  float32: "f32",
  float64: "f64",
  string: "string",
};

/** The point of a model, in an instance of its group counted from 1; undefined: the device does not have it. */
export function pointOf(
  { id, length }: Pick<SunSpecModel, "id" | "length">,
  point: string,
  instance?: number,
): SunSpecPoint | undefined {
  const model = sunSpecModel(id);
  if (model === undefined) return undefined;
  // A group may have a point of the same name as the model, such as the power of each port beside the sum of all.
  const group = instance === undefined && point in model.points ? undefined : groupWith(model, point);
  const own = group === undefined ? model.points[point] : undefined;
  const data = own ?? group?.points[point];
  if (data === undefined) return undefined;
  const [offset, words, type, factor, unit = ""] = data;
  const start = group === undefined ? 0 : model.length + ((instance ?? 1) - 1) * group.length;
  const end = start + offset + words;
  // A device may have an older, shorter form of a model.
  if (end > length + 2 || (instance !== undefined && instance < 1)) return undefined;
  const scale =
    typeof factor === "number"
      ? { exponent: factor }
      : typeof factor === "string"
        ? scaleOf(model, group, factor, start)
        : {};
  return {
    offset: start + offset,
    words,
    type: TYPES[type] ?? "u16",
    isAccumulator: type.startsWith("acc"),
    ...scale,
    unit,
  };
}

function scaleOf(model: ModelData, group: GroupData | undefined, name: string, start: number) {
  const own = group?.points[name];
  if (own !== undefined) return { scaleAt: start + own[0] };
  const common = model.points[name];
  return common === undefined ? {} : { scaleAt: common[0] };
}

/** How many instances of the group with the point fit into the model. */
export function instancesOf({ id, length }: Pick<SunSpecModel, "id" | "length">, point: string): number {
  const model = sunSpecModel(id);
  const group = model && groupWith(model, point);
  if (model === undefined || group === undefined || group.length === 0) return 1;
  return Math.max(0, Math.floor((length + 2 - model.length) / group.length));
}

function groupWith({ groups = [] }: ModelData, point: string): GroupData | undefined {
  return groups.find((group) => point in group.points);
}
