import type { FromSchema } from "json-schema-to-ts";
import type { SchemaNode } from "../config/kit/node.js";
import type { SlotSettings } from "../config/settings.js";
import { parseTime } from "../core/time/zone.js";
import { type FlexPack, FlexPackError, unpackFlex } from "../plan/windows/flex-pack.js";
import {
  type FlexRequest,
  type FlexWindow,
  fillFromSlot,
  NO_POWER,
  powerOf,
} from "../plan/windows/request.js";
import { ApiError, type ErrorDetail } from "./errors.js";
import { localZone } from "./horizon.js";
import { createInputReader, invalidParameter } from "./input.js";
import type { Caller } from "./operation.js";
import type { Services } from "./services.js";
import { MAX_SEGMENT_HOURS, MAX_SEGMENTS, type windowsBody } from "./windows-schema.js";

/** A parsed windows request and its slot. */
export type WindowsInput = {
  ask: FlexRequest;
  timezone?: string;
  slot?: { number: number; name: string };
};

type Fields = FromSchema<typeof windowsBody>;

/** With any of these fields the answer is windows_v1.1; a flex_pack of 0 does not count. */
const FLEX_FIELDS = [
  "window_start_hour",
  "window_end_hour",
  "segments",
  "segment_consecutive",
  "hours_completed",
  "deadline_hour",
  "slot_id",
  "energy_delivered_kwh",
  "battery_to_ev_pct",
  "plugged",
  "allocation",
] as const;

/**
 * Creates the parser of windows requests for a schema (query or body). It throws an ApiError that names every invalid
 * field, or `conflicting_parameters` if the fields are valid individually but not together.
 */
export function windowsReader(services: Services, schema: SchemaNode & { properties: object }) {
  const readFields = createInputReader(schema);
  return (raw: Record<string, unknown>, { access }: Caller): WindowsInput => {
    const problems = new Problems();
    const fields = fitting(raw, readFields, problems);
    const zone = fields.timezone ?? localZone(services, access);
    const start = fields.start === undefined ? undefined : parseTime(fields.start, zone);
    const end = fields.end === undefined ? undefined : parseTime(fields.end, zone);
    if (start !== undefined && end !== undefined && end <= start)
      problems.add("end", "end must be after start.");
    const pack = packed(fields.flex_pack, problems);
    const segments = segmentsOf(fields.segments, problems);
    const slot = slotOf(fields.slot_id, problems);
    const given = (name: string) => Object.hasOwn(schema.properties, name) && Object.hasOwn(raw, name);
    checkConflicts(fields, given, pack, problems);

    const isFlex = pack !== null || FLEX_FIELDS.some(given);
    const ask: FlexRequest = {
      gridMinutes: isFlex ? 15 : 60,
      window: windowOf(fields, pack, start, end),
      mode: fields.mode,
      role: fields.role,
      segments: segments ?? packedSegments(pack, fields),
      count: fields.count,
      energyKwh: fields.energy_kwh,
      maxPowerKw: fields.max_power_kw,
      consecutive: fields.segment_consecutive,
      hoursCompleted: fields.hours_completed ?? pack?.hoursDone,
      energyDeliveredKwh: fields.energy_delivered_kwh,
      batterySharePct: fields.battery_to_ev_pct,
      deadlineHour: fields.deadline_hour,
      deadlineStrict: fields.deadline_strict,
      repeatDaily: fields.repeat_daily,
      plugged: fields.plugged ?? pack?.plugged,
      allocation: fields.allocation,
      zone: fields.timezone,
    };
    const plant = access.site?.plant;
    const settings =
      plant === undefined || slot === undefined
        ? undefined
        : services.flex.sites.of(access.site!.id).settings(slot.number);
    // Without a known plant or slot the power may still be configured.
    if (slot === undefined || settings !== undefined)
      checkPower(ask, given, settings, plant && (plant.battery?.max_charge_power_kw ?? null), problems);
    problems.throwIfAny();
    return {
      ask,
      ...(fields.timezone !== undefined && { timezone: fields.timezone }),
      ...(slot !== undefined && { slot }),
    };
  };
}

/** The packed segment, unless the request gives count or energy_kwh. */
function packedSegments(pack: FlexPack | null, fields: Fields): number[] | undefined {
  if (pack === null || pack.segment === 0) return undefined;
  return fields.count === undefined && fields.energy_kwh === undefined ? [pack.segment] : undefined;
}

/** Collects all problems, so that the caller gets them in one answer. */
class Problems {
  readonly #details = new Map<string, ErrorDetail>();
  #invalid = false;

  /** Adds an invalid value. */
  add(field: string, message: string): void {
    this.#invalid = true;
    if (!this.#details.has(field)) this.#details.set(field, { field, message });
  }

  /** Adds fields that contradict one another. */
  addConflict(fields: readonly string[], message: string): void {
    for (const field of fields) if (!this.#details.has(field)) this.#details.set(field, { field, message });
  }

  throwIfAny(): void {
    const details = [...this.#details.values()];
    if (details.length === 0) return;
    if (this.#invalid) throw invalidParameter(details);
    throw new ApiError("conflicting_parameters", details[0]!.message, { details });
  }
}

/** The fields that are valid individually; problems of the others are collected. */
function fitting(
  raw: Record<string, unknown>,
  read: (raw: Record<string, unknown>) => Record<string, unknown>,
  problems: Problems,
): Fields {
  try {
    return read(raw) as Fields;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    for (const { field, message } of error.details) problems.add(field, message);
    const wrong = new Set(error.details.map(({ field }) => field.replace(/[.[].*$/, "")));
    const rest = Object.entries(raw).filter(([name]) => !wrong.has(name));
    return read(Object.fromEntries(rest)) as Fields;
  }
}

function packed(value: number | undefined, problems: Problems): FlexPack | null {
  try {
    return value === undefined ? null : unpackFlex(value);
  } catch (error) {
    if (!(error instanceof FlexPackError)) throw error;
    problems.add("flex_pack", error.message);
    return null;
  }
}

const SEGMENT = /^\+?(?:\d+(?:\.\d*)?|\.\d+)$/;

/** `3`, `2.5`, or a list such as `2,5`: the comma separates segments and is not a decimal comma here. */
function segmentsOf(value: string | number | undefined, problems: Problems): number[] | undefined {
  if (value === undefined) return undefined;
  const parts = String(value)
    .split(",")
    .map((part) => part.trim());
  const hours = parts.map((part) => (SEGMENT.test(part) || typeof value === "number" ? Number(part) : NaN));
  if (hours.length <= MAX_SEGMENTS && hours.every((each) => each >= 0 && each <= MAX_SEGMENT_HOURS))
    return hours;
  problems.add(
    "segments",
    `segments must be hours from 0 to ${MAX_SEGMENT_HOURS}: one number, or up to ${MAX_SEGMENTS} separated by commas, such as 2,5.`,
  );
  return undefined;
}

/** `3`, `wallbox_3`, `O3`; controllers that send decimals write `3.0`. */
function slotOf(
  value: string | number | undefined,
  problems: Problems,
): { number: number; name: string } | undefined {
  if (value === undefined) return undefined;
  const name = String(value).trim();
  const number = /^(?:(?:wallbox_|O)?([1-8])|([1-8])[.,]0+)$/.exec(name);
  if (number !== null) return { number: Number(number[1] ?? number[2]), name };
  problems.add("slot_id", "slot_id must name a slot from 1 to 8, such as 3, wallbox_3 or O3.");
  return undefined;
}

function checkConflicts(
  fields: Fields,
  given: (name: string) => boolean,
  pack: FlexPack | null,
  problems: Problems,
): void {
  const iso = ["start", "end"].filter(given);
  const hours = ["window_start_hour", "window_end_hour"].filter(given);
  // A rejected flex_pack counts as given.
  const packs = (fields.flex_pack ?? 0) === 0 ? [] : ["flex_pack"];
  if (iso.length > 0 && hours.length + packs.length > 0) {
    problems.addConflict(
      [...iso, ...hours, ...packs],
      "A window is given either by start and end, or by window_* hours, or by flex_pack: keep one of them.",
    );
    return;
  }
  if (packs.length === 0 && hours.length === 1)
    problems.addConflict(
      ["window_start_hour", "window_end_hour"],
      "window_start_hour and window_end_hour are given together: send both, or none.",
    );
  if (pack === null) return;
  const differing = [
    ...((fields.window_start_hour ?? pack.startHour) === pack.startHour ? [] : ["window_start_hour"]),
    ...((fields.window_end_hour ?? pack.endHour) === pack.endHour ? [] : ["window_end_hour"]),
  ];
  if (differing.length > 0)
    problems.addConflict(
      [...differing, "flex_pack"],
      `flex_pack gives ${pack.startHour} to ${pack.endHour} o'clock, which contradicts the window_* hours: omit one of them.`,
    );
}

function windowOf(
  fields: Fields,
  pack: FlexPack | null,
  start: Date | undefined,
  end: Date | undefined,
): FlexWindow | undefined {
  const { window_start_hour: startHour = pack?.startHour, window_end_hour: endHour = pack?.endHour } = fields;
  if (startHour !== undefined && endHour !== undefined) return { kind: "daily", startHour, endHour };
  return start === undefined && end === undefined ? undefined : { kind: "fixed", start, end };
}

/** `plantPowerKw`: null for a plant without a charging power, undefined without a plant. */
function checkPower(
  ask: FlexRequest,
  given: (name: string) => boolean,
  settings: SlotSettings | undefined,
  plantPowerKw: number | null | undefined,
  problems: Problems,
): void {
  const filled = settings === undefined ? ask : fillFromSlot(ask, settings);
  const hasEnergy = given("energy_kwh") || filled.energyKwh !== undefined;
  const hasPower = given("max_power_kw") || filled.maxPowerKw !== undefined;
  if (hasEnergy && !hasPower && plantPowerKw === null && powerOf(filled, undefined) === undefined)
    problems.add("max_power_kw", NO_POWER);
  if (hasEnergy || hasPower) return;
  for (const field of ["energy_delivered_kwh", "battery_to_ev_pct"])
    if (given(field))
      problems.add(field, `${field} needs energy_kwh or max_power_kw: send one of them, or omit it.`);
}
