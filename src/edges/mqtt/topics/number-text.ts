/**
 * A number as decimal text in full precision without an exponent, which simple controllers cannot read. Empty for a
 * number that is not finite.
 */
export function numberText(value: number): string {
  if (!Number.isFinite(value)) return "";
  const text = String(value);
  const scientific = /^(-?)(\d)(?:\.(\d+))?e([+-]\d+)$/.exec(text);
  if (scientific === null) return text;
  const [, sign = "", first = "", rest = "", exponent = "0"] = scientific;
  const digits = first + rest;
  const point = 1 + Number(exponent);
  if (point <= 0) return `${sign}0.${"0".repeat(-point)}${digits}`;
  // Only numbers from 1e21 have a positive exponent; they have no decimals.
  return `${sign}${digits.padEnd(point, "0")}`;
}

/** A scalar as an MQTT payload: booleans as 0 and 1, unknown values empty. */
export function scalarText(value: unknown): string {
  if (typeof value === "number") return numberText(value);
  if (typeof value === "boolean") return value ? "1" : "0";
  return typeof value === "string" ? value : "";
}
