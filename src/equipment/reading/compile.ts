import { render, renderFlag, renderNumber, type Variables } from "../expression.js";
import { ActuatorInputError } from "../input-error.js";
import { FORMAT_KEYS, type RegisterType, type TemplateReadingSpec } from "./reading-schema.js";
import type { RegisterFormat } from "./registers.js";
import { WORDS } from "./registers.js";
import { unitFactor } from "./units.js";

/** A request over HTTP whose answer several readings share. */
export interface TextRequest {
  key: string;
  url: string;
  method: string;
  headers: Readonly<Record<string, string>> | undefined;
  body: string | undefined;
}

/** Where a value is in a text. */
export interface TextPlace {
  pointers: readonly string[];
  regex: RegExp | undefined;
  unitPointer: string | undefined;
  timePointer: string | undefined;
}

export type ReadingSource =
  | {
      kind: "register";
      unit: number;
      fc: 3 | 4;
      address: number;
      format: RegisterFormat;
      mask: number | undefined;
      scaleAt: number | undefined;
    }
  | { kind: "sunspec"; unit: number; models: readonly number[]; point: string; instance: string }
  | { kind: "http"; request: TextRequest; place: TextPlace }
  | { kind: "mqtt"; topic: string; ask: { topic: string; payload: string } | undefined; place: TextPlace }
  | { kind: "udp"; text: string; place: TextPlace }
  | { kind: "obis"; code: string }
  | { kind: "rct"; id: number; format: RegisterFormat }
  | { kind: "value"; value: string | number }
  | { kind: "reading"; name: string }
  | { kind: "sum" | "difference" | "product" | "first"; parts: readonly Node[] };

/** A reading with the parameters of a device, ready to be evaluated. */
export interface Node {
  /** Where it stands in the template. */
  path: string;
  source: ReadingSource;
  /** Raw values that mean "not known", besides those of the type; undefined: every value counts. */
  nan: readonly number[] | undefined;
  scale: number;
  offset: number;
  /** Unit of the value; undefined: that of the reading. `text`: it follows the number. */
  unit: string | undefined;
  /** Unit of the reading that it is a part of; undefined: it is not converted. */
  wantedUnit: string | undefined;
  nullAs: number | undefined;
  map: ReadonlyMap<string, number> | undefined;
  when: Node | undefined;
  condition: ReadingCondition | undefined;
  factor: 1 | -1;
  isMagnitude: boolean;
  atLeast: number;
  atMost: number;
  min: number;
  max: number;
  maxAgeS: number | undefined;
  isOptional: boolean;
  sleeps: boolean;
}

export interface ReadingCondition {
  equals: readonly string[] | undefined;
  notEquals: readonly string[] | undefined;
  above: number;
  below: number;
}

export interface CompileOptions {
  variables: Variables;
  /** Modbus unit of the device. */
  unit: number;
  wantedUnit: string | undefined;
  /** What a positive value of the reading means. */
  positive?: string | undefined;
}

/** Age from which values that a device sends by itself are unknown, s. */
const MAX_AGE_S: Readonly<Partial<Record<ReadingSource["kind"], number>>> = { mqtt: 300, obis: 30 };

/** A reading of a template; undefined if an expression in its `when` is false. Throws ActuatorInputError, ExpressionError. */
export function compileReading(
  spec: TemplateReadingSpec,
  path: string,
  options: CompileOptions,
): Node | undefined {
  const { when } = spec;
  if (typeof when === "string" && !renderFlag(when, options.variables)) return undefined;
  const source = sourceOf(spec, path, options);
  const isCombined = "parts" in source;
  const unit = spec.unit ?? (source.kind === "obis" ? "" : undefined);
  const node: Node = {
    path,
    source,
    nan: nanOf(spec, options.variables),
    scale: isCombined && source.kind !== "product" ? 1 : number(spec.scale, 1, options),
    offset: isCombined && source.kind !== "product" ? 0 : number(spec.offset, 0, options),
    unit,
    wantedUnit: isCombined && source.kind !== "product" ? undefined : options.wantedUnit,
    nullAs: spec.null_as,
    map: spec.map && new Map(Object.entries(spec.map).map(([key, value]) => [key, Number(value)])),
    when:
      typeof when === "object"
        ? compileReading(inherited(when, spec), `${path}.when`, { ...options, wantedUnit: undefined })
        : undefined,
    condition: conditionOf(spec, options.variables),
    factor: factorOf(spec, path, options),
    isMagnitude: spec.abs === true,
    atLeast: spec.at_least ?? -Infinity,
    atMost: spec.at_most ?? Infinity,
    min: spec.min ?? -Infinity,
    max: spec.max ?? Infinity,
    maxAgeS: spec.max_age_s === undefined ? MAX_AGE_S[source.kind] : number(spec.max_age_s, 0, options),
    isOptional: spec.optional === true,
    sleeps: spec.sleeps === true,
  };
  checkUnit(node);
  return node;
}

/** Units are converted, never guessed. */
function checkUnit({ path, source, unit, wantedUnit }: Node): void {
  if (wantedUnit === undefined || wantedUnit === "") return;
  // These bring their own.
  if (source.kind === "sunspec" && unit === undefined) return;
  if (source.kind === "reading" || source.kind === "obis" || unit === "text") return;
  if ("place" in source && source.place.unitPointer !== undefined) return;
  if (unit === undefined)
    throw new ActuatorInputError(`${path} has no unit; it must be one of ${wantedUnit}.`);
  if (unitFactor(unit, wantedUnit) === undefined)
    throw new ActuatorInputError(`${path}: the unit "${unit}" cannot be converted to ${wantedUnit}.`);
}

function sourceOf(spec: TemplateReadingSpec, path: string, options: CompileOptions): ReadingSource {
  const { variables } = options;
  const text = (value: string) => render(value, variables).trim();
  const unit = number(spec.unit_id, options.unit, options);
  for (const kind of ["sum", "difference", "product", "first"] as const) {
    const parts = spec[kind];
    if (parts === undefined) continue;
    // Only a product is converted as a whole.
    const inner = kind === "product" ? { ...options, wantedUnit: undefined } : options;
    const compiled = parts.flatMap(
      (part, index) => compileReading(inherited(part, spec), `${path}.${kind}.${index}`, inner) ?? [],
    );
    return { kind, parts: compiled };
  }
  if (spec.holding !== undefined || spec.input !== undefined) {
    const type = typeOf(spec.type);
    return {
      kind: "register",
      unit,
      fc: spec.holding === undefined ? 4 : 3,
      address: number(spec.holding ?? spec.input, 0, options),
      format: {
        type,
        words:
          spec.words !== undefined && (type === "string" || type === "bitfield") ? spec.words : WORDS[type],
        isHighFirst: spec.order !== "le",
        swapsBytes: spec.swap_bytes === true,
      },
      mask: spec.mask,
      scaleAt: spec.scale_from === undefined ? undefined : number(spec.scale_from, 0, options),
    };
  }
  if (spec.sunspec !== undefined) {
    const [models, point, instance = ""] = spec.sunspec;
    return {
      kind: "sunspec",
      unit,
      models: (Array.isArray(models) ? models : [models]).map(Number),
      point: String(point),
      instance: String(instance),
    };
  }
  const place = placeOf(spec, variables);
  if (spec.rct !== undefined) {
    const type = typeOf(spec.type ?? "f32");
    const format = { type, words: WORDS[type], isHighFirst: true, swapsBytes: false };
    return { kind: "rct", id: spec.rct, format };
  }
  if (spec.obis !== undefined) return { kind: "obis", code: spec.obis };
  if (spec.value !== undefined)
    return { kind: "value", value: typeof spec.value === "string" ? text(spec.value) : Number(spec.value) };
  if (spec.reading !== undefined) return { kind: "reading", name: spec.reading };
  if (spec.url !== undefined) {
    const url = text(spec.url);
    const { method = spec.body === undefined ? "GET" : "POST" } = spec;
    const body = spec.body === undefined ? undefined : render(spec.body, variables);
    const headers =
      spec.headers &&
      Object.fromEntries(
        Object.entries(spec.headers).map(([name, value]) => [name, render(value, variables)]),
      );
    return {
      kind: "http",
      request: { key: JSON.stringify([method, url, body]), url, method, headers, body },
      place,
    };
  }
  if (spec.topic !== undefined) {
    const ask = spec.ask && {
      topic: text(spec.ask.topic),
      payload: render(spec.ask.payload ?? "", variables),
    };
    return { kind: "mqtt", topic: text(spec.topic), ask, place };
  }
  if (spec.send !== undefined) return { kind: "udp", text: text(spec.send), place };
  throw new ActuatorInputError(`${path} has no source.`);
}

function placeOf(
  { pointer = [], regex, unit_pointer, time_pointer }: TemplateReadingSpec,
  variables: Variables,
): TextPlace {
  return {
    pointers: (Array.isArray(pointer) ? pointer : [pointer]).map((one) => render(one, variables).trim()),
    regex: regex === undefined ? undefined : new RegExp(regex),
    unitPointer: unit_pointer,
    timePointer: time_pointer,
  };
}

/** A part with the format keys of the reading around it that it does not state. */
function inherited(part: TemplateReadingSpec, outer: TemplateReadingSpec): TemplateReadingSpec {
  const given = Object.fromEntries(
    FORMAT_KEYS.filter((key) => outer[key] !== undefined && !isOtherSource(key, part)).map((key) => [
      key,
      outer[key],
    ]),
  ) as TemplateReadingSpec;
  return { ...given, ...part };
}

/** A part with a source of its own does not take the one around it. */
function isOtherSource(key: string, part: TemplateReadingSpec): boolean {
  const own = [
    "holding",
    "input",
    "sunspec",
    "obis",
    "rct",
    "value",
    "reading",
    "url",
    "topic",
    "send",
  ] as const;
  return ["url", "topic", "send"].includes(key) && own.some((one) => part[one] !== undefined && one !== key);
}

function typeOf(type: string | undefined): RegisterType {
  const short = type
    ?.replace(/^uint/, "u")
    .replace(/^int/, "i")
    .replace(/^float/, "f");
  return (short ?? "u16") as RegisterType;
}

function nanOf({ nan }: TemplateReadingSpec, variables: Variables): readonly number[] | undefined {
  if (nan === "none") return undefined;
  return Array.isArray(nan) ? nan.map((one) => renderNumber(one, variables)) : [];
}

function number(value: string | number | undefined, preset: number, { variables }: CompileOptions): number {
  return value === undefined ? preset : renderNumber(value, variables);
}

function conditionOf(spec: TemplateReadingSpec, variables: Variables): ReadingCondition | undefined {
  const { equals, not_equals: notEquals, above = -Infinity, below = Infinity } = spec;
  if (equals === undefined && notEquals === undefined && spec.above === undefined && spec.below === undefined)
    return undefined;
  const list = (value: NonNullable<typeof equals>) =>
    (Array.isArray(value) ? value : [value]).map((one) => render(String(one), variables));
  return {
    equals: equals === undefined ? undefined : list(equals),
    notEquals: notEquals === undefined ? undefined : list(notEquals),
    above,
    below,
  };
}

/** Meanings of a positive value, and their opposites. */
const OPPOSITE: Readonly<Record<string, string>> = {
  import: "export",
  export: "import",
  charging: "discharging",
  discharging: "charging",
  production: "consumption",
  consumption: "production",
};

function factorOf({ sign }: TemplateReadingSpec, path: string, { positive }: CompileOptions): 1 | -1 {
  if (sign === undefined || sign === 1) return 1;
  if (sign === -1) return -1;
  const meaning = sign.slice(1);
  if (meaning !== positive && OPPOSITE[meaning] !== positive)
    throw new ActuatorInputError(
      `${path}: the sign "${sign}" does not fit; it must be +${positive} or +${OPPOSITE[positive ?? ""]}.`,
    );
  return (meaning === positive) === sign.startsWith("+") ? 1 : -1;
}

/** All sources of readings, in the order of their use. */
export function sourcesOf(nodes: Iterable<Node>): ReadingSource[] {
  const sources: ReadingSource[] = [];
  const visit = ({ source, when }: Node): void => {
    if (when !== undefined) visit(when);
    if ("parts" in source) source.parts.forEach(visit);
    else sources.push(source);
  };
  for (const node of nodes) visit(node);
  return sources;
}
