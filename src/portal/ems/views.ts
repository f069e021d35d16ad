import type { SavedChange } from "../../accounts/settings-history.js";
import { rowNames } from "./fields.js";
import {
  isList,
  PLACE_KEYS,
  prefixOf,
  type RowKind,
  SECTIONS,
  type Section,
  type Subject,
  subjectOf,
} from "./sections.js";

/** A subject as a page shows it: as a whole, or the form of some of its rows. */
export interface View {
  subject: Subject;
  rows?: { kind: RowKind; names: readonly string[] };
}

/** The list on the page of a subject. */
export function rowKindOf(subject: Subject): RowKind | undefined {
  if (subject === "battery") return "batteries";
  return isList(subject) ? subject : undefined;
}

/** The forms that show the fields of a refused form. */
export function viewsOf(touched: readonly Section[], posted: readonly string[]): View[] {
  const subjects = [...new Set(touched.map(subjectOf))];
  return subjects.flatMap((subject): View[] => {
    const kind = rowKindOf(subject);
    const names = kind === undefined ? [] : rowNames(posted, prefixOf(kind));
    if (kind === undefined || names.length === 0) return [{ subject }];
    const rows: View = { subject, rows: { kind, names } };
    const isOfRow = (name: string) => names.some((row) => name.startsWith(`${prefixOf(kind)}${row}.`));
    const hasOthers = posted.some((name) => name.startsWith(prefixOf(subject)) && !isOfRow(name));
    return hasOthers ? [{ subject }, rows] : [rows];
  });
}

/** The sections whose fields a page of these views has in its forms. */
export function sectionsIn(views: readonly View[]): Section[] {
  return views.flatMap(({ subject, rows }): Section[] => {
    if (rows !== undefined) return [rows.kind];
    return isList(subject) ? [] : [subject];
  });
}

/** The subjects whose settings a change sets. */
export function subjectsOf({ keys, isTelemetry }: Pick<SavedChange, "keys" | "isTelemetry">): Subject[] {
  const places: readonly string[] = PLACE_KEYS;
  const sections = SECTIONS.filter((section) =>
    section === "place" ? keys.some((key) => places.includes(key)) : keys.includes(section),
  );
  return [...new Set([...sections, ...(isTelemetry ? (["telemetry"] as const) : [])].map(subjectOf))];
}
