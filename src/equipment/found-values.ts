import { type DeviceSource, sourcePlace } from "./command.js";
import type { DeviceCommands } from "./device-commands.js";
import { unlessExpressionFails, type Variables } from "./expression.js";
import type { ActuatorLedger, LeftValue } from "./ledger.js";
import type { DeviceCommand } from "./machine/device-state.js";
import { matches } from "./values.js";

type Values = Readonly<Record<string, string>>;

/** The value of before is not known. */
export const UNKNOWN = "";

/**
 * The values that a device had before the first command, which are given back at the end. When somebody else changes the device they are
 * read again before the next command; what still shows a command of hourgate then is no value of its owner.
 */
export class FoundValues {
  #values: Values;
  #left: ActuatorLedger["left"];

  /** `names`: what the template reads. A device that hourgate has set without reading them shows no values of its owner. */
  constructor(
    { owned, found, left }: Pick<ActuatorLedger, "owned" | "found" | "left">,
    names: readonly string[],
  ) {
    const isSet = owned?.isConfirmed === true;
    this.#values = isSet ? { ...Object.fromEntries(names.map((name) => [name, UNKNOWN])), ...found } : found;
    this.#left = left;
  }

  /** Those that are known. */
  get values(): Values {
    return Object.fromEntries(Object.entries(this.#values).filter(([, value]) => value !== UNKNOWN));
  }

  /** Whether somebody else has changed the device while it had values of hourgate, which may still be there. */
  get hasLeft(): boolean {
    return Object.keys(this.#left ?? {}).length > 0;
  }

  /** Whether they are to be read before the next command. */
  get isOpen(): boolean {
    return this.#left !== undefined || Object.keys(this.#values).length === 0;
  }

  /** Takes what the device shows before a command. */
  take(values: Values): void {
    const before = this.#values;
    const isLeft = (name: string, value: string) => {
      const left = this.#left?.[name];
      return left !== undefined && matches(value, left.expected, left.tolerance);
    };
    this.#values = Object.fromEntries(
      Object.entries(values).map(([name, value]) => [
        name,
        isLeft(name, value) ? (before[name] ?? UNKNOWN) : value,
      ]),
    );
    this.#left = undefined;
  }

  /** Somebody else has changed the device, which had this command. */
  leave(device: Pick<DeviceCommands, "checks" | "found">, command: DeviceCommand, live: Variables): void {
    const checks = unlessExpressionFails(() => device.checks(command.state, command, live), []);
    const left = Object.entries(device.found()).flatMap(([name, source]): [string, LeftValue][] => {
      const check = checks.find((one) => placeOf(one.source) === placeOf(source));
      return check === undefined ? [] : [[name, { expected: check.expected, tolerance: check.tolerance }]];
    });
    this.#left = Object.fromEntries(left);
  }

  /** `isUsed`: hourgate has set the device, or is about to. Without that they belong to a time that is over. */
  stored(isUsed: boolean): Pick<ActuatorLedger, "found" | "left"> {
    if (!isUsed && this.#left === undefined) this.#values = {};
    return { found: this.#values, ...(this.#left !== undefined && { left: this.#left }) };
  }
}

function placeOf(source: DeviceSource): string {
  return JSON.stringify([sourcePlace(source), source.pointer, source.regex]);
}
