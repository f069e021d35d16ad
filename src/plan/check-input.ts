import type { PlanBatteryInput, PlannerBattery } from "./battery-input.js";

/** Throws a RangeError that names the first invalid field of a planning problem (docs/spec/outputs-and-plan.md section 4 rule 1). */
export function checkInput(input: PlanBatteryInput): void {
  objectField("input", input);
  if (!(input.start instanceof Date) || Number.isNaN(input.start.getTime())) {
    throw new RangeError("start must be a valid Date.");
  }
  if (input.stepMinutes !== 60 && input.stepMinutes !== 15) {
    throw new RangeError("stepMinutes must be 60 or 15.");
  }
  for (const field of ["importPriceCtKwh", "exportPriceCtKwh", "loadKwh", "pvKwh"] as const) {
    checkSeries(input, field);
  }
  checkBattery(input.battery);
  checkGrid(input.grid);
  checkTerminal(input.terminalValueCtKwh);
}

function objectField(name: string, value: unknown): asserts value is object {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new RangeError(`${name} must be an object.`);
  }
}

function isNumber(value: unknown, least = -Infinity): value is number {
  return typeof value === "number" && Number.isFinite(value) && value >= least;
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
  const energy = field === "loadKwh" || field === "pvKwh";
  for (let index = 0; index < count; index++) {
    if (isNumber(values[index], energy ? 0 : -Infinity)) continue;
    throw new RangeError(`${field}[${index}] must be a finite number${energy ? " of 0 or more" : ""}.`);
  }
}

const REQUIRED = [
  "capacityKwh",
  "socKwh",
  "minSocKwh",
  "maxSocKwh",
  "maxChargePowerKw",
  "maxDischargePowerKw",
] as const;

function checkBattery(battery: PlannerBattery): void {
  objectField("battery", battery);
  for (const field of [...REQUIRED, "wearCtKwh", "minChargePowerKw"] as const) {
    const value = battery[field];
    const required = (REQUIRED as readonly string[]).includes(field);
    if ((value === undefined && !required) || isNumber(value, 0)) continue;
    throw new RangeError(`battery.${field} must be a finite number of 0 or more.`);
  }
  for (const field of ["chargeEfficiency", "dischargeEfficiency"] as const) {
    if (isNumber(battery[field]) && battery[field] > 0 && battery[field] <= 1) continue;
    throw new RangeError(`battery.${field} must be a number above 0 and at most 1.`);
  }
  for (const field of ["gridChargeAllowed", "exportAllowed"] as const) {
    checkBoolean(`battery.${field}`, battery[field]);
  }
  if (battery.minSocKwh > battery.maxSocKwh) {
    throw new RangeError("battery.minSocKwh must not exceed battery.maxSocKwh.");
  }
  if (battery.maxSocKwh > battery.capacityKwh * (1 + 1e-9)) {
    throw new RangeError("battery.maxSocKwh must not exceed battery.capacityKwh.");
  }
}

function checkBoolean(name: string, value: unknown): void {
  if (value !== undefined && typeof value !== "boolean") {
    throw new RangeError(`${name} must be true or false.`);
  }
}

function checkGrid(grid: PlanBatteryInput["grid"]): void {
  if (grid === undefined) return;
  objectField("grid", grid);
  for (const field of ["importLimitKw", "exportLimitKw"] as const) {
    if (grid[field] === undefined || isNumber(grid[field], 0)) continue;
    throw new RangeError(`grid.${field} must be a finite number of 0 or more; leave it out for no limit.`);
  }
  checkBoolean("grid.curtailmentAllowed", grid.curtailmentAllowed);
}

function checkTerminal(terminal: PlanBatteryInput["terminalValueCtKwh"]): void {
  if (terminal === undefined || isNumber(terminal)) return;
  if (!Array.isArray(terminal)) {
    throw new RangeError("terminalValueCtKwh must be a finite number or an array of { kwh, ctKwh }.");
  }
  for (const [index, tranche] of (terminal as readonly { kwh: number; ctKwh: number }[]).entries()) {
    const name = `terminalValueCtKwh[${index}]`;
    objectField(name, tranche);
    if (!isNumber(tranche.ctKwh)) throw new RangeError(`${name}.ctKwh must be a finite number.`);
    if (!isNumber(tranche.kwh, 0)) throw new RangeError(`${name}.kwh must be a finite number of 0 or more.`);
    if (index > 0 && tranche.ctKwh > terminal[index - 1]!.ctKwh) {
      throw new RangeError(
        `${name}.ctKwh must not exceed that of the entry before it: additional energy is worth less.`,
      );
    }
  }
}
