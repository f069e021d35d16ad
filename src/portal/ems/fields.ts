import { type SchemaNode, typesOf } from "../../config/kit/node.js";
import { mqttSchema } from "../../config/schema/mqtt.js";
import { plantSchema } from "../../config/schema/plant.js";
import { DEFAULT_CONTROLS } from "../../core/domain/battery.js";
import { type Field, type InputKind, textOf } from "./field-text.js";
import { FILLERS, type Filler } from "./fillers.js";
import { isList, PLACE_KEYS, prefixOf, type RowKind, SECTIONS, type Section } from "./sections.js";

/** Keys that say themselves where a row belongs. */
const LEFT_OUT = new Set(["slots.slot", "telemetry.plant"]);

/**
 * The fields of a section (of one row, for a list) in the order of the configuration's schema, and those that fill them. The
 * tariff has fields by its periods: see tariff-fields.ts.
 */
export function fieldsOf(section: Section): readonly Field[] {
  const known = FIELDS.get(section) ?? [...readFields(section), ...(FILLERS[section] ?? []).map(fillerField)];
  FIELDS.set(section, known);
  return known;
}

const FIELDS = new Map<Section, readonly Field[]>();

function readFields(section: Section): Field[] {
  const { properties } = plantSchema;
  if (section === "place") return PLACE_KEYS.map((key) => fieldOf([key], properties[key], false));
  if (section === "tariff") return [];
  if (section === "telemetry") return below(section, mqttSchema.properties.telemetry.items);
  return below(section, isList(section) ? properties[section].items : properties[section]);
}

/** The field of a name as it stands in the form. */
export function fieldNamed(name: string): Field | undefined {
  for (const section of SECTIONS) {
    const prefix = prefixOf(section);
    if (!name.startsWith(prefix)) continue;
    const parts = name.slice(prefix.length).split(".");
    if (isList(section) && !ROW.test(parts[0]!)) continue;
    const key = (isList(section) ? parts.slice(1) : parts).join(".");
    const found = fieldsOf(section).find(({ path }) => path.join(".") === key);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Fields that are empty where what they belong to does not exist. */
const EMPTY = ["capacity_kwh", "sg_ready.dwell_min"];

/** What a field shows that holds nothing. */
export function initialText({ path, node }: Field): string {
  return EMPTY.includes(path.join(".")) ? "" : textOf(node.default);
}

/** Longest name of a row: positions and slot numbers are short. */
const ROW = /^(0|[1-9]\d{0,3})$/;

/** The names of the rows below a prefix, in their order; `keys`: only those with one of these fields. */
export function rowNames(names: Iterable<string>, prefix: string, keys?: readonly string[]): string[] {
  const rows = new Set<string>();
  for (const name of names) {
    if (!name.startsWith(prefix)) continue;
    const [row = "", ...key] = name.slice(prefix.length).split(".");
    if (ROW.test(row) && keys?.includes(key.join(".")) !== false) rows.add(row);
  }
  return [...rows].sort((a, b) => Number(a) - Number(b));
}

/** The rows of a list in which something was entered; the row that is offered empty is none of them. */
export function rowsIn(texts: ReadonlyMap<string, string>, kind: RowKind): string[] {
  const fields = fieldsOf(kind).filter(({ part, filler }) => part === undefined && filler === undefined);
  // A row is there with the first thing that it needs; a device needs nothing but always has a kind.
  const first = fields.find((field) => field.required) ?? fields.find((field) => field.kind === "choice");
  const key = first?.path.join(".") ?? "";
  const prefix = prefixOf(kind);
  return rowNames(texts.keys(), prefix, [key]).filter((row) => texts.get(`${prefix}${row}.${key}`) !== "");
}

function below(section: string, node: SchemaNode, path: readonly string[] = []): Field[] {
  return Object.entries(node.properties ?? {}).flatMap(([key, child]) => {
    const at = [...path, key];
    if (LEFT_OUT.has([section, ...at].join("."))) return [];
    if (child.properties !== undefined && !typesOf(child).includes("string")) {
      const fields = below(section, child, at);
      if (!typesOf(child).includes("null")) return fields;
      // A part that requires nothing is there where its first field is filled in.
      const first = fields.some(({ required }) => required) ? undefined : fields[0];
      return fields.map((field) => ({ ...field, part: key, required: field.required || field === first }));
    }
    return [fieldOf(at, child, node.required?.includes(key) === true)];
  });
}

function fillerField(filler: Filler): Field {
  const { key, kind, unit, initial = "" } = filler;
  const type = kind === "number" ? "number" : "string";
  const node = { type, default: initial, ...(unit !== undefined && { unit }) };
  return { path: [key], kind, node, required: false, filler };
}

function fieldOf(path: readonly string[], of: SchemaNode, required: boolean): Field {
  // A form shows what applies where the settings name nothing.
  const node = path.at(-1) === "controls" ? { ...of, type: "array", default: DEFAULT_CONTROLS } : of;
  return { path, node, required, kind: kindOf(node) };
}

function kindOf(node: SchemaNode): InputKind {
  if (node.enum !== undefined) return "choice";
  const types = typesOf(node);
  if (types.includes("object")) return "weekdays";
  if (types.includes("array")) return node.items?.enum === undefined ? "numbers" : "choices";
  if (types.includes("boolean")) return "boolean";
  return types.includes("number") || types.includes("integer") ? "number" : "text";
}
