import { checkArray, checkDate, checkNumber, checkObject, checkZone } from "../core/check-fields.js";
import type { BilledStep } from "./bill-lines.js";
import type { Tariff } from "./tariff.js";

/** Throws a RangeError unless a tariff is an object or a list of them, and each number in it is finite. */
export function checkTariff(tariff: Tariff): void {
  const periods: readonly unknown[] = Array.isArray(tariff) ? tariff : [tariff];
  for (const [index, period] of periods.entries()) {
    const name = Array.isArray(tariff) ? `tariff[${index}]` : "tariff";
    checkObject(name, period);
    if ("vat_pct" in period && period.vat_pct !== undefined) checkNumber(`${name}.vat_pct`, period.vat_pct);
    checkNumbers(name, period);
  }
}

function checkNumbers(name: string, value: unknown): void {
  if (typeof value === "number") checkNumber(name, value);
  if (typeof value !== "object" || value === null) return;
  for (const [key, part] of Object.entries(value)) checkNumbers(`${name}.${key}`, part);
}

const ENERGIES = ["exportKwh", "communityKwh", "communityExportKwh"] as const;

/** Throws a RangeError that names what makes no sense in a question for a bill. */
export function checkBillInput(input: {
  tariff: Tariff;
  zone: string;
  month: string;
  steps: readonly BilledStep[];
  earlier?: { importKwh: number; exportKwh: number };
}): void {
  checkObject("The input", input, " with tariff, zone, month and steps");
  const { tariff, zone, month, steps, earlier } = input;
  checkTariff(tariff);
  checkZone("zone", zone);
  if (typeof month !== "string" || !/^\d{4}-(0[1-9]|1[0-2])$/.test(month))
    throw new RangeError("month must be a month such as 2026-07.");
  checkArray("steps", steps, " of { start, importKwh, spotCtKwh }");
  for (const [index, step] of steps.entries()) {
    const name = `steps[${index}]`;
    checkDate(`${name}.start`, step?.start);
    for (const field of ["importKwh", "spotCtKwh"] as const) checkNumber(`${name}.${field}`, step[field]);
    for (const field of ENERGIES) if (step[field] !== undefined) checkNumber(`${name}.${field}`, step[field]);
  }
  if (earlier === undefined) return;
  checkNumber("earlier.importKwh", earlier?.importKwh);
  checkNumber("earlier.exportKwh", earlier?.exportKwh);
}
