import { coerce } from "../../config/kit/coerce.js";
import { type SchemaNode, typesOf } from "../../config/kit/node.js";
import type { Language } from "../../core/language.js";
import { withoutGroups } from "../../core/number-text.js";
import { textsOf } from "../../texts/index.js";
import type { Filler } from "./fillers.js";

/**
 * Kind of input: `numbers` is a list of numbers in one field, `choices` a checkbox per choice, `weekdays` a value or one
 * per weekday (`mon 07:00 sat 09:30`).
 */
export type InputKind = "number" | "boolean" | "choice" | "choices" | "text" | "numbers" | "weekdays";

/** One field of a section, or of one row of a list. */
export interface Field {
  /** Keys below the section or the row. */
  path: readonly string[];
  kind: InputKind;
  node: SchemaNode;
  required: boolean;
  /** Optional section within the row, such as `vehicle` of a slot: it exists where its required fields are filled in. */
  part?: string;
  /** It sets other fields and is not a setting itself. */
  filler?: Filler;
}

/** What was typed, or is shown, by the name of its field. */
export type FieldTexts = ReadonlyMap<string, string>;

/** What checkboxes and programs send for a boolean. */
const SWITCHES: ReadonlyMap<string, boolean> = new Map([
  ["on", true],
  ["yes", true],
  ["off", false],
  ["no", false],
]);

/** A value as the text of its field; nothing is the empty text. */
export function textOf(value: unknown): string {
  if (value === null || value === undefined) return "";
  if (Array.isArray(value)) return value.map(String).join(" ");
  if (typeof value === "object")
    return Object.entries(value)
      .filter(([, part]) => part !== null)
      .map(([key, part]) => `${key} ${String(part)}`)
      .join(" ");
  return String(value);
}

/** A text of the form as it is shown in a language: numbers with the decimal sign that people there type. */
export function shownText(text: string, field: Field, language: Language): string {
  const isNumeric = field.kind === "number" || field.kind === "numbers";
  return isNumeric ? text.replaceAll(".", textsOf(language).format.decimal) : text;
}

/** Whether a text stands for the default of its field. */
export function isDefault(text: string, field: Field): boolean {
  return text.trim() === "" || textOf(typedValue(text, field)) === textOf(field.node.default);
}

/**
 * What a typed text means: undefined for an empty one that stands for the default, null where the field may be left
 * empty. A text that does not fit comes back as it is: the check of the configuration then says what is allowed.
 */
export function typedValue(text: string, { kind, node }: Field): unknown {
  const typed = text.trim();
  if (typed === "") return typesOf(node).includes("null") ? null : undefined;
  switch (kind) {
    case "boolean":
      return SWITCHES.get(typed.toLowerCase()) ?? coerce(node, typed.toLowerCase());
    case "choices":
    case "numbers":
      return coerce(node, listOf(typed));
    case "weekdays":
      return weekdaysOf(typed, Object.keys(node.properties ?? {}));
    case "number":
      return coerce(node, withoutGroups(typed));
    default:
      return coerce(node, typed);
  }
}

/** Whether two texts of a field mean the same. */
export function isSameText(one: string, other: string, field: Field): boolean {
  return one === other || meaningOf(one, field) === meaningOf(other, field);
}

function meaningOf(text: string, field: Field): string {
  const value = typedValue(text, field);
  if (field.kind === "choices" && Array.isArray(value)) return [...value].sort().join(" ");
  if (field.kind !== "weekdays") return textOf(value);
  return weeklyTimes(text)
    .map(({ day, time }) => `${day} ${time}`)
    .join(" ");
}

export const WEEKDAYS = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"] as const;
export type Weekday = (typeof WEEKDAYS)[number];

/** The times by weekday that `07:00` or `mon 07:00 sat 09:30` stands for, in the order of the week. */
export function weeklyTimes(text: string): { day: Weekday; time: string }[] {
  const value = weekdaysOf(text.trim(), WEEKDAYS);
  if (typeof value === "string")
    return WEEKDAYS.flatMap((day) => (value === "" ? [] : [{ day, time: value }]));
  const times = value as Readonly<Partial<Record<Weekday, string>>>;
  return WEEKDAYS.flatMap((day) => (times[day] === undefined ? [] : [{ day, time: times[day] }]));
}

/** The text of times by weekday: one time where all days have it. */
export function weeklyTimesText(times: readonly { day: Weekday; time: string }[]): string {
  const [first] = times;
  const isDaily = times.length === WEEKDAYS.length && times.every(({ time }) => time === first!.time);
  return isDaily ? first!.time : times.map(({ day, time }) => `${day} ${time}`).join(" ");
}

/** Between numbers stand spaces or semicolons; a comma parts them only where nothing else does. */
function listOf(typed: string): string[] {
  const parts = typed.split(/[;\s]+/).filter((part) => part !== "");
  const isCommaList = parts.length === 1 && (typed.match(/,/g)?.length ?? 0) > 1;
  return isCommaList
    ? typed.split(",").filter((part) => part !== "")
    : parts.map((part) => part.replace(/,$/, ""));
}

/** `mon 07:00 sat 09:30` as an object by weekday; any other text as it is. */
function weekdaysOf(typed: string, weekdays: readonly string[]): unknown {
  const parts = typed
    .toLowerCase()
    .split(/[;,=\s]+/)
    .filter((part) => part !== "");
  const isByDay = parts.length > 0 && weekdays.includes(parts[0]!) && parts.length % 2 === 0;
  if (!isByDay) return typed;
  return Object.fromEntries(
    Array.from({ length: parts.length / 2 }, (_, index) => [parts[2 * index]!, parts[2 * index + 1]!]),
  );
}
