import { renderNumber, type Variables } from "../expression.js";
import { compileReading, type Node } from "../reading/compile.js";
import { readingSchema, type TemplateReadingSpec } from "../reading/reading-schema.js";
import type { TemplateRegister } from "./schema.js";

/** A register of a device, ready to be read and written. */
export interface CommandRegister {
  name: string;
  /** How it is read, and where it is. */
  node: Node;
  /** Function that writes it; undefined: it is only read. */
  write: 6 | 16 | undefined;
  isStored: boolean;
  isBlind: boolean;
  isOptional: boolean;
  follows: boolean;
  deadband: number;
  tolerance: number;
}

/** The registers of a transport with the parameters of a device. Throws ActuatorInputError, ExpressionError. */
export function compileRegisters(
  registers: Readonly<Record<string, TemplateRegister>>,
  { variables, unit }: { variables: Variables; unit: number },
): Map<string, CommandRegister> {
  const compiled = new Map<string, CommandRegister>();
  for (const [name, register] of Object.entries(registers)) {
    const node = compileReading(readingOf(register), `registers.${name}`, {
      variables,
      unit,
      wantedUnit: undefined,
    })!;
    compiled.set(name, {
      name,
      node,
      write: register.write as 6 | 16 | undefined,
      isStored: register.stored === true,
      isBlind: register.blind === true,
      isOptional: register.optional === true,
      follows: register.follows === true,
      deadband: register.deadband === undefined ? 0 : renderNumber(register.deadband, variables),
      tolerance: toleranceOf(register, variables),
    });
  }
  return compiled;
}

/** Half of the register's own step unless it is stated. */
export function toleranceOf({ tolerance, scale = 1 }: TemplateRegister, variables: Variables): number {
  if (tolerance !== undefined) return renderNumber(tolerance, variables);
  return Math.abs(renderNumber(scale, variables)) / 2;
}

function readingOf(register: TemplateRegister): TemplateReadingSpec {
  const entries = Object.entries(register).filter(([key]) => key in readingSchema.properties);
  return Object.fromEntries(entries) as TemplateReadingSpec;
}
