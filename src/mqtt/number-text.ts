/**
 * A number as plain decimal text in full precision: never an exponent, which simple controllers cannot read, and the
 * shortest digits that read back as the same number. Not a finite number: the empty text.
 */
export function numberText(value: number): string {
  if (!Number.isFinite(value)) return "";
  // -0 is printed "0" by String, and so stays without its sign.
  const text = String(value);
  const scientific = /^(-?)(\d)(?:\.(\d+))?e([+-]\d+)$/.exec(text);
  if (scientific === null) return text;
  const [, sign = "", first = "", rest = "", exponent = "0"] = scientific;
  const digits = first + rest;
  const point = 1 + Number(exponent);
  if (point <= 0) return `${sign}0.${"0".repeat(-point)}${digits}`;
  // Only numbers of 1e21 and more get a positive exponent, and none of those has digits behind the point.
  return `${sign}${digits.padEnd(point, "0")}`;
}

/** A scalar of a document as an MQTT payload; booleans are 0 and 1, what is not known is empty. */
export function scalarText(value: unknown): string {
  if (typeof value === "number") return numberText(value);
  if (typeof value === "boolean") return value ? "1" : "0";
  return typeof value === "string" ? value : "";
}

/**
 * Reads the bare number of a telemetry topic, with decimal point or comma and surrounding white space; undefined for
 * anything else (an empty payload, "unavailable", a number too large to hold).
 */
export function readNumber(text: string): number | undefined {
  const trimmed = text.trim();
  if (!/^[+-]?(?:\d+(?:[.,]\d*)?|[.,]\d+)(?:[eE][+-]?\d{1,3})?$/.test(trimmed)) return undefined;
  const value = Number(trimmed.replace(",", "."));
  return Number.isFinite(value) ? value : undefined;
}
