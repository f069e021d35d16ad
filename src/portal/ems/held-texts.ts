import { childNodes } from "../../config/kit/node.js";
import { tariffSchema } from "../../config/schema/tariff.js";
import type { PlantSettings, TelemetryMapEntry } from "../../config/settings.js";
import { type FieldTexts, textOf } from "./field-text.js";
import { feeParts } from "./grid-fee.js";
import { type Field, fieldsOf, isList, prefixOf, SECTIONS, type Section } from "./sections.js";

/** The settings that the page shows: those in force, defaults filled in. */
export interface HeldSettings {
  plant: PlantSettings;
  telemetry: readonly TelemetryMapEntry[];
}

/** Prefix of the rows of the grid fee. */
export const FEE_PREFIX = "tariff.grid_fee_ct_kwh.";

/** The base of the grid fee, outside of its windows. */
export const FEE_BASE: Field = {
  path: ["grid_fee_ct_kwh"],
  kind: "number",
  node: { type: "number", minimum: -100, maximum: 1000, unit: "ct/kWh", default: 0 },
  required: false,
};

/** The fields of one window of the grid fee. */
export const FEE_FIELDS: readonly Field[] = (["months", "hours", "ct_kwh"] as const).map((key) => {
  const [node] = childNodes(tariffSchema.properties.grid_fee_ct_kwh.items, key);
  return {
    path: [key],
    kind: key === "ct_kwh" ? "number" : "text",
    node: node!,
    required: key === "ct_kwh",
  };
});

/** What each field of the page holds now, by its name. */
export function heldTexts(held: HeldSettings): Map<string, string> {
  const texts = new Map<string, string>();
  for (const section of SECTIONS) {
    const prefix = prefixOf(section);
    if (!isList(section)) put(texts, prefix, fieldsOf(section), sectionValue(held, section));
    else
      for (const [row, value] of heldRows(held, section))
        put(texts, `${prefix}${row}.`, fieldsOf(section), value);
  }
  const { tariff } = held.plant;
  if (tariff !== null && !Array.isArray(tariff)) {
    const fee = tariff.grid_fee_ct_kwh;
    const { baseCtKwh, windows } = feeParts(fee);
    texts.set("tariff.grid_fee_ct_kwh", textOf(baseCtKwh));
    for (const [index, window] of windows.entries()) put(texts, `${FEE_PREFIX}${index}.`, FEE_FIELDS, window);
  }
  return texts;
}

/** The rows of a list by the name of the row: its position, or the number of the slot. */
function heldRows(
  held: HeldSettings,
  section: "batteries" | "pv" | "slots" | "telemetry",
): [string, object][] {
  if (section === "slots") return held.plant.slots.map((slot) => [String(slot.slot), slot]);
  const entries: readonly object[] = section === "telemetry" ? held.telemetry : held.plant[section];
  return entries.map((entry, index) => [String(index), entry]);
}

function sectionValue(
  { plant }: HeldSettings,
  section: Exclude<Section, "batteries" | "pv" | "slots" | "telemetry">,
) {
  // Beside several batteries it is their sum.
  if (section === "battery" && plant.batteries.length > 0) return null;
  return section === "place" ? plant : plant[section];
}

function put(texts: Map<string, string>, prefix: string, fields: readonly Field[], value: object | null) {
  if (value === null) return;
  for (const { path } of fields) {
    const found = path.reduce<unknown>((at, key) => (at as Record<string, unknown> | null)?.[key], value);
    // Fields of an absent vehicle or tank show their defaults.
    if (found !== undefined) texts.set(prefix + path.join("."), textOf(found));
  }
}

/** The rows below a prefix that have a text in one of their required fields; the row offered empty is none of them. */
export function rowsIn(texts: FieldTexts, prefix: string): string[] {
  const rows = new Set<string>();
  for (const [name, text] of texts) {
    const [row = "", ...rest] = name.startsWith(prefix) ? name.slice(prefix.length).split(".") : [];
    const isRequired = /^(id|peak_kw|topic|ct_kwh|kind)$/.test(rest.join("."));
    if (/^\d{1,4}$/.test(row) && isRequired && text !== "") rows.add(row);
  }
  return [...rows].sort((a, b) => Number(a) - Number(b));
}
