import { render, renderNumber, type Variables } from "../expression.js";
import type { TemplateRegister } from "./schema.js";

type Registers = Readonly<Record<string, TemplateRegister>>;

/** A value for a register, within its limits; NaN: what it is computed from is not known. */
export interface RegisterWrite {
  register: string;
  value: number;
  /** It is computed from readings of the home. */
  follows?: boolean;
}

/** As a value of `set`: what the register had before the first command. It is left as it is where that is not known. */
const FOUND = "found";

/** Values of registers that have not been read: whatever is computed from them is not known either. */
export function unknownRegisters(registers: Registers = {}): {
  found: Record<string, number>;
  device: Record<string, number>;
} {
  const names = Object.keys(registers);
  const unknown = (list: readonly string[]) => Object.fromEntries(list.map((name) => [name, Number.NaN]));
  return { found: unknown(names.filter((name) => registers[name]!.found)), device: unknown(names) };
}

/** The values that a request writes. Throws ExpressionError. */
export function renderSet(
  set: Readonly<Record<string, string | number>>,
  registers: Registers,
  variables: Variables,
): RegisterWrite[] {
  return Object.entries(set).flatMap(([name, expression]) => {
    const register = registers[name]!;
    const value = numberOf(expression, name, variables);
    if (expression === FOUND) return Number.isFinite(value) ? [{ register: name, value }] : [];
    const follows = register.follows === true && typeof expression === "string";
    return [{ register: name, value: limited(value, register, variables), ...(follows && { follows }) }];
  });
}

function numberOf(expression: string | number, name: string, variables: Variables): number {
  if (typeof expression === "number") return expression;
  if (expression === FOUND) {
    const found = (variables.found as Record<string, unknown> | undefined)?.[name];
    return found === undefined || found === null ? Number.NaN : Number(found);
  }
  const text = render(expression, variables).trim();
  return text === "" ? Number.NaN : Number(text);
}

/** Within the limits of the register; not known if they are not. */
function limited(value: number, { range, values }: TemplateRegister, variables: Variables): number {
  if (!Number.isFinite(value)) return Number.NaN;
  if (values !== undefined) return values.includes(value) ? value : Number.NaN;
  const [least, most] = (range ?? []).map((one) => limitOf(one, variables));
  if (least === undefined || most === undefined) return Number.NaN;
  return Math.max(least, Math.min(most, value));
}

function limitOf(limit: string | number, variables: Variables): number {
  if (typeof limit === "number") return limit;
  const text = render(limit, variables).trim();
  return text === "NaN" ? Number.NaN : renderNumber(text, variables);
}
