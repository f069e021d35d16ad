import type { TextPlace } from "./compile.js";

/** A text that a device gave. */
export interface ReceivedText {
  text: string;
  atMs: number;
  /** Parsed once for all readings; undefined: not yet. */
  json?: { value: unknown };
}

export interface FoundPlaces {
  /** What stands at the place: several values where the pointer has a `*`. */
  found: unknown[];
  unit?: string;
  /** When the device measured it. */
  atMs?: number;
}

/** What a text has at a place. */
export function placesIn(
  received: ReceivedText,
  { pointers, regex, unitPointer, timePointer }: TextPlace,
): FoundPlaces {
  const extra = {
    ...ofUnit(unitPointer === undefined ? undefined : valuesAt(received, unitPointer)[0]),
    ...ofTime(timePointer === undefined ? undefined : valuesAt(received, timePointer)[0]),
  };
  if (pointers.length === 0) {
    const text = received.text.trim().replace(/^"([^"\\]*)"$/, "$1");
    return { found: regex === undefined ? [text] : matched(text, regex), ...extra };
  }
  for (const pointer of pointers) {
    const found = valuesAt(received, pointer);
    if (found.length === 0) continue;
    return {
      found: regex === undefined ? found : found.flatMap((one) => matched(String(one), regex)),
      ...extra,
    };
  }
  return { found: [], ...extra };
}

function matched(text: string, regex: RegExp): string[] {
  const match = regex.exec(text);
  return match === null ? [] : [match[1] ?? match[0]];
}

/** The values at a JSON pointer, with `*` for every item; none if the text is not JSON or has nothing there. */
function valuesAt(received: ReceivedText, pointer: string): unknown[] {
  received.json ??= { value: parsed(received.text) };
  let values: unknown[] = [received.json.value];
  for (const step of pointer.split("/").slice(1)) {
    const name = step.replaceAll("~1", "/").replaceAll("~0", "~");
    values = values.flatMap((value) => {
      if (typeof value !== "object" || value === null) return [];
      if (name === "*") return Object.values(value);
      return Object.hasOwn(value, name) ? [(value as Record<string, unknown>)[name]] : [];
    });
  }
  return values.filter((value) => value !== undefined);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function ofUnit(value: unknown): { unit?: string } {
  return typeof value === "string" ? { unit: value } : {};
}

/** Unix seconds, milliseconds, or a date with its offset. */
function ofTime(value: unknown): { atMs?: number } {
  if (typeof value === "number" && value > 0) return { atMs: value > 1e11 ? value : value * 1000 };
  const atMs = typeof value === "string" ? momentMs(value) : Number.NaN;
  return Number.isFinite(atMs) ? { atMs } : {};
}

/** The moment of a date with its offset, ms; NaN for another text: a time without offset depends on who reads it. */
export function momentMs(text: string): number {
  return /\d(?:Z|[+-]\d\d:?\d\d)$/i.test(text.trim()) ? Date.parse(text) : Number.NaN;
}
