import { localDate, parseTime, VIENNA } from "../../core/time/zone.js";
import { textsOf } from "../../texts/index.js";
import type { PageContext } from "../context.js";
import { TextField } from "./form.js";

/** Field of the first day on which changed prices apply. */
export const FROM_FIELD = "valid_from";

/** Asks from when changed prices apply; today unless another day was typed. */
export function fromDateField(
  { language, site, now }: Pick<PageContext, "language" | "site" | "now">,
  value?: string | undefined,
  error?: string | undefined,
) {
  const texts = textsOf(language).home.validFrom;
  return (
    <TextField
      name={FROM_FIELD}
      type="date"
      label={texts.label}
      hint={texts.hint}
      value={value || localDate(now, site?.plant.timezone ?? VIENNA)}
      error={error}
    />
  );
}

/** The local date of a text, `2026-03-01` or `1.3.2026`; undefined if it is none from 2000 to 2099. */
export function dateIn(text: string): string | undefined {
  const [, day, month, year] = /^(\d{1,2})\.\s*(\d{1,2})\.\s*(\d{4})$/.exec(text.trim()) ?? [];
  const date =
    year === undefined ? text.trim() : `${year}-${month!.padStart(2, "0")}-${day!.padStart(2, "0")}`;
  const isDate = /^20\d{2}-\d{2}-\d{2}$/.test(date) && parseTime(date, VIENNA) !== undefined;
  return isDate ? date : undefined;
}
