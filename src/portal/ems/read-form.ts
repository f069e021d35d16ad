import type { KeyPath } from "../../config/kit/node.js";
import type { BatterySettings } from "../../config/settings.js";
import { DEFAULT_CONTROLS } from "../../core/domain/battery.js";
import type { Language } from "../../core/language.js";
import { textsOf } from "../../texts/index.js";
import type { FieldErrors } from "../ui/form.js";
import { type Field, type FieldTexts, isDefault, isSameText, textOf, typedValue } from "./field-text.js";
import { fieldNamed, fieldsOf, initialText, rowNames } from "./fields.js";
import { FILLERS } from "./fillers.js";
import { type HeldSettings, heldTexts } from "./held-texts.js";
import { isList, PLACE_KEYS, prefixOf, SECTIONS, type Section, sectionOf } from "./sections.js";
import { arraysOfRows } from "./shared-inverters.js";

/** What a posted form asks for. */
export interface FormChange {
  /** Sections of which the form changes something. */
  touched: readonly Section[];
  /** Whole sections as the registry takes them; texts that do not fit are left as they were typed. */
  plant: Record<string, unknown>;
  /** Topics of other devices; undefined: not touched. */
  telemetry: object[] | undefined;
  /** Choices that set other fields and are none. */
  errors: FieldErrors;
  /** The field that shows what stands at a place of the settings; the place itself, dotted, where there is none. */
  nameOf(path: KeyPath): string;
}

/** Id of a single battery once others are added. */
const FIRST_BATTERY = "battery1";

/** Rows that are to go, by their prefix, such as `pv.1.`. */
export type Removals = ReadonlySet<string>;

/**
 * Reads a posted form: the fields that differ from what is held, section by section. All others keep what they hold; an empty
 * one stands for the default, or for nothing where that is allowed.
 */
export function readSettingsForm(
  posted: FieldTexts,
  held: HeldSettings,
  { removals = new Set(), language = "en" }: { removals?: Removals; language?: Language } = {},
): FormChange {
  const before = heldTexts(held);
  const typed = changedTexts(posted, before);
  const { filled, errors } = withFillers(typed, new Map([...before, ...posted]), language);
  const texts = new Map([...before, ...filled]);
  const from = { texts, before, removals };
  const touched = SECTIONS.filter((section) => isTouched(section, filled, removals));
  const plant: Record<string, unknown> = {};
  const names = new Map<string, string>();
  let telemetry: object[] | undefined;
  const idle = new Set<Section>();
  for (const section of touched) {
    if (section === "place") {
      Object.assign(plant, objectOf(texts, "", fieldsOf("place"), true));
      continue;
    }
    if (section === "tariff") continue;
    if (!isList(section)) {
      plant[section] = objectOf(texts, prefixOf(section), fieldsOf(section));
      if (section === "battery") leaveControlsOut(plant[section] as Partial<BatterySettings>, held);
      if (section === "battery" && held.plant.batteries.length > 0) plant.batteries = [];
      continue;
    }
    const rows = rowsOf(prefixOf(section), fieldsOf(section), from, section === "slots");
    if (!isAboutRows(section, rows, [...filled.keys(), ...removals])) {
      idle.add(section);
      continue;
    }
    if (section === "batteries") nameBatteries(rows);
    // The single battery becomes the first of several.
    const { battery, batteries } = held.plant;
    const first = section === "batteries" && batteries.length === 0 && battery !== null ? [battery] : [];
    for (const [index, row] of rows.entries())
      names.set(`${section}.${index + first.length}`, prefixOf(section) + row.name);
    if (section === "pv") {
      const { pv, inverters, rowOf } = arraysOfRows(rows, held.plant);
      Object.assign(plant, { pv, inverters });
      for (const [index, row] of rowOf.entries())
        for (const key of ["id", "kw"]) names.set(`inverters.${index}.${key}`, `pv.${row}.inverter_kw`);
      continue;
    }
    const values = rows.map(({ name, value }) =>
      section === "slots" ? { slot: Number(name), ...value } : value,
    );
    if (section === "telemetry") telemetry = values;
    else plant[section] = [...first.map((one) => ({ id: FIRST_BATTERY, ...one })), ...values];
    if (section === "batteries") plant.battery = null;
  }
  const changed = touched.filter((section) => !idle.has(section));
  return { touched: changed, plant, telemetry, errors, nameOf: (path) => nameOf(path, names) };
}

/** The fields of a form that mean something else than what is held. */
export function changedTexts(posted: FieldTexts, held: FieldTexts): Map<string, string> {
  return new Map(
    [...posted].filter(([name, text]) => {
      const field = fieldNamed(name);
      return field !== undefined && !isSameText(text, held.get(name) ?? initialText(field), field);
    }),
  );
}

/** The changed fields with those that their choices set; what was typed itself counts more. */
function withFillers(typed: ReadonlyMap<string, string>, shown: FieldTexts, language: Language) {
  const filled = new Map([...typed].filter(([name]) => fieldNamed(name)?.filler === undefined));
  const errors: Record<string, string> = {};
  for (const { filler, prefix } of fillersOf(typed)) {
    const text = (key: string) => {
      const field = fieldNamed(prefix + key);
      return shown.get(prefix + key) ?? (field === undefined ? "" : initialText(field));
    };
    const { key } = filler;
    const isTyped = (of: string) => typed.has(prefix + of);
    const texts = filler.fills(text(key).trim(), { text, language, isTyped });
    if (texts === undefined) errors[prefix + key] = textsOf(language).ems.wrongChoice[key as "model"];
    for (const [of, value] of Object.entries(texts ?? {})) if (!isTyped(of)) filled.set(prefix + of, value);
  }
  return { filled, errors };
}

/** The choices that were changed, or that depend on a changed field, with the prefix of the names beside them. */
function fillersOf(typed: ReadonlyMap<string, string>) {
  return [...typed.keys()].flatMap((name) => {
    const field = fieldNamed(name);
    if (field === undefined) return [];
    const key = field.path.join(".");
    const prefix = name.slice(0, name.length - key.length);
    const fillers = FILLERS[sectionOf(name)] ?? [];
    return fillers
      .filter((filler) => filler.key === key || filler.with?.includes(key))
      .map((filler) => ({ filler, prefix }));
  });
}

/** Whether changed fields are of a row, not of the one that is offered empty, or a row is removed. */
function isAboutRows(section: Section, rows: readonly Row[], names: readonly string[]): boolean {
  const prefix = prefixOf(section);
  return names.some((name) => {
    if (!name.startsWith(prefix)) return false;
    const row = name.slice(prefix.length).split(".")[0]!;
    return rows.some((one) => one.name === row) || name === `${prefix}${row}.`;
  });
}

/** Batteries get an id of their own, which topics and readings have. */
function nameBatteries(rows: readonly Row[]): void {
  const taken = new Set(rows.map(({ value }) => value.id));
  for (const { name, value } of rows) {
    if (value.id !== undefined) continue;
    let number = Number(name) + 2;
    while (taken.has(`battery${number}`)) number++;
    value.id = `battery${number}`;
    taken.add(value.id);
  }
}

function isTouched(section: Section, posted: FieldTexts, removals: Removals): boolean {
  const prefix = prefixOf(section);
  if (section === "place") return PLACE_KEYS.some((key) => posted.has(key));
  return [...posted.keys(), ...removals].some((name) => name.startsWith(prefix));
}

/** The values below a prefix; `keepEmpty` keeps empty ones, for keys that stand beside those of other sections. */
function objectOf(texts: FieldTexts, prefix: string, fields: readonly Field[], keepEmpty = false) {
  const object: Record<string, unknown> = {};
  const settings = fields.filter(({ filler }) => filler === undefined);
  const textAt = ({ path }: Field) => texts.get(prefix + path.join("."));
  const absentParts = new Set(
    fields.filter((field) => field.required && (textAt(field) ?? "").trim() === "").map(({ part }) => part),
  );
  // SG Ready has no required field; the form of every device has its fields with their defaults.
  const isUntouched = (field: Field) => isDefault(textAt(field) ?? "", field);
  if (
    texts.get(`${prefix}kind`) !== "heat_pump" &&
    fields.filter(({ part }) => part === "sg_ready").every(isUntouched)
  )
    absentParts.add("sg_ready");
  for (const field of settings) {
    if (field.part !== undefined && absentParts.has(field.part)) continue;
    const text = textAt(field);
    // No choice is a value of its own.
    const value = text === "" && field.kind === "choices" ? [] : typedValue(text ?? "", field);
    // What is absent gets its default; a configured value beneath would show through a key that is left out.
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

/** The usual controls stay unnamed where they are: a device that controls the battery fills them later. */
function leaveControlsOut(battery: Partial<BatterySettings>, { plant }: HeldSettings): void {
  const isUnnamed = (plant.battery?.controls ?? null) === null;
  if (isUnnamed && battery.controls && textOf(battery.controls) === textOf(DEFAULT_CONTROLS))
    battery.controls = null;
}

interface Row {
  name: string;
  value: Record<string, unknown>;
}

interface Sources {
  texts: FieldTexts;
  /** What was held before anything was typed. */
  before: FieldTexts;
  removals: Removals;
}

function rowsOf(prefix: string, fields: readonly Field[], from: Sources, blankCounts: boolean): Row[] {
  const held = new Set(rowNames(from.before.keys(), prefix));
  const keys = fields.flatMap(({ path, filler }) => (filler === undefined ? [path.join(".")] : []));
  return rowNames(from.texts.keys(), prefix, keys)
    .filter((row) => !from.removals.has(`${prefix}${row}.`))
    .filter((row) => blankCounts || held.has(row) || !isBlank(from.texts, `${prefix}${row}.`, fields))
    .map((name) => ({ name, value: objectOf(from.texts, `${prefix}${name}.`, fields) }));
}

/** The row that the page offers for a new entry, and that nobody has filled in. */
function isBlank(texts: FieldTexts, prefix: string, fields: readonly Field[]): boolean {
  const settings = fields.filter(({ filler }) => filler === undefined);
  const required = settings.filter((field) => field.required && field.path[0] !== "id");
  const textAt = ({ path }: Field) => (texts.get(prefix + path.join(".")) ?? "").trim();
  // A list always has something chosen; what is none of its choices was typed, and is to be refused, not dropped.
  const isChoice = (field: Field) =>
    field.kind === "choice" && field.node.enum?.includes(textAt(field)) === true;
  return (
    required.every((field) => field.kind === "choice" || textAt(field) === "") &&
    settings.every((field) => isChoice(field) || isDefault(textAt(field), field))
  );
}

function nameOf(path: KeyPath, names: ReadonlyMap<string, string>): string {
  for (const length of [3, 2]) {
    const row = names.get(path.slice(0, length).join("."));
    if (row !== undefined) return [row, ...path.slice(length)].join(".");
  }
  return path.join(".");
}
