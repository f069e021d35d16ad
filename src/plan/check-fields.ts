import type { StorageLimits } from "../core/domain/battery.js";
import type { TerminalTranche } from "./terminal-value.js";

/** Throws a RangeError unless the value is a date. */
export function checkDate(name: string, value: unknown): asserts value is Date {
  if (!(value instanceof Date) || Number.isNaN(value.getTime())) {
    throw new RangeError(`${name} must be a valid Date.`);
  }
}

/** Throws a RangeError unless the value is a finite number of `least` or more. */
export function checkNumber(name: string, value: unknown, least = -Infinity): void {
  if (typeof value === "number" && Number.isFinite(value) && value >= least) return;
  throw new RangeError(
    `${name} must be a finite number${least === -Infinity ? "" : ` of ${least} or more`}.`,
  );
}

/** Throws a RangeError unless the value is true, false or left out. */
export function checkBoolean(name: string, value: unknown): void {
  if (value !== undefined && typeof value !== "boolean")
    throw new RangeError(`${name} must be true or false.`);
}

/** Throws a RangeError unless the value is an object and not an array. */
export function objectField(name: string, value: unknown): asserts value is object {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new RangeError(`${name} must be an object.`);
  }
}

/** Throws a RangeError unless the value is an array. */
export function arrayField(name: string, value: unknown): asserts value is readonly unknown[] {
  if (!Array.isArray(value)) throw new RangeError(`${name} must be an array.`);
}

const NOT_NEGATIVE = [
  "capacityKwh",
  "minSocKwh",
  "maxSocKwh",
  "maxChargePowerKw",
  "maxDischargePowerKw",
] as const;

/** Throws a RangeError for a battery whose limits make no sense. */
export function checkStorage(battery: StorageLimits & { capacityKwh: number; wearCtKwh?: number }): void {
  objectField("battery", battery);
  for (const field of NOT_NEGATIVE) checkNumber(`battery.${field}`, battery[field], 0);
  if (battery.wearCtKwh !== undefined) checkNumber("battery.wearCtKwh", battery.wearCtKwh, 0);
  for (const field of ["chargeEfficiency", "dischargeEfficiency"] as const) {
    checkNumber(`battery.${field}`, battery[field]);
    if (battery[field] > 0 && battery[field] <= 1) continue;
    throw new RangeError(`battery.${field} must be a number above 0 and at most 1.`);
  }
  if (battery.minSocKwh > battery.maxSocKwh) {
    throw new RangeError("battery.minSocKwh must not exceed battery.maxSocKwh.");
  }
  if (battery.maxSocKwh > battery.capacityKwh * (1 + 1e-9)) {
    throw new RangeError("battery.maxSocKwh must not exceed battery.capacityKwh.");
  }
}

/** Throws a RangeError for limits of the grid connection that make no sense. */
export function checkLimits(grid: {
  importLimitKw?: number;
  exportLimitKw?: number;
  curtailmentAllowed?: boolean;
}): void {
  objectField("grid", grid);
  for (const field of ["importLimitKw", "exportLimitKw"] as const) {
    if (grid[field] !== undefined) checkNumber(`grid.${field}`, grid[field], 0);
  }
  checkBoolean("grid.curtailmentAllowed", grid.curtailmentAllowed);
}

/** Throws a RangeError unless the worth of the energy left falls with more of it. */
export function checkTranches(name: string, tranches: readonly TerminalTranche[]): void {
  arrayField(name, tranches);
  for (const [index, tranche] of tranches.entries()) {
    const at = `${name}[${index}]`;
    objectField(at, tranche);
    checkNumber(`${at}.kwh`, tranche.kwh, 0);
    checkNumber(`${at}.ctKwh`, tranche.ctKwh);
    if (index > 0 && tranche.ctKwh > tranches[index - 1]!.ctKwh) {
      throw new RangeError(
        `${at}.ctKwh must not exceed that of the entry before it: additional energy is worth less.`,
      );
    }
  }
}
