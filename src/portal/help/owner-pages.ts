/**
 * The pages for owners by section, in the order of the list. Each is one task, in German and English: the files
 * `docs/help/<language>/<page>.md`.
 */
export const OWNER_PAGES = {
  start: ["sign-in", "first-setup", "overview", "phone", "terms"],
  devices: ["connect-device", "dry-run", "battery", "hot-water", "device-now"],
  tariff: ["choose-tariff", "change-prices", "compare-tariffs"],
  bill: ["check-bill", "meter-data"],
  savings: ["saved", "history", "what-if", "why"],
  car: ["charge-car", "car-level"],
  problems: ["no-plan", "not-reachable", "not-following", "no-readings", "lost-password", "messages"],
} as const;

export type OwnerSection = keyof typeof OWNER_PAGES;

/** The address of a page for owners below `/help`. */
export const OWNER_FOLDER = "home/";

export const ownerSections = Object.entries(OWNER_PAGES) as [OwnerSection, readonly string[]][];
