import type { PlantSettings, TelemetryMapEntry } from "../../config/settings.js";
import { type Field, textOf } from "./field-text.js";
import { fieldsOf } from "./fields.js";
import { isList, prefixOf, type RowKind, SECTIONS, type Section } from "./sections.js";
import { arrayRows } from "./shared-inverters.js";

/** The settings that the page shows: those in force, defaults filled in. */
export interface HeldSettings {
  /** The id of the site, which is its name where it has none. */
  id?: string;
  plant: PlantSettings;
  telemetry: readonly TelemetryMapEntry[];
}

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
  return texts;
}

/** The rows of a list by the name of the row: its position, or the number of the slot. */
function heldRows(held: HeldSettings, section: RowKind): [string, object][] {
  if (section === "slots") return held.plant.slots.map((slot) => [String(slot.slot), slot]);
  if (section === "pv") return arrayRows(held.plant).map((array, index) => [String(index), array]);
  const entries: readonly object[] = section === "telemetry" ? held.telemetry : held.plant[section];
  return entries.map((entry, index) => [String(index), entry]);
}

function sectionValue({ id, plant }: HeldSettings, section: Exclude<Section, RowKind>): object | null {
  // Beside several batteries it is their sum.
  if (section === "battery" && plant.batteries.length > 0) return null;
  if (section !== "place") return plant[section];
  return plant.name === id ? { ...plant, name: "" } : plant;
}

function put(texts: Map<string, string>, prefix: string, fields: readonly Field[], value: object | null) {
  if (value === null) return;
  const textAt = (key: string) => texts.get(prefix + key) ?? "";
  for (const { path, kind, node, filler } of fields) {
    if (filler !== undefined) {
      texts.set(prefix + filler.key, filler.shown(textAt));
      continue;
    }
    const found = path.reduce<unknown>((at, key) => (at as Record<string, unknown> | null)?.[key], value);
    // Fields of an absent vehicle or tank show their defaults.
    if (found !== undefined)
      texts.set(prefix + path.join("."), textOf(kind === "choices" ? (found ?? node.default) : found));
  }
}
