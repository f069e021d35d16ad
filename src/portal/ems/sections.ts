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

/** First parts of the names of the fields of the tariff. */
const TARIFF_NAMES = [
  "price",
  "supplier",
  "area",
  "municipality",
  "summer_low",
  "feed_in",
  "markup_ct_kwh",
  "fixed_ct_kwh",
  "feed_in_ct_kwh",
  "valid_from",
];

/** Section of the name of a field. */
export function sectionOf(name: string): Section {
  if (name.startsWith("mqtt.telemetry")) return "telemetry";
  const [head = ""] = name.split(".");
  if (TARIFF_NAMES.includes(head)) return "tariff";
  return SECTIONS.find((section) => section === head && section !== "telemetry") ?? "place";
}

/** The page of a section: several batteries are on that of the battery. */
export function subjectOf(section: Section): Subject {
  return section === "batteries" ? "battery" : section;
}

/** Top-level keys of the plant without a section of their own. */
export const PLACE_KEYS = ["name", "latitude", "longitude", "timezone"] as const;

/** Prefix of the field names of a section. */
export function prefixOf(section: Section): string {
  if (section === "place") return "";
  return section === "telemetry" ? "mqtt.telemetry." : `${section}.`;
}

/** Sections with rows, `pv.<row>.peak_kw`. */
export type RowKind = "batteries" | "pv" | "slots" | "telemetry";

export function isList(section: Section): section is RowKind {
  return section === "batteries" || section === "pv" || section === "slots" || section === "telemetry";
}

/** True for optional sections. */
export function isOptional(section: Section): section is "battery" | "tariff" {
  return section === "battery" || section === "tariff";
}
