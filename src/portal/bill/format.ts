import type { billDocument, yearBillDocument } from "../../api/documents/bill.js";
import type { Language } from "../../core/language.js";
import { VIENNA } from "../../core/time/zone.js";
import { formatOf } from "../../texts/format.js";
import { textsOf } from "../../texts/index.js";
import type { SignedInContext } from "../context.js";

export type MonthDocument = ReturnType<typeof billDocument>;
export type YearDocument = ReturnType<typeof yearBillDocument>;

/** `July 2026` of `2026-07`; a year and anything else as it is. */
export function periodText({ language }: SignedInContext, period: string): string {
  return /^\d{4}-(0[1-9]|1[0-2])$/.test(period) ? formatOf(language, VIENNA).month(period) : period;
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

/** The name of a levy; the short form of a tariff has one without a name. */
export function levyName(name: string, language: Language): string {
  return name === "levies" ? textsOf(language).bill.sections.levies : name;
}
