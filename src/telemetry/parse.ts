import { MAX_AHEAD_MS } from "../core/domain/freshness.js";
import {
  BATTERY_READING_NAMES,
  type FixedReading,
  READING_NAMES,
  type Reading,
  rangeOf,
  readingOfBattery,
  readingOfSlot,
  type Sample,
  SITE_READING_NAMES,
  type SiteReading,
  SLOT_READING_NAMES,
} from "../core/domain/sample.js";
import { SLOT_NUMBERS, slotNumber } from "../core/domain/slot.js";
import { isRecord } from "../core/net/json.js";
import { numberFromText } from "../core/number-text.js";
import { parseTime } from "../core/time/zone.js";
import type { LeftOutReading } from "./left-out.js";

/** Most samples that one call may contain. */
export const MAX_SAMPLES = 1000;

/** Most members of `slots` that are checked by name. */
const MAX_SLOTS_READ = 16;
const MAX_BATTERIES_READ = 16;

/** A rejected field of a sample and the reason. */
export interface RejectedField {
  /** Position of the sample in the batch; 0 for a single one. */
  index: number;
  field: string;
  message: string;
}

export interface ParsedTelemetry {
  /** Samples with at least one valid reading; they contain the valid ones only. */
  samples: { index: number; sample: Sample }[];
  rejected: RejectedField[];
  /** The numbers among the rejected fields, which no device of that kind can have: a state of charge of 655 %. */
  outside: LeftOutReading[];
  /** The batch is longer than allowed; none of it was read. */
  tooMany: boolean;
  /** Number of samples in the body. */
  count: number;
}

export interface TelemetryContext {
  now: Date;
  zone: string;
  /** Ids of the plant's batteries if it has several. */
  batteries?: readonly string[];
}

/** Path of each reading of the site in the nested form. */
const NESTED: Readonly<Record<SiteReading, readonly [group: string, field: string]>> = {
  soc_pct: ["battery", "soc_pct"],
  import_kwh: ["meter", "import_kwh"],
  export_kwh: ["meter", "export_kwh"],
  pv_kwh: ["pv", "energy_kwh"],
  charge_kwh: ["battery", "charge_kwh"],
  discharge_kwh: ["battery", "discharge_kwh"],
  pv_power_kw: ["pv", "power_kw"],
  grid_power_kw: ["grid", "power_kw"],
  load_power_kw: ["load", "power_kw"],
  battery_power_kw: ["battery", "power_kw"],
  ev_power_kw: ["load", "ev_power_kw"],
  ev_connected: ["ev", "connected"],
};

/** Readings of all batteries of a site together. */
const OF_BATTERY: ReadonlySet<FixedReading> = new Set<FixedReading>([
  "soc_pct",
  "battery_power_kw",
  "charge_kwh",
  "discharge_kwh",
]);

/** The path of each reading, of the slots too. */
const PATHS: ReadonlyMap<FixedReading, readonly string[]> = new Map<FixedReading, readonly string[]>([
  ...SITE_READING_NAMES.map((reading) => [reading, NESTED[reading]] as const),
  ...SLOT_NUMBERS.flatMap((slot) =>
    SLOT_READING_NAMES.map(
      (reading) => [readingOfSlot(slot, reading), ["slots", String(slot), reading]] as const,
    ),
  ),
]);

/** Devices whose clock is not set send times such as 1970; a gateway without a clock of its own starts there as well. */
const EARLIEST_MS = Date.UTC(2000, 0, 1);

const GROUPS = [...new Set(Object.values(NESTED).map(([group]) => group))];

/** The readings of the nested form by group and field, with their ranges. */
export const NESTED_READINGS: Readonly<Record<string, Record<string, { min: number; max: number }>>> =
  Object.fromEntries(
    GROUPS.map((group) => [
      group,
      Object.fromEntries(
        SITE_READING_NAMES.filter((reading) => NESTED[reading][0] === group).map((reading) => [
          NESTED[reading][1],
          rangeOf(reading),
        ]),
      ),
    ]),
  );

/**
 * Reads a telemetry body: one sample or `{ samples: [...] }`, flat or nested. Unknown fields are ignored; invalid
 * ones are listed while the valid ones of the same sample are used; an invalid timestamp rejects its sample. `zone`
 * applies to times without an offset, `batteries` are the ids of a plant with several. Accepts any value and never throws.
 */
export function parseTelemetry(body: unknown, context: TelemetryContext): ParsedTelemetry {
  const result: ParsedTelemetry = { samples: [], rejected: [], outside: [], tooMany: false, count: 0 };
  const single = isRecord(body) ? ownMember(body, "samples") : undefined;
  if (single === undefined) {
    result.count = 1;
    parseSample(body, { ...context, index: 0 }, result);
  } else if (!Array.isArray(single) || single.length === 0) {
    const message = `samples must be an array of 1 to ${MAX_SAMPLES} samples.`;
    result.rejected.push({ index: 0, field: "samples", message });
  } else {
    result.count = single.length;
    result.tooMany = single.length > MAX_SAMPLES;
    if (result.tooMany) return result;
    for (const [index, entry] of single.entries()) parseSample(entry, { ...context, index }, result);
  }
  return result;
}

function parseSample(
  entry: unknown,
  { index, now, zone, batteries = [] }: TelemetryContext & { index: number },
  into: ParsedTelemetry,
): void {
  const reject = (field: string, message: string) => into.rejected.push({ index, field, message });
  if (!isRecord(entry)) {
    reject("sample", "A sample must be an object of readings.");
    return;
  }
  const timestamp = ownMember(entry, "timestamp");
  const at = timestamp === undefined ? now : timeOf(timestamp, { zone, now });
  const rejectedBefore = into.rejected.length;
  if (at === undefined) {
    reject("timestamp", "timestamp must be an ISO 8601 time such as 2026-01-15T03:00:00+01:00.");
  } else if (at.getTime() > now.getTime() + MAX_AHEAD_MS) {
    reject("timestamp", "timestamp is more than 5 minutes in the future; set the clock of the device.");
  } else if (at.getTime() < EARLIEST_MS && now.getTime() >= EARLIEST_MS) {
    reject("timestamp", "timestamp is before the year 2000; set the clock of the device.");
  }
  const isDated = into.rejected.length === rejectedBefore;

  for (const group of GROUPS) {
    const value = ownMember(entry, group);
    if (value !== undefined && !isRecord(value)) reject(group, `${group} must be an object of readings.`);
  }
  const hasSlots = Object.keys(entry).some((name) => name.startsWith("slot"));
  if (hasSlots) checkSlots(ownMember(entry, "slots"), reject);
  const values: Sample["values"] = {};
  const isOfOneBattery = ownMember(entry, "battery_id") !== undefined;
  const ofTheSite = (hasSlots ? READING_NAMES : SITE_READING_NAMES)
    .filter((reading) => !(isOfOneBattery && OF_BATTERY.has(reading)))
    .map((reading) => ({ reading, found: findReading(entry, reading) }));
  for (const { reading, found } of [...ofTheSite, ...batteryReadings(entry, batteries, reject)]) {
    if (found === undefined) continue;
    const value = reading === "ev_connected" ? flagOf(found.value) : numberOf(found.value);
    if (value !== undefined && isInRange(reading, value)) {
      values[reading] = value;
      continue;
    }
    reject(found.field, `${found.field} ${requirement(reading)}.`);
    if (value !== undefined) into.outside.push({ reading, at: isDated ? at! : now, value });
  }
  if (isDated && Object.keys(values).length > 0) {
    into.samples.push({ index, sample: { at: at!, values } });
  } else if (into.rejected.length === rejectedBefore) {
    reject(
      "sample",
      `The sample has no reading; give at least one of ${SITE_READING_NAMES.join(", ")}, or slots.`,
    );
  }
}

/** Rejects a group `slots` that does not hold an object for each slot. */
function checkSlots(slots: unknown, reject: (field: string, message: string) => void): void {
  if (slots === undefined) return;
  if (!isRecord(slots)) {
    reject("slots", 'slots must be an object by slot number, such as { "1": { "power_kw": 7.4 } }.');
    return;
  }
  for (const [slot, readings] of Object.entries(slots).slice(0, MAX_SLOTS_READ)) {
    const field = `slots.${slot.slice(0, 20)}`;
    if (slotNumber(slot) === undefined) reject(field, `${field} must name a slot from 1 to 8.`);
    else if (!isRecord(readings)) reject(field, `${field} must be an object of readings.`);
  }
}

interface Found {
  field: string;
  value: unknown;
}

/** The readings of single batteries: of the one that `battery_id` names, and those of the group `batteries`. */
function batteryReadings(
  entry: object,
  ids: readonly string[],
  reject: (field: string, message: string) => void,
): { reading: Reading; found: Found | undefined }[] {
  const isKnown = (id: unknown, field: string): id is string => {
    if (typeof id === "string" && ids.includes(id)) return true;
    const known = ids.length === 0 ? "the plant has no batteries with an id" : `one of ${ids.join(", ")}`;
    reject(field, `${field} must name a battery of the plant: ${known}.`);
    return false;
  };
  const all: { reading: Reading; found: Found | undefined }[] = [];
  const id = ownMember(entry, "battery_id");
  if (id !== undefined && isKnown(id, "battery_id")) {
    const power = ownMember(entry, "power_kw");
    all.push(
      { reading: readingOfBattery(id, "soc_pct"), found: findReading(entry, "soc_pct") },
      {
        reading: readingOfBattery(id, "power_kw"),
        found:
          power === undefined ? findReading(entry, "battery_power_kw") : { field: "power_kw", value: power },
      },
    );
  }
  const group = ownMember(entry, "batteries");
  if (group === undefined) return all;
  if (!isRecord(group)) {
    reject("batteries", 'batteries must be an object by id, such as { "garage": { "soc_pct": 55 } }.');
    return all;
  }
  for (const [name, readings] of Object.entries(group).slice(0, MAX_BATTERIES_READ)) {
    const field = `batteries.${name.slice(0, 40)}`;
    if (!isKnown(name, field)) continue;
    if (!isRecord(readings)) reject(field, `${field} must be an object of readings.`);
    else
      for (const reading of BATTERY_READING_NAMES) {
        const value = ownMember(readings, reading);
        const found = value === undefined ? undefined : { field: `${field}.${reading}`, value };
        all.push({ reading: readingOfBattery(name, reading), found });
      }
  }
  return all;
}

/** The value and field name of a reading; the flat form takes precedence over the nested one. */
function findReading(entry: object, reading: FixedReading): Found | undefined {
  const flat = ownMember(entry, reading);
  if (flat !== undefined) return { field: reading, value: flat };
  const path = PATHS.get(reading)!;
  const value = path.reduce<unknown>((at, key) => (isRecord(at) ? ownMember(at, key) : undefined), entry);
  return value === undefined ? undefined : { field: path.join("."), value };
}

/** A number, or text of a number with point or comma; -0 becomes 0. */
function numberOf(value: unknown): number | undefined {
  if (typeof value === "number") return Number.isFinite(value) ? value + 0 : undefined;
  const number = typeof value === "string" ? numberFromText(value) : undefined;
  return number === undefined ? undefined : number + 0;
}

function flagOf(value: unknown): number | undefined {
  if (value === true || value === "true") return 1;
  if (value === false || value === "false") return 0;
  const number = numberOf(value);
  return number === 0 || number === 1 ? number : undefined;
}

function requirement(reading: Reading): string {
  if (reading === "ev_connected") return "must be true or false, or 1 or 0";
  const { min, max } = rangeOf(reading);
  return `must be a number from ${min} to ${max}`;
}

function isInRange(reading: Reading, value: number): boolean {
  const { min, max } = rangeOf(reading);
  return value >= min && value <= max;
}

/** A time: ISO 8601 text, or seconds or milliseconds since the epoch, from 2001 on (they cannot be confused). */
function timeOf(value: unknown, { zone, now }: TelemetryContext): Date | undefined {
  const number = numberOf(value);
  if (number !== undefined) {
    if (number >= 1e9 && number < 1e11) return new Date(Math.round(number * 1000));
    return number >= 1e12 && number < 1e14 ? new Date(Math.round(number)) : undefined;
  }
  return typeof value === "string" && value.length <= 64 ? parseTime(value, zone, now) : undefined;
}

/** An ownMember member of the object; members of its prototype were not sent. */
function ownMember(object: object, name: string): unknown {
  return Object.hasOwn(object, name) ? (object as Record<string, unknown>)[name] : undefined;
}
