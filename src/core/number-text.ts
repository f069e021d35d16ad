/** A typed percentage without its sign. */
export function withoutPercentSign(text: string): string {
  const typed = text.trim();
  return typed.endsWith("%") ? typed.slice(0, -1).trimEnd() : typed;
}

const NUMBER = /^[+-]?(?:\d+(?:[.,]\d*)?|[.,]\d+)(?:e[+-]?\d{1,3})?$/i;
/** Longer texts are no numbers that anybody typed or a device sent. */
const LONGEST = 1000;

/**
 * The number that a text stands for, with a decimal point or a decimal comma and spaces around it; undefined for any other
 * text (an empty one, "unavailable", a number that is too large).
 */
export function numberFromText(text: string): number | undefined {
  if (text.length > LONGEST) return undefined;
  const trimmed = text.trim();
  if (!NUMBER.test(trimmed)) return undefined;
  const value = Number(trimmed.replace(",", "."));
  return Number.isFinite(value) ? value : undefined;
}

/** Thousands in groups, as pages show them: `3 650` (with any space), and `1.234,5` or `1,234.5`, where no point is a decimal one. */
const GROUPED = [
  [/^[+-]?\d{1,3}(?:\s\d{3})+(?:[.,]\d*)?$/, /\s/g],
  [/^[+-]?\d{1,3}(?:\.\d{3})+,\d*$/, /\./g],
  [/^[+-]?\d{1,3}(?:,\d{3})+\.\d*$/, /,/g],
] as const;

/** A typed number without the marks of its groups; any other text as it is. */
export function withoutGroups(text: string): string {
  const typed = text.trim();
  if (typed.length > LONGEST) return text;
  const marks = GROUPED.find(([pattern]) => pattern.test(typed))?.[1];
  return marks === undefined ? text : typed.replace(marks, "");
}

/** The number that a person typed: as `numberFromText`, and with thousands in groups. */
export function typedNumber(text: string): number | undefined {
  return numberFromText(withoutGroups(text));
}

/** One point or comma before three digits. */
const ONE_GROUP = /^([1-9]\d{0,2})[.,](\d{3})$/;

/** The typed number of an amount that nobody gives in thousandths, such as the kWh of a year: `3.650` and `3,650` are 3650. */
export function typedAmount(text: string): number | undefined {
  return typedNumber(text.trim().replace(ONE_GROUP, "$1$2"));
}
