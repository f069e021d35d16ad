import { type BlockLimits, joined, type RegisterRange } from "./blocks.js";
import type { Node } from "./compile.js";
import { sunSpecPlaces } from "./evaluate.js";
import { pointOf, type SunSpecModel } from "./sunspec.js";

export interface RangeOptions {
  limits: BlockLimits;
  models(unit: number): readonly SunSpecModel[] | undefined;
}

/** What a node needs; parts that are added or subtracted are read together if that is possible. */
export function rangesOf(node: Node, options: RangeOptions): readonly RegisterRange[] {
  const { source, when } = node;
  const { limits, models } = options;
  const before = when === undefined ? [] : rangesOf(when, options);
  if ("parts" in source) {
    const ranges = source.parts.flatMap((part) => rangesOf(part, options));
    return [...before, ...(source.kind === "first" ? ranges : joined(ranges, limits))];
  }
  if (source.kind === "register") {
    const { unit, fc, address, format, scaleAt } = source;
    const own = { unit, fc, start: address, end: address + format.words };
    if (scaleAt === undefined) return [...before, own];
    return [...before, ...withScale(own, scaleAt, limits)];
  }
  if (source.kind !== "sunspec") return before;
  const places = sunSpecPlaces(source, models(source.unit));
  const ranges = places.flatMap(({ model, instance }) => {
    const point = pointOf(model, source.point, instance);
    if (point === undefined) return [];
    const start = model.address + point.offset;
    const own = { unit: source.unit, fc: 3 as const, start, end: start + point.words };
    // With the header of the model, which shows whether it still is there.
    return [
      { ...own, start: model.address, end: model.address + 2 },
      ...(point.scaleAt === undefined ? [own] : withScale(own, model.address + point.scaleAt, limits)),
    ];
  });
  return [
    ...before,
    ...(places.length > 1 ? joined(ranges, { ...limits, gap: limits.maxRegisters }) : ranges),
  ];
}

/** A value and its scale factor are read in one request: some devices change the factor while they run. */
function withScale(
  own: RegisterRange,
  scaleAt: number,
  { maxRegisters }: Pick<BlockLimits, "maxRegisters">,
): RegisterRange[] {
  const both = { ...own, start: Math.min(own.start, scaleAt), end: Math.max(own.end, scaleAt + 1) };
  if (both.end - both.start <= maxRegisters) return [both];
  return [own, { ...own, start: scaleAt, end: scaleAt + 1 }];
}
