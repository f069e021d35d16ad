import { checkArray, checkDate, checkNumber, checkObject } from "../../core/check-fields.js";
import { CONTROLLED_MODES } from "../../core/domain/battery.js";
import { checkLimits, checkStorage, checkTranches } from "../check-site.js";
import type { PolicyInput } from "./policy-input.js";

/** Throws a RangeError that names the field of a policy problem that makes no sense. */
export function checkPolicyInput(input: PolicyInput): void {
  checkObject("input", input);
  checkDate("now", input.now);
  checkSteps(input.steps);
  checkRatios(input.ratios);
  if (input.shares !== undefined) checkShares("shares", input.shares);
  if (input.persistence !== undefined) checkPersistence("persistence", input.persistence);
  checkPv(input.pv);
  checkStorage(input.battery);
  checkControls(input.controls);
  checkGrid(input.grid);
  if (input.terminal !== undefined) checkTranches("terminal", input.terminal);
}

function checkSteps(steps: PolicyInput["steps"]): void {
  checkArray("steps", steps);
  let endMs = -Infinity;
  for (const [index, step] of steps.entries()) {
    const name = `steps[${index}]`;
    checkObject(name, step);
    checkDate(`${name}.start`, step.start);
    if (!(Number.isFinite(step.minutes) && step.minutes > 0)) {
      throw new RangeError(`${name}.minutes must be a finite number above 0.`);
    }
    for (const field of ["importCtKwh", "exportCtKwh"] as const) checkNumber(`${name}.${field}`, step[field]);
    for (const field of ["loadKwh", "pvKwh"] as const) checkNumber(`${name}.${field}`, step[field], 0);
    if (typeof step.published !== "boolean") {
      throw new RangeError(`${name}.published must be true or false.`);
    }
    if (step.start.getTime() < endMs) {
      throw new RangeError(`${name}.start must not be before the end of the step before it.`);
    }
    endMs = step.start.getTime() + step.minutes * 60_000;
  }
}

function checkRatios(ratios: PolicyInput["ratios"]): void {
  checkArray("ratios", ratios);
  for (const [index, row] of ratios.entries()) {
    if (row === undefined || row === null) continue;
    checkArray(`ratios[${index}]`, row);
    for (const [position, value] of row.entries()) checkNumber(`ratios[${index}][${position}]`, value, 0);
  }
}

function checkShares(name: string, shares: unknown): void {
  checkArray(name, shares);
  let sum = 0;
  for (const [index, share] of shares.entries()) {
    checkNumber(`${name}[${index}]`, share, 0);
    sum += Number(share);
  }
  if (Math.abs(sum - 1) > 1e-6) throw new RangeError(`${name} must have the sum 1.`);
}

function checkPersistence(name: string, value: unknown): void {
  checkNumber(name, value, 0);
  if (Number(value) > 1) throw new RangeError(`${name} must be at most 1.`);
}

function checkPv(pv: PolicyInput["pv"]): void {
  if (pv === undefined) return;
  checkObject("pv", pv);
  checkShares("pv.shares", pv.shares);
  checkArray("pv.factors", pv.factors);
  if (pv.factors.length !== pv.shares.length)
    throw new RangeError("pv.factors must have one entry for each of pv.shares.");
  for (const [index, factor] of pv.factors.entries()) checkNumber(`pv.factors[${index}]`, factor, 0);
  checkPersistence("pv.persistence", pv.persistence);
}

function checkControls(controls: PolicyInput["controls"]): void {
  checkArray("controls", controls);
  for (const mode of controls) {
    if (CONTROLLED_MODES.includes(mode)) continue;
    throw new RangeError(`controls must hold only ${CONTROLLED_MODES.join(", ")}.`);
  }
}

function checkGrid(grid: PolicyInput["grid"]): void {
  if (grid === undefined) return;
  checkLimits(grid);
  if (grid.importTarget === undefined) return;
  checkObject("grid.importTarget", grid.importTarget);
  for (const field of ["kw", "ctPerKw"] as const)
    checkNumber(`grid.importTarget.${field}`, grid.importTarget[field], 0);
}
