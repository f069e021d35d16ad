import type { Site } from "../../config/site.js";
import type { Language } from "../../core/language.js";
import { VIENNA } from "../../core/time/zone.js";
import { textsOf } from "../../texts/index.js";
import type { PageContext } from "../context.js";

/** Day and time of an instant, in the language of the page and the zone of its site. */
export function dateTimeText(at: Date, context: PageContext): string {
  return textOf(at, context, { dateStyle: "medium", timeStyle: "short" });
}

/** The day alone. */
export function dateText(at: Date, context: PageContext): string {
  return textOf(at, context, { dateStyle: "long" });
}

/** The last day of a period that ends (exclusive) at an instant. */
export function lastDayText(end: Date, context: PageContext): string {
  return dateText(new Date(end.getTime() - 1), context);
}

/** The time of day alone, with seconds. */
export function timeText(at: Date, context: PageContext): string {
  return textOf(at, context, { timeStyle: "medium" });
}

const AGE_UNITS = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
  ["second", 1000],
] as const;

/** How long ago an instant was, such as "3 minutes ago". */
export function ageText(at: Date, nowMs: number, language: Language): string {
  const ms = Math.max(0, nowMs - at.getTime());
  const [unit, unitMs] = AGE_UNITS.find(([, lengthMs]) => ms >= lengthMs) ?? (["second", 1000] as const);
  const format = new Intl.RelativeTimeFormat(textsOf(language).format.locale, { numeric: "auto" });
  return format.format(-Math.floor(ms / unitMs), unit);
}

function textOf(at: Date, { language, site }: PageContext, style: Intl.DateTimeFormatOptions): string {
  const timeZone = site?.plant.timezone ?? VIENNA;
  return new Intl.DateTimeFormat(textsOf(language).format.locale, { ...style, timeZone }).format(at);
}

/** The name of a site, or its id without a name. */
export function siteName(site: Site): string {
  return givenName(site) || site.id;
}

/** The name given to the site; empty if its name is the id. */
export function givenName({ id, plant }: Site): string {
  return plant.name === id ? "" : plant.name;
}
