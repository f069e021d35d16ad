import { isRecord } from "../core/net/json.js";
import { isZone } from "../core/time/zone.js";
import type { BilledStep } from "./bill-lines.js";
import type { Tariff } from "./tariff.js";

/** Throws a RangeError unless a tariff is an object or a list of them, and each number in it is finite. */
export function checkTariff(tariff: Tariff): void {
  const periods: readonly unknown[] = Array.isArray(tariff) ? tariff : [tariff];
  for (const [index, period] of periods.entries()) {
    const name = Array.isArray(tariff) ? `tariff[${index}]` : "tariff";
    if (!isRecord(period)) throw new RangeError(`${name} must be an object.`);
    if (period.vat_pct !== undefined) checkAmount(`${name}.vat_pct`, period.vat_pct);
    checkNumbers(name, period);
  }
}

function checkNumbers(name: string, value: unknown): void {
  if (typeof value === "number") checkAmount(name, value);
  if (typeof value !== "object" || value === null) return;
  for (const [key, part] of Object.entries(value)) checkNumbers(`${name}.${key}`, part);
}

/** Throws a RangeError unless the value is a finite number. */
export function checkAmount(name: string, value: unknown): void {
  if (typeof value !== "number" || !Number.isFinite(value))
    throw new RangeError(`${name} must be a finite number.`);
}

/** Throws a RangeError unless the value is a date. */
export function checkInstant(name: string, value: unknown): void {
  if (!(value instanceof Date) || Number.isNaN(value.getTime()))
    throw new RangeError(`${name} must be a valid Date.`);
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
  if (!isRecord(input))
    throw new RangeError("The input must be an object with tariff, zone, month and steps.");
  const { tariff, zone, month, steps, earlier } = input;
  checkTariff(tariff);
  if (!isZone(zone)) throw new RangeError("zone must be an IANA name such as Europe/Vienna.");
  if (typeof month !== "string" || !/^\d{4}-(0[1-9]|1[0-2])$/.test(month))
    throw new RangeError("month must be a month such as 2026-07.");
  if (!Array.isArray(steps))
    throw new RangeError("steps must be an array of { start, importKwh, spotCtKwh }.");
  for (const [index, step] of steps.entries()) {
    const name = `steps[${index}]`;
    checkInstant(`${name}.start`, step?.start);
    for (const field of ["importKwh", "spotCtKwh"] as const) checkAmount(`${name}.${field}`, step[field]);
    for (const field of ENERGIES) if (step[field] !== undefined) checkAmount(`${name}.${field}`, step[field]);
  }
  if (earlier === undefined) return;
  checkAmount("earlier.importKwh", earlier?.importKwh);
  checkAmount("earlier.exportKwh", earlier?.exportKwh);
}
