import type { SchemaNode } from "../../config/kit/node.js";
import { typesOf } from "../../config/kit/node.js";
import { mqttSchema } from "../../config/schema/mqtt.js";
import { plantSchema } from "../../config/schema/plant.js";

/** The sections of the page in order; each is a separate form. */
export const SECTIONS = [
  "place",
  "battery",
  "batteries",
  "pv",
  "load",
  "grid",
  "tariff",
  "slots",
  "telemetry",
] as const;

export type Section = (typeof SECTIONS)[number];

/** The subjects of "My home" in order; each has a page. */
export const SUBJECTS = ["place", "battery", "pv", "load", "grid", "tariff", "slots", "telemetry"] as const;

export type Subject = (typeof SUBJECTS)[number];

/** Section of the name of a field. */
export function sectionOf(name: string): Section {
  if (name.startsWith("mqtt.telemetry")) return "telemetry";
  const [head] = name.split(".");
  return SECTIONS.find((section) => section === head && section !== "telemetry") ?? "place";
}

/** The page of a section: several batteries are on that of the battery. */
export function subjectOf(section: Section): Subject {
  return section === "batteries" ? "battery" : section;
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

/** Top-level keys of the plant without a section of their own. */
export const PLACE_KEYS = ["name", "latitude", "longitude", "timezone"] as const;

/** Keys that say themselves where a row belongs, and the grid fee, which has rows of its own (see grid-fee.ts). */
const LEFT_OUT = new Set(["slots.slot", "telemetry.plant", "tariff.grid_fee_ct_kwh"]);

/** Prefix of the field names of a section. */
export function prefixOf(section: Section): string {
  if (section === "place") return "";
  return section === "telemetry" ? "mqtt.telemetry." : `${section}.`;
}

/** True for sections with rows, `pv.<row>.peak_kw`. */
export function isList(section: Section): section is "batteries" | "pv" | "slots" | "telemetry" {
  return section === "batteries" || section === "pv" || section === "slots" || section === "telemetry";
}

/** True for optional sections. */
export function isOptional(section: Section): section is "battery" | "tariff" {
  return section === "battery" || section === "tariff";
}

/** The fields of a section (of one row, for a list) in the order of the configuration's schema. */
export function fieldsOf(section: Section): Field[] {
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

/** True for a field that is posted once for each of its choices. */
export function isChoices(name: string): boolean {
  return SECTIONS.some((section) =>
    fieldsOf(section).some(({ kind, path }) => {
      if (kind !== "choices" || !name.startsWith(prefixOf(section))) return false;
      const rest = name.slice(prefixOf(section).length);
      return (isList(section) ? rest.replace(/^\d+\./, "") : rest) === path.join(".");
    }),
  );
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

function fieldOf(path: readonly string[], node: SchemaNode, required: boolean): Field {
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
