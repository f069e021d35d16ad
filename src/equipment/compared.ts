import { type DeviceCondition, type DeviceSource, sourcePlace } from "./command.js";
import type { Evidence } from "./transport/transport.js";
import { isNothing, matches } from "./values.js";

/** A value that was read once in a look. */
export type ReadValue = (source: DeviceSource) => Promise<Evidence | undefined>;

/** How a value stands to what it must have; `open`: what is missing or different, for a message. */
export interface Compared {
  verdict: "match" | "differ" | "unknown";
  isNew: boolean;
  open: string;
}

/** Reads the value of a condition and compares it. An empty value and null are unknown, unless they are expected by name. */
export async function compared(
  { source, expected, isNegated, below, tolerance }: DeviceCondition,
  read: ReadValue,
): Promise<Compared> {
  const place = sourcePlace(source);
  const evidence = await read(source);
  if (evidence === undefined) return { verdict: "unknown", isNew: false, open: `nothing on ${place}` };
  const { value } = evidence;
  const isEqual =
    below === undefined ? matches(value, expected, tolerance) : !isNothing(value) && Number(value) < below;
  const isNew = evidence.isNew || source.retained;
  if (isEqual !== isNegated)
    return { verdict: "match", isNew, open: isNew ? "" : `${place} is not reported anew` };
  return {
    verdict: isNothing(value) ? "unknown" : "differ",
    isNew,
    open: `${place} is ${value.slice(0, 60) || "empty"}, expected ${isNegated ? "another value" : expected.join(" or ")}`,
  };
}
