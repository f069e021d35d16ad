import type { KeyPath } from "../../config/schema/node.js";
import { type FieldTexts, textOf, typedValue } from "./field-text.js";
import { feeOf } from "./grid-fee.js";
import { FEE_BASE, FEE_FIELDS, FEE_PREFIX, type HeldSettings, heldTexts } from "./held-texts.js";
import { type Field, fieldsOf, isList, PLACE_KEYS, prefixOf, SECTIONS, type Section } from "./sections.js";

/** The change that a submitted form contains. */
export interface FormChange {
  /** Sections named in the form. */
  touched: readonly Section[];
  /** Complete sections for the registry; invalid texts are left as typed. */
  plant: Record<string, unknown>;
  /** Topics of other devices; undefined: unchanged. */
  telemetry: object[] | undefined;
  /** All values of the page: the saved ones, overridden by the typed ones. */
  texts: FieldTexts;
  /** The name of the field for a path of the settings; the dotted path if there is none. */
  nameOf(path: KeyPath): string;
}

/** Rows to remove, by prefix, such as `pv.1.`. */
export type Removals = ReadonlySet<string>;

/**
 * Reads a submitted form section by section: its fields override the saved values. Absent fields keep their
 * value; an empty one means the default, or nothing where that is allowed.
 */
export function readSettingsForm(
  posted: FieldTexts,
  held: HeldSettings,
  removals: Removals = new Set(),
): FormChange {
  const before = heldTexts(held);
  const texts = new Map([...before, ...posted]);
  const from = { texts, before, removals };
  const touched = SECTIONS.filter((section) => isTouched(section, posted, removals));
  const plant: Record<string, unknown> = {};
  const names = new Map<string, string>();
  let telemetry: object[] | undefined;
  for (const section of touched) {
    if (section === "place") {
      Object.assign(plant, objectOf(texts, "", fieldsOf("place"), true));
      continue;
    }
    if (!isList(section)) {
      plant[section] = objectOf(texts, prefixOf(section), fieldsOf(section));
      continue;
    }
    const rows = rowsOf(prefixOf(section), fieldsOf(section), from, section === "slots");
    for (const [index, row] of rows.entries()) names.set(`${section}.${index}`, prefixOf(section) + row.name);
    const values = rows.map(({ name, value }) =>
      section === "slots" ? { slot: Number(name), ...value } : value,
    );
    if (section === "telemetry") telemetry = values;
    else plant[section] = values;
  }
  if (touched.includes("tariff")) {
    const base = typedValue(texts.get("tariff.grid_fee_ct_kwh") ?? "", FEE_BASE);
    const rows = rowsOf(FEE_PREFIX, FEE_FIELDS, from, false);
    const fee = feeOf(
      base,
      rows.map(({ value }) => value),
    );
    if (fee !== undefined) (plant.tariff as Record<string, unknown>).grid_fee_ct_kwh = fee;
    const first = base === undefined ? 0 : 1;
    names.set("tariff.grid_fee_ct_kwh.0", "tariff.grid_fee_ct_kwh");
    for (const [index, row] of rows.entries())
      names.set(`tariff.grid_fee_ct_kwh.${index + first}`, FEE_PREFIX + row.name);
  }
  return { touched, plant, telemetry, texts, nameOf: (path) => nameOf(path, names) };
}

function isTouched(section: Section, posted: FieldTexts, removals: Removals): boolean {
  const prefix = prefixOf(section);
  if (section === "place") return PLACE_KEYS.some((key) => posted.has(key));
  return [...posted.keys(), ...removals].some((name) => name.startsWith(prefix));
}

/** The values below a prefix; `keepEmpty` keeps empty ones, for keys at the level of other sections. */
function objectOf(texts: FieldTexts, prefix: string, fields: readonly Field[], keepEmpty = false) {
  const object: Record<string, unknown> = {};
  for (const field of fields) {
    const value = typedValue(texts.get(prefix + field.path.join(".")) ?? "", field);
    // An absent key gets its default; with `keepEmpty` it is set, since the configured value would otherwise remain.
    if (value === undefined && !keepEmpty) continue;
    let at = object;
    for (const key of field.path.slice(0, -1)) {
      at[key] ??= {};
      at = at[key] as Record<string, unknown>;
    }
    at[field.path.at(-1)!] = value === undefined ? field.node.default : value;
  }
  return object;
}

interface Row {
  name: string;
  value: Record<string, unknown>;
}

interface Sources {
  texts: FieldTexts;
  /** The saved values. */
  before: FieldTexts;
  removals: Removals;
}

/** Maximum length of a row name: a position or a slot number. */
const ROW = /^(0|[1-9]\d{0,3})$/;

function rowsOf(prefix: string, fields: readonly Field[], from: Sources, blankCounts: boolean): Row[] {
  const names = new Set<string>();
  for (const name of from.texts.keys()) {
    if (!name.startsWith(prefix)) continue;
    const [row = "", ...rest] = name.slice(prefix.length).split(".");
    if (ROW.test(row) && fields.some(({ path }) => path.join(".") === rest.join("."))) names.add(row);
  }
  const isHeld = (row: string) => [...from.before.keys()].some((name) => name.startsWith(`${prefix}${row}.`));
  return [...names]
    .sort((a, b) => Number(a) - Number(b))
    .filter((row) => !from.removals.has(`${prefix}${row}.`))
    .filter((row) => blankCounts || isHeld(row) || !isBlank(from.texts, `${prefix}${row}.`, fields))
    .map((name) => ({ name, value: objectOf(from.texts, `${prefix}${name}.`, fields) }));
}

/** Whether a row is the empty row for a new entry, unchanged. */
function isBlank(texts: FieldTexts, prefix: string, fields: readonly Field[]): boolean {
  const required = fields.filter((field) => field.required);
  const textAt = ({ path }: Field) => (texts.get(prefix + path.join(".")) ?? "").trim();
  // A select field always has a value; an unknown value is rejected rather than dropped.
  const isChoice = (field: Field) =>
    field.kind === "choice" && field.node.enum?.includes(textAt(field)) === true;
  const isDefault = (field: Field) =>
    isChoice(field) ||
    textAt(field) === "" ||
    textOf(typedValue(textAt(field), field)) === textOf(field.node.default);
  return (
    required.every((field) => field.kind === "choice" || textAt(field) === "") &&
    fields.every((field) => isDefault(field))
  );
}

function nameOf(path: KeyPath, names: ReadonlyMap<string, string>): string {
  for (const length of [3, 2]) {
    const row = names.get(path.slice(0, length).join("."));
    if (row === undefined) continue;
    const rest = path.slice(length);
    // The base of the grid fee is a single field.
    return row === "tariff.grid_fee_ct_kwh" ? row : [row, ...rest].join(".");
  }
  return path.join(".");
}
