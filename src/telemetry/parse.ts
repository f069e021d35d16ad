import { MAX_AHEAD_MS } from "../domain/freshness.js";
import { READING_NAMES, READINGS, type Reading, type Sample } from "../domain/sample.js";
import { parseTime } from "../time/zone.js";

/** Samples that one call may carry. */
export const MAX_SAMPLES = 1000;

/** A field of a sample that could not be taken, in a sentence. */
export interface RejectedField {
  /** Position of the sample in the batch; 0 for a single one. */
  index: number;
  field: string;
  message: string;
}

export interface ParsedTelemetry {
  /** Samples with at least one good reading; only the good ones are in them. */
  samples: { index: number; sample: Sample }[];
  rejected: RejectedField[];
  /** The batch was longer than allowed; nothing of it was read. */
  tooMany: boolean;
  /** Samples in the body. */
  count: number;
}

/** Where the nested form keeps a reading. */
const NESTED: Record<Reading, readonly [group: string, field: string]> = {
  soc_pct: ["battery", "soc_pct"],
  import_kwh: ["meter", "import_kwh"],
  export_kwh: ["meter", "export_kwh"],
  pv_power_kw: ["pv", "power_kw"],
  load_power_kw: ["load", "power_kw"],
  battery_power_kw: ["battery", "power_kw"],
  ev_power_kw: ["load", "ev_power_kw"],
  ev_connected: ["ev", "connected"],
};

const GROUPS = [...new Set(Object.values(NESTED).map(([group]) => group))];

/**
 * Reads a telemetry body: one sample or `{ samples: [...] }`, flat or nested. Unknown fields are ignored, bad ones are
 * listed while the good ones of the same sample stay; a bad timestamp rejects its sample. `zone` is that of a time
 * without offset. Takes any value whatever and never throws.
 */
export function parseTelemetry(body: unknown, { now, zone }: { now: Date; zone: string }): ParsedTelemetry {
  const result: ParsedTelemetry = { samples: [], rejected: [], tooMany: false, count: 0 };
  const single = isObject(body) ? own(body, "samples") : undefined;
  if (single === undefined) {
    result.count = 1;
    parseSample(body, 0, now, zone, result);
  } else if (!Array.isArray(single) || single.length === 0) {
    const message = `samples must be an array of 1 to ${MAX_SAMPLES} samples.`;
    result.rejected.push({ index: 0, field: "samples", message });
  } else {
    result.count = single.length;
    result.tooMany = single.length > MAX_SAMPLES;
    if (result.tooMany) return result;
    for (const [index, entry] of single.entries()) parseSample(entry, index, now, zone, result);
  }
  return result;
}

function parseSample(entry: unknown, index: number, now: Date, zone: string, into: ParsedTelemetry): void {
  const reject = (field: string, message: string) => into.rejected.push({ index, field, message });
  if (!isObject(entry)) {
    reject("sample", "A sample must be an object of readings.");
    return;
  }
  const timestamp = own(entry, "timestamp");
  const at = timestamp === undefined ? now : timeOf(timestamp, zone);
  const rejectedBefore = into.rejected.length;
  if (at === undefined) {
    reject("timestamp", "timestamp must be an ISO 8601 time such as 2026-01-15T03:00:00+01:00.");
  } else if (at.getTime() > now.getTime() + MAX_AHEAD_MS) {
    reject("timestamp", "timestamp is more than 5 minutes in the future; set the clock of the device.");
  }
  const isDated = into.rejected.length === rejectedBefore;

  for (const group of GROUPS) {
    const value = own(entry, group);
    if (value !== undefined && !isObject(value)) reject(group, `${group} must be an object of readings.`);
  }
  const values: Sample["values"] = {};
  for (const reading of READING_NAMES) {
    const found = find(entry, reading);
    if (found === undefined) continue;
    const value = reading === "ev_connected" ? flagOf(found.value) : numberOf(found.value);
    const problem = value === undefined ? wanted(reading) : outside(reading, value);
    if (value === undefined || problem !== undefined) reject(found.field, `${found.field} ${problem}.`);
    else values[reading] = value;
  }
  if (isDated && Object.keys(values).length > 0) {
    into.samples.push({ index, sample: { at: at!, values } });
  } else if (into.rejected.length === rejectedBefore) {
    reject("sample", `The sample has no reading; give at least one of ${READING_NAMES.join(", ")}.`);
  }
}

/** The value of a reading and the name it goes by; the flat form wins over the nested one. */
function find(entry: object, reading: Reading): { field: string; value: unknown } | undefined {
  const flat = own(entry, reading);
  if (flat !== undefined) return { field: reading, value: flat };
  const [group, field] = NESTED[reading];
  const inner = own(entry, group);
  const value = isObject(inner) ? own(inner, field) : undefined;
  return value === undefined ? undefined : { field: `${group}.${field}`, value };
}

/** A number, or text that is one with point or comma; -0 becomes 0. */
function numberOf(value: unknown): number | undefined {
  if (typeof value === "number") return Number.isFinite(value) ? value + 0 : undefined;
  if (typeof value !== "string" || value.length > 64) return undefined;
  const text = value.trim();
  if (!/^[+-]?(\d+([.,]\d*)?|[.,]\d+)(e[+-]?\d+)?$/i.test(text)) return undefined;
  const number = Number(text.replace(",", "."));
  return Number.isFinite(number) ? number + 0 : undefined;
}

function flagOf(value: unknown): number | undefined {
  if (value === true || value === "true") return 1;
  if (value === false || value === "false") return 0;
  const number = numberOf(value);
  return number === 0 || number === 1 ? number : undefined;
}

function wanted(reading: Reading): string {
  if (reading === "ev_connected") return "must be true or false, or 1 or 0";
  const { min, max } = READINGS[reading];
  return `must be a number from ${min} to ${max}`;
}

function outside(reading: Reading, value: number): string | undefined {
  const { min, max } = READINGS[reading];
  return value < min || value > max ? wanted(reading) : undefined;
}

/**
 * A time: ISO 8601 text, or seconds or milliseconds since the epoch from 2001 on, which is what controllers and flows
 * have at hand. The two lie so far apart that neither can be taken for the other.
 */
function timeOf(value: unknown, zone: string): Date | undefined {
  const number = numberOf(value);
  if (number !== undefined) {
    if (number >= 1e9 && number < 1e11) return new Date(Math.round(number * 1000));
    return number >= 1e12 && number < 1e14 ? new Date(Math.round(number)) : undefined;
  }
  return typeof value === "string" && value.length <= 64 ? parseTime(value, zone) : undefined;
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A member of the object itself: what stands on its prototype was not sent by anyone. */
function own(object: object, name: string): unknown {
  return Object.hasOwn(object, name) ? (object as Record<string, unknown>)[name] : undefined;
}
