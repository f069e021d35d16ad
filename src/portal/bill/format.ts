import type { billDocument, yearBillDocument } from "../../documents/bill.js";
import { textsOf } from "../../texts/index.js";
import { VIENNA } from "../../time/zone.js";
import type { SignedInContext } from "../context.js";
import { formatOf } from "../dashboard/format.js";

export type MonthDocument = ReturnType<typeof billDocument>;
export type YearDocument = ReturnType<typeof yearBillDocument>;

/** `July 2026` of `2026-07`; a year and anything else as it is. */
export function periodText({ language }: SignedInContext, period: string): string {
  if (!/^\d{4}-\d{2}$/.test(period)) return period;
  const format = new Intl.DateTimeFormat(textsOf(language).format.locale, {
    month: "long",
    year: "numeric",
    timeZone: "UTC",
  });
  const at = new Date(`${period}-01T00:00:00Z`);
  return Number.isNaN(at.getTime()) ? period : format.format(at);
}

/** Amounts of a bill in the language of the page. */
export function amountsOf(context: SignedInContext) {
  const { number } = formatOf(context.language, context.site?.plant.timezone ?? VIENNA);
  return {
    number,
    eur: (value: number) => number(value, 2),
    kwh: (value: number) => number(value, 1),
    hours: (value: number) => number(value, Number.isInteger(value) ? 0 : 2),
  };
}
