import { parseForeignJson } from "../core/json.js";

/** Where a value is in a text: a JSON pointer, or a regular expression with one group; else the whole text. */
export interface ValuePlace {
  pointer?: string | undefined;
  regex?: string | undefined;
}

/** The value at the place as text; undefined if the text has none there. */
export function valueIn(text: string, { pointer, regex }: ValuePlace): string | undefined {
  if (regex !== undefined) {
    const match = new RegExp(regex).exec(text);
    return match === null ? undefined : (match[1] ?? match[0]);
  }
  if (pointer === undefined || pointer === "") return plain(text.trim());
  let value: unknown;
  try {
    value = parseForeignJson(text);
  } catch {
    return undefined;
  }
  for (const key of pointer.split("/").slice(1)) {
    if (typeof value !== "object" || value === null) return undefined;
    const name = key.replaceAll("~1", "/").replaceAll("~0", "~");
    if (!Object.hasOwn(value, name)) return undefined;
    value = (value as Record<string, unknown>)[name];
  }
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** Whether a value says nothing: a cleared topic, a member that is null. */
export function isNothing(value: string): boolean {
  return /^(|null|undefined)$/i.test(value.trim());
}

/** A JSON string without its quotes. */
function plain(text: string): string {
  return /^"[^"\\]*"$/.test(text) ? text.slice(1, -1) : text;
}

/** How far numbers may differ. */
export interface Tolerance {
  absolute: number;
  /** Of the expected value, %. */
  pct: number;
}

/** Whether a value is one of the expected: as number where both are numbers, otherwise as text without regard to case. */
export function matches(value: string, expected: readonly string[], tolerance: Tolerance): boolean {
  return expected.some((one) => {
    const [a, b] = [Number(value), Number(one)];
    if (value.trim() !== "" && one.trim() !== "" && Number.isFinite(a) && Number.isFinite(b))
      return Math.abs(a - b) <= Math.max(tolerance.absolute, (Math.abs(b) * tolerance.pct) / 100) + 1e-9;
    return value.toLowerCase() === one.toLowerCase();
  });
}
