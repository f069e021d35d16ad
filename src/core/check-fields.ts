import { isRecord } from "./net/json.js";
import { isTime } from "./shape.js";
import { isZone } from "./time/zone.js";

/** Checks of what programs give to the library: each throws a RangeError that names the field. */

/** A valid date. */
export function checkDate(name: string, value: unknown): asserts value is Date {
  if (!isTime(value)) throw new RangeError(`${name} must be a valid Date.`);
}

/** A finite number of `least` or more. */
export function checkNumber(name: string, value: unknown, least = -Infinity): void {
  if (typeof value === "number" && Number.isFinite(value) && value >= least) return;
  throw new RangeError(
    `${name} must be a finite number${least === -Infinity ? "" : ` of ${least} or more`}.`,
  );
}

/** True, false or left out. */
export function checkBoolean(name: string, value: unknown): void {
  if (value !== undefined && typeof value !== "boolean")
    throw new RangeError(`${name} must be true or false.`);
}

/** An object and not an array; `fields` names what it has. */
export function checkObject(name: string, value: unknown, fields = ""): asserts value is object {
  if (!isRecord(value)) throw new RangeError(`${name} must be an object${fields}.`);
}

/** An array; `of` names its entries. */
export function checkArray(name: string, value: unknown, of = ""): asserts value is readonly unknown[] {
  if (!Array.isArray(value)) throw new RangeError(`${name} must be an array${of}.`);
}

/** The name of a time zone. */
export function checkZone(name: string, value: unknown): asserts value is string {
  if (typeof value !== "string" || !isZone(value))
    throw new RangeError(`${name} must be an IANA name such as Europe/Vienna.`);
}
