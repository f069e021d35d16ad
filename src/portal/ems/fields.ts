import { childNodes, type SchemaNode, typesOf } from "../../config/kit/node.js";
import { mqttSchema } from "../../config/schema/mqtt.js";
import { plantSchema } from "../../config/schema/plant.js";
import { tariffSchema } from "../../config/schema/tariff.js";
import { DEFAULT_CONTROLS } from "../../core/domain/battery.js";
import { isList, PLACE_KEYS, prefixOf, SECTIONS, type Section } from "./sections.js";

/**
 * Kind of input: `numbers` is a list of numbers in one field, `choices` a checkbox per choice, `weekdays` a value or one
 * per weekday (`mon 07:00 sat 09:30`).
 */
type FieldKind = "number" | "boolean" | "choice" | "choices" | "text" | "numbers" | "weekdays";

/** One field of a section, or of one row of a list. */
export interface Field {
  /** Keys below the section or the row. */
  path: readonly string[];
  kind: FieldKind;
  node: SchemaNode;
  required: boolean;
  /** Optional section within the row, such as `vehicle` of a slot: it exists where its required fields are filled in. */
  part?: string;
}

/** Fields that every home needs, by section or prefix; the others are folded. Left out: all. */
const BASIC: Readonly<Partial<Record<Section | "fee", readonly string[]>>> = {
  battery: ["capacity_kwh", "max_charge_power_kw", "max_discharge_power_kw", "min_soc_pct", "controls"],
  batteries: [
    "id",
    "capacity_kwh",
    "max_charge_power_kw",
    "max_discharge_power_kw",
    "min_soc_pct",
    "controls",
  ],
  pv: ["peak_kw", "tilt_deg", "azimuth_deg"],
  load: ["daily_kwh"],
  tariff: ["markup_ct_kwh", "levies_ct_kwh", "grid_fee_ct_kwh", "vat_pct", "feed_in.type", "feed_in.ct_kwh"],
  slots: ["label", "kind", "power_kw", "window_start_hour", "window_end_hour", "energy_kwh", "hours"],
  telemetry: ["topic", "path", "field", "scale"],
};

/** Whether a field is shown at once. The parts of a device are folded as a whole. */
export function isBasic(section: Section | "fee", { path }: Pick<Field, "path">): boolean {
  return (section === "slots" && path.length > 1) || (BASIC[section]?.includes(path.join(".")) ?? true);
}

/** Keys that say themselves where a row belongs, and the grid fee, which has rows of its own (see grid-fee.ts). */
const LEFT_OUT = new Set(["slots.slot", "telemetry.plant", "tariff.grid_fee_ct_kwh"]);

/** The fields of a section (of one row, for a list) in the order of the configuration's schema. */
export function fieldsOf(section: Section): readonly Field[] {
  const known = FIELDS.get(section) ?? readFields(section);
  FIELDS.set(section, known);
  return known;
}

const FIELDS = new Map<Section, readonly Field[]>();

function readFields(section: Section): Field[] {
  const properties = plantSchema.properties;
  switch (section) {
    case "place":
      return PLACE_KEYS.map((key) => fieldOf([key], properties[key], false));
    case "batteries":
    case "pv":
    case "slots":
      return below(section, properties[section].items);
    case "telemetry":
      return below(section, mqttSchema.properties.telemetry.items);
    default:
      return below(section, properties[section]);
  }
}

/** The base of the grid fee, outside of its windows. */
export const FEE_BASE: Field = {
  path: ["grid_fee_ct_kwh"],
  kind: "number",
  node: { type: "number", minimum: -100, maximum: 1000, unit: "ct/kWh", default: 0 },
  required: false,
};

/** The fields of one window of the grid fee. */
const FEE_FIELDS: readonly Field[] = (["months", "hours", "ct_kwh"] as const).map((key) => {
  const [node] = childNodes(tariffSchema.properties.grid_fee_ct_kwh.items, key);
  return {
    path: [key],
    kind: key === "ct_kwh" ? "number" : "text",
    node: node!,
    required: key === "ct_kwh",
  };
});

/** Lists of a page; `fee` are the time windows of the grid fee. */
export type RowKind = "batteries" | "pv" | "slots" | "telemetry" | "fee";

/** Prefix of the rows of the grid fee. */
export const FEE_PREFIX = "tariff.grid_fee_ct_kwh.";

/** Prefix of the rows of a list. */
export function rowPrefix(kind: RowKind): string {
  return kind === "fee" ? FEE_PREFIX : prefixOf(kind);
}

/** The fields of one row of a list. */
export function rowFieldsOf(kind: RowKind): readonly Field[] {
  return kind === "fee" ? FEE_FIELDS : fieldsOf(kind);
}

/** The field of a name as it stands in the form. */
export function fieldNamed(name: string): Field | undefined {
  if (name === "tariff.grid_fee_ct_kwh") return FEE_BASE;
  const lists: [prefix: string, fields: readonly Field[], hasRows: boolean][] = [
    [FEE_PREFIX, FEE_FIELDS, true],
    ...SECTIONS.map((section): [string, readonly Field[], boolean] => [
      prefixOf(section),
      fieldsOf(section),
      isList(section),
    ]),
  ];
  for (const [prefix, fields, hasRows] of lists) {
    if (!name.startsWith(prefix)) continue;
    const parts = name.slice(prefix.length).split(".");
    const key = (hasRows ? parts.slice(1) : parts).join(".");
    const found = fields.find(({ path }) => path.join(".") === key);
    if (found !== undefined) return found;
  }
  return undefined;
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
  const fields = rowFieldsOf(kind).filter(({ part }) => part === undefined);
  // A row is there with the first thing that it needs; a device needs nothing but always has a kind.
  const first = fields.find((field) => field.required) ?? fields.find((field) => field.kind === "choice");
  const key = first?.path.join(".") ?? "";
  const prefix = rowPrefix(kind);
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

function fieldOf(path: readonly string[], of: SchemaNode, required: boolean): Field {
  // A form shows what applies where the settings name nothing.
  const node = path.at(-1) === "controls" ? { ...of, type: "array", default: DEFAULT_CONTROLS } : of;
  return { path, node, required, kind: kindOf(node) };
}

function kindOf(node: SchemaNode): FieldKind {
  if (node.enum !== undefined) return "choice";
  const types = typesOf(node);
  if (types.includes("object")) return "weekdays";
  if (types.includes("array")) return node.items?.enum === undefined ? "numbers" : "choices";
  if (types.includes("boolean")) return "boolean";
  return types.includes("number") || types.includes("integer") ? "number" : "text";
}
