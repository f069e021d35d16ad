import { checkBoolean, checkDate, checkNumber, checkObject } from "../../core/check-fields.js";
import { checkLimits, checkStorage, checkTranches } from "../check-site.js";
import type { PlanBatteryInput } from "./battery-input.js";

/** Throws a RangeError that names the first invalid field of a planning problem (docs/spec/outputs-and-plan.md section 4 rule 1). */
export function checkInput(input: PlanBatteryInput): void {
  checkObject("input", input);
  checkDate("start", input.start);
  if (input.stepMinutes !== 60 && input.stepMinutes !== 15) {
    throw new RangeError("stepMinutes must be 60 or 15.");
  }
  for (const field of ["importPriceCtKwh", "exportPriceCtKwh", "loadKwh", "pvKwh"] as const) {
    checkSeries(input, field);
  }
  const { battery, grid, terminalValueCtKwh: terminal } = input;
  checkStorage(battery);
  checkNumber("battery.socKwh", battery.socKwh, 0);
  if (battery.minChargePowerKw !== undefined)
    checkNumber("battery.minChargePowerKw", battery.minChargePowerKw, 0);
  checkBoolean("battery.gridChargeAllowed", battery.gridChargeAllowed);
  checkBoolean("battery.exportAllowed", battery.exportAllowed);
  if (grid !== undefined) checkLimits(grid);
  if (typeof terminal === "number") checkNumber("terminalValueCtKwh", terminal);
  else if (terminal !== undefined) checkTranches("terminalValueCtKwh", terminal);
}

function checkSeries(
  input: PlanBatteryInput,
  field: "importPriceCtKwh" | "exportPriceCtKwh" | "loadKwh" | "pvKwh",
): void {
  const values: unknown = input[field];
  if (!Array.isArray(values)) throw new RangeError(`${field} must be an array with one number per step.`);
  const count = input.importPriceCtKwh.length;
  if (values.length !== count) {
    throw new RangeError(
      `${field} has ${values.length} entries, importPriceCtKwh ${count}; give one per step.`,
    );
  }
  const isEnergy = field === "loadKwh" || field === "pvKwh";
  for (const [index, value] of values.entries())
    checkNumber(`${field}[${index}]`, value, isEnergy ? 0 : undefined);
}
