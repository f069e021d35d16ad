import { textsOf } from "../../texts/index.js";
import { VIENNA } from "../../time/zone.js";
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

function textOf(at: Date, { language, site }: PageContext, style: Intl.DateTimeFormatOptions): string {
  const timeZone = site?.plant.timezone ?? VIENNA;
  return new Intl.DateTimeFormat(textsOf(language).format.locale, { ...style, timeZone }).format(at);
}
