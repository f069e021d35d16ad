import { checkArray, checkBoolean, checkNumber, checkObject } from "../core/check-fields.js";
import type { StorageLimits } from "../core/domain/battery.js";
import type { TerminalTranche } from "./terminal-value.js";

const NOT_NEGATIVE = [
  "capacityKwh",
  "minSocKwh",
  "maxSocKwh",
  "maxChargePowerKw",
  "maxDischargePowerKw",
] as const;

/** Throws a RangeError for a battery whose limits make no sense. */
export function checkStorage(battery: StorageLimits & { capacityKwh: number; wearCtKwh?: number }): void {
  checkObject("battery", battery);
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
  checkObject("grid", grid);
  for (const field of ["importLimitKw", "exportLimitKw"] as const) {
    if (grid[field] !== undefined) checkNumber(`grid.${field}`, grid[field], 0);
  }
  checkBoolean("grid.curtailmentAllowed", grid.curtailmentAllowed);
}

/** Throws a RangeError unless the worth of the energy left falls with more of it. */
export function checkTranches(name: string, tranches: readonly TerminalTranche[]): void {
  checkArray(name, tranches);
  for (const [index, tranche] of tranches.entries()) {
    const at = `${name}[${index}]`;
    checkObject(at, tranche);
    checkNumber(`${at}.kwh`, tranche.kwh, 0);
    checkNumber(`${at}.ctKwh`, tranche.ctKwh);
    if (index > 0 && tranche.ctKwh > tranches[index - 1]!.ctKwh) {
      throw new RangeError(
        `${at}.ctKwh must not exceed that of the entry before it: additional energy is worth less.`,
      );
    }
  }
}
