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
