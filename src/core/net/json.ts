/** True for a JSON object. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The same object, or an empty one for anything else, as what an own document may be after a damage or another version. */
export function recordOf(value: unknown): Record<string, unknown> {
  return isRecord(value) ? value : {};
}

/** The pairs of a name and a number in a stored list; nothing of anything else. */
export function namedNumbers(value: unknown): [name: string, value: number][] {
  const isNamed = (one: unknown): one is [string, number] =>
    Array.isArray(one) && typeof one[0] === "string" && typeof one[1] === "number";
  return Array.isArray(value) ? value.filter(isNamed) : [];
}

/** Sets a query parameter unless the configured address contains it. */
export function setIfAbsent(url: URL, name: string, value: string): void {
  if (!url.searchParams.has(name)) url.searchParams.set(name, value);
}
