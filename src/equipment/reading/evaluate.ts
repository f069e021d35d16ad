import { matches } from "../values.js";
import type { Node, ReadingCondition, ReadingSource, TextPlace } from "./compile.js";
import { decodeRegisters, type RegisterFormat } from "./registers.js";
import { instancesOf, pointOf, type SunSpecModel } from "./sunspec.js";
import { placesIn, type ReceivedText } from "./text-place.js";
import { numberWithUnit, unitFactor } from "./units.js";

/** What was received in one poll. */
export interface Snapshot {
  nowMs: number;
  words(
    unit: number,
    fc: 3 | 4,
    address: number,
    count: number,
    /** A register that should be in the same answer. */
    beside?: number,
  ): { words: readonly number[]; atMs: number } | undefined;
  models(unit: number): readonly SunSpecModel[] | undefined;
  text(source: Extract<ReadingSource, { kind: "http" | "mqtt" | "udp" }>): ReceivedText | undefined;
  /** The data of an object as words. */
  object(id: number): { words: readonly number[]; atMs: number } | undefined;
  obis(code: string): { value: number; atMs: number } | undefined;
  reading(name: string): Evaluated | undefined;
  /** Parts that had a value once. */
  seen: Set<string>;
}

/** Where a value is in a device, and how it is written there. */
export interface RegisterPlace {
  unit: number;
  address: number;
  format: RegisterFormat;
  /** Of ten, by the scale factor that was read with it. */
  exponent: number;
}

export interface Evaluated {
  /** Undefined: not known. */
  value: number | string | undefined;
  /** As the device gave it. */
  raw: number | string | null;
  atMs: number | undefined;
  /** The value is not possible by the limits of the template. */
  isImplausible?: true;
  /** It does not count, since its condition does not hold. */
  isRefuted?: true;
  /** Of a single register, or a single point, also while its value is not known. */
  place?: RegisterPlace;
}

const nothing = (raw: number | string | null = null): Evaluated => ({
  value: undefined,
  raw,
  atMs: undefined,
});

/** The value of a reading; of a condition only while it holds. Pure, except for what it has seen. */
export function evaluateReading(node: Node, snapshot: Snapshot): Evaluated {
  if (node.when !== undefined) {
    const when = evaluateReading(node.when, snapshot);
    if (when.value === undefined) return when.isRefuted ? { ...nothing(), isRefuted: true } : nothing();
  }
  const found = foundValue(node, snapshot);
  if (found.value === undefined) return found;
  const { atMs } = found;
  if (node.maxAgeS !== undefined && atMs !== undefined && snapshot.nowMs - atMs > node.maxAgeS * 1000)
    return nothing(found.raw);
  snapshot.seen.add(node.path);
  if (node.condition !== undefined && !fits(found, node.condition))
    return { ...nothing(found.raw), isRefuted: true };
  if (typeof found.value === "string") return found;
  // Sums of scaled registers end in 047999999999 otherwise.
  const value = Number(limited(found.value, node).toPrecision(12));
  if (value < node.min || value > node.max) return { ...found, value: undefined, isImplausible: true };
  return { ...found, value };
}

function fits({ value, raw }: Evaluated, { equals, notEquals, above, below }: ReadingCondition): boolean {
  const isOf = (list: readonly string[]) =>
    [value, raw].some((one) => matches(String(one), list, { absolute: 0, pct: 0 }));
  if (equals !== undefined && !isOf(equals)) return false;
  if (notEquals !== undefined && isOf(notEquals)) return false;
  return typeof value !== "number" || (value > above && value < below);
}

function limited(value: number, { isMagnitude, factor, atLeast, atMost }: Node): number {
  const signed = (isMagnitude ? Math.abs(value) : value) * factor;
  return Math.min(atMost, Math.max(atLeast, signed)) + 0;
}

function foundValue(node: Node, snapshot: Snapshot): Evaluated {
  const { source } = node;
  switch (source.kind) {
    case "sum":
    case "difference":
    case "product":
      return combined(
        node,
        source.kind,
        source.parts.map((part) => ({ part, one: evaluateReading(part, snapshot) })),
        snapshot,
      );
    case "first": {
      let last = nothing();
      for (const part of source.parts) {
        const one = evaluateReading(part, snapshot);
        if (one.value !== undefined) return one;
        if (one.raw !== null) last = one;
      }
      return last;
    }
    case "reading":
      return snapshot.reading(source.name) ?? nothing();
    case "value":
      return { value: source.value, raw: source.value, atMs: snapshot.nowMs };
    case "register":
      return ofRegisters(node, source, snapshot);
    case "sunspec":
      return ofSunSpec(node, source, snapshot);
    case "rct": {
      const read = snapshot.object(source.id);
      if (read === undefined) return nothing();
      const { value, raw } = decodeRegisters(read.words, source.format, node.nan);
      const isNumber = typeof value === "number";
      return {
        value: mapped(node, isNumber ? converted(node, value, node.unit) : value),
        raw,
        atMs: read.atMs,
      };
    }
    case "obis": {
      const found = snapshot.obis(source.code);
      if (found === undefined) return nothing();
      // Powers are given in W, counters in Wh.
      const factor = unitFactor(node.wantedUnit === "kWh" ? "Wh" : "W", node.wantedUnit ?? "") ?? 1;
      return { value: found.value * factor, raw: found.value, atMs: found.atMs };
    }
    default: {
      const received = snapshot.text(source);
      return received === undefined ? nothing() : ofText(node, source.place, received);
    }
  }
}

interface Part {
  part: Node;
  one: Evaluated;
}

function combined(
  node: Node,
  kind: "sum" | "difference" | "product",
  parts: readonly Part[],
  { seen }: Snapshot,
): Evaluated {
  const raws = parts.map(({ one }) => one.raw);
  const raw = raws.every((one) => one === null) ? null : raws.map((one) => one ?? "-").join(", ");
  // A part may only be left out if it never was there: otherwise half a sum would look like a whole one.
  const needed = parts.filter(
    ({ part, one }) =>
      one.value !== undefined || !part.isOptional || (seen.has(part.path) && one.isRefuted !== true),
  );
  const values = needed.map(({ one }) => one.value);
  if (values.length === 0 || !values.every((value) => typeof value === "number")) return nothing(raw);
  const [first = 0, ...rest] = values as number[];
  const value =
    kind === "sum"
      ? rest.reduce((sum, one) => sum + one, first)
      : kind === "difference"
        ? first - (rest[0] ?? 0)
        : rest.reduce((product, one) => product * one, first);
  const atMs = Math.min(...needed.flatMap(({ one }) => one.atMs ?? []));
  return { value: kind === "product" ? converted(node, value, node.unit) : value, raw, atMs };
}

function ofRegisters(
  node: Node,
  source: Extract<ReadingSource, { kind: "register" }>,
  snapshot: Snapshot,
): Evaluated {
  const { unit, fc, address, format, mask, scaleAt } = source;
  const read = snapshot.words(unit, fc, address, format.words, scaleAt);
  if (read === undefined) return nothing();
  const { value, raw } = decodeRegisters(read.words, format, node.nan);
  let exponent = 0;
  if (scaleAt !== undefined) {
    const scale = snapshot.words(unit, fc, scaleAt, 1, address);
    const known = scale && exponentOf(scale.words[0]!);
    if (known === undefined) return nothing(raw);
    exponent = known;
  }
  const place = { unit, address, format, exponent };
  if (value === undefined || typeof value === "string")
    return { value: mapped(node, value), raw, atMs: read.atMs, place };
  const masked = mask === undefined ? value : bitsOf(value, mask);
  return {
    value: mapped(node, converted(node, timesTen(masked, exponent), node.unit)),
    raw,
    atMs: read.atMs,
    place,
  };
}

/** A decimal exponent; undefined where it is not implemented, or makes no sense. */
function exponentOf(word: number): number | undefined {
  const signed = (word << 16) >> 16;
  return Math.abs(signed) > 10 ? undefined : signed;
}

/** Without the digits that a binary fraction adds: 1234 × 10⁻¹ is 123.4. */
function timesTen(value: number, exponent: number): number {
  return exponent < 0 ? value / 10 ** -exponent : value * 10 ** exponent;
}

function bitsOf(value: number, mask: number): number {
  const shift = Math.log2(mask & -mask);
  return (value & mask) >>> shift;
}

function ofSunSpec(
  node: Node,
  source: Extract<ReadingSource, { kind: "sunspec" }>,
  snapshot: Snapshot,
): Evaluated {
  const places = sunSpecPlaces(source, snapshot.models(source.unit));
  const values = places.map(({ model, instance }) => ofPoint(node, source, { model, instance, snapshot }));
  if (values.length === 0) return nothing();
  if (values.length === 1) return values[0]!;
  const parts = values.map((one, index) => {
    const path = `${node.path}#${index}`;
    if (one.value !== undefined) snapshot.seen.add(path);
    return { part: { ...node, path }, one };
  });
  return combined(node, "sum", parts, snapshot);
}

/** The places of a point: one, or several instances of a group. */
export function sunSpecPlaces(
  { models, point, instance }: Extract<ReadingSource, { kind: "sunspec" }>,
  found: readonly SunSpecModel[] | undefined,
): { model: SunSpecModel; instance: number | undefined }[] {
  const model = models.map((id) => found?.find((one) => one.id === id)).find((one) => one !== undefined);
  if (model === undefined) return [];
  if (instance === "") return [{ model, instance: undefined }];
  const count = instancesOf(model, point);
  const number = (text: string) => (Number(text) < 0 ? count + 1 + Number(text) : Number(text));
  const [from = "1", to = from] = instance.split("..");
  const places = [];
  for (let at = number(from); at <= number(to); at++) places.push({ model, instance: at });
  return places;
}

function ofPoint(
  node: Node,
  { unit, point }: Extract<ReadingSource, { kind: "sunspec" }>,
  { model, instance, snapshot }: { model: SunSpecModel; instance: number | undefined; snapshot: Snapshot },
): Evaluated {
  const place = pointOf(model, point, instance);
  if (place === undefined) return nothing();
  const address = model.address + place.offset;
  const scaleAt = place.scaleAt === undefined ? undefined : model.address + place.scaleAt;
  const read = snapshot.words(unit, 3, address, place.words, scaleAt);
  if (read === undefined) return nothing();
  const header = snapshot.words(unit, 3, model.address, 1);
  if (header !== undefined && header.words[0] !== model.id) return nothing();
  const format = { type: place.type, words: place.words, isHighFirst: true, swapsBytes: false };
  const nan = place.isAccumulator && node.nan !== undefined ? [...node.nan, 0] : node.nan;
  const { value, raw } = decodeRegisters(read.words, format, nan);
  let exponent = place.exponent ?? 0;
  if (scaleAt !== undefined) {
    const scale = snapshot.words(unit, 3, scaleAt, 1, address);
    const known = scale && exponentOf(scale.words[0]!);
    if (known === undefined) return nothing(raw);
    exponent = known;
  }
  const at = {
    raw,
    atMs: read.atMs,
    place: { unit, address, format, exponent },
  };
  if (value === undefined || typeof value === "string") return { value: mapped(node, value), ...at };
  const scaled = timesTen(value, exponent);
  return { value: mapped(node, converted(node, scaled, node.unit ?? place.unit)), ...at };
}

function ofText(node: Node, place: TextPlace, received: ReceivedText): Evaluated {
  const { found, unit: unitText, atMs = received.atMs } = placesIn(received, place);
  if (found.length === 0 || found.every((one) => isNothing(one)))
    return node.nullAs === undefined ? nothing() : { value: node.nullAs, raw: null, atMs };
  if (node.map !== undefined && found.length === 1)
    return { value: mapped(node, String(found[0])), raw: String(found[0]), atMs };
  const numbers = found.map((one) => numberOf(node, one));
  if (node.wantedUnit === undefined && found.length === 1 && numbers[0] === undefined)
    return { value: String(found[0]), raw: String(found[0]), atMs };
  const raw = found.length === 1 ? plainOf(found[0]) : found.map(String).join(", ");
  const values = numbers.map((one) => {
    if (one === undefined || node.nan?.includes(one.value) === true) return undefined;
    const unit = unitText ?? (node.unit === "text" ? one.unit : node.unit);
    // A unit that is to be read and is not there is not guessed.
    return unit === undefined && place.unitPointer !== undefined
      ? undefined
      : converted(node, one.value, unit);
  });
  if (!values.every((value) => value !== undefined)) return nothing(raw);
  return { value: values.reduce((sum, one) => sum + one, 0), raw, atMs };
}

function plainOf(value: unknown): number | string {
  return typeof value === "number" ? value : String(value);
}

function isNothing(value: unknown): boolean {
  return (
    value === null ||
    value === undefined ||
    (typeof value === "string" && /^(|null|nan|undef|unknown|unavailable|none)$/i.test(value.trim()))
  );
}

function numberOf({ unit }: Node, value: unknown): { value: number; unit: string } | undefined {
  if (typeof value === "boolean") return { value: Number(value), unit: "" };
  if (typeof value === "number") return Number.isFinite(value) ? { value, unit: "" } : undefined;
  if (typeof value !== "string") return undefined;
  const found = numberWithUnit(value);
  // A unit that the template does not know of is not guessed away.
  return found === undefined || (found.unit !== "" && unit !== "text" && found.unit !== unit)
    ? undefined
    : found;
}

function converted(
  { scale, offset, wantedUnit }: Node,
  value: number,
  unit: string | undefined,
): number | undefined {
  const scaled = value * scale + offset;
  if (wantedUnit === undefined || unit === undefined) return precise(scaled);
  const factor = unitFactor(unit, wantedUnit);
  return factor === undefined ? undefined : precise(scaled * factor);
}

function precise(value: number): number | undefined {
  return Number.isFinite(value) ? Number(value.toPrecision(12)) : undefined;
}

function mapped({ map }: Node, value: number | string | undefined): number | string | undefined {
  return map === undefined || value === undefined ? value : map.get(String(value));
}
