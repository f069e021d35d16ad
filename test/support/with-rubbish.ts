import fc from "fast-check";

/** The places of all values inside of a document. */
function placesOf(value: unknown, place: readonly string[] = []): (readonly string[])[] {
  const inside =
    typeof value === "object" && value !== null
      ? Object.entries(value).flatMap(([key, one]) => placesOf(one, [...place, key]))
      : [];
  return [place, ...inside];
}

function replaced(value: unknown, [key, ...rest]: readonly string[], by: unknown): unknown {
  if (key === undefined) return by;
  const copy = Array.isArray(value) ? [...value] : { ...(value as object) };
  Object.assign(copy, { [key]: replaced((value as Record<string, unknown>)[key], rest, by) });
  return copy;
}

/** A document with a value of another type in one place. */
export function withRubbish(document: unknown): fc.Arbitrary<unknown> {
  const rubbish = fc.constantFrom<unknown>("rubbish", [{}], [["rubbish"]]);
  return fc
    .tuple(fc.constantFrom(...placesOf(document)), rubbish)
    .map(([place, by]) => replaced(document, place, by));
}
