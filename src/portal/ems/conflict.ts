import type { FormBody } from "../form-body.js";
import { type FieldTexts, isSameText } from "./field-text.js";
import { fieldNamed, fieldsOf } from "./fields.js";
import { changedTexts } from "./read-form.js";
import { postedTexts } from "./requested-change.js";
import { prefixOf, type Section } from "./sections.js";

/** Field of a form with what its section held when the page was sent; without it nothing is compared. */
export const HELD_FIELD = "held";

/** What a section holds, by the names of its fields. */
export function sectionTexts(texts: FieldTexts, section: Section): string {
  const prefix = prefixOf(section);
  const own = new Set(fieldsOf(section).map(({ path }) => path.join(".")));
  return JSON.stringify(
    Object.fromEntries(
      [...texts].filter(([name]) => (section === "place" ? own.has(name) : name.startsWith(prefix))),
    ),
  );
}

/** Whether a form says what is saved already: it was sent twice, or again with the back button. */
export function isSaved(form: FormBody, now: FieldTexts): boolean {
  return changedTexts(postedTexts(form), now).size === 0;
}

/**
 * The fields that were typed on a page whose section has been saved elsewhere since, as in another window; undefined if the
 * page is up to date.
 */
export function typedOnOldPage(
  form: FormBody,
  now: FieldTexts,
  sections: readonly Section[],
): Map<string, string> | undefined {
  const [section, ...others] = sections;
  if (!form.has(HELD_FIELD) || section === undefined || others.length > 0) return undefined;
  if (form.text(HELD_FIELD) === sectionTexts(now, section)) return undefined;
  const held = recordIn(form.text(HELD_FIELD));
  const isTyped = (name: string, text: string) => {
    const field = fieldNamed(name);
    return field === undefined ? name !== HELD_FIELD : !isSameText(text, String(held[name] ?? ""), field);
  };
  return new Map([...postedTexts(form)].filter(([name, text]) => isTyped(name, text)));
}

function recordIn(json: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === "object" && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}
