import { SchemaCheck } from "../../config/kit/check.js";
import { keysOf } from "../../config/kit/node.js";
import { didYouMean } from "../../config/kit/suggest.js";
import { registerSchema, type TemplateRegister } from "./schema.js";

export interface RegisterFault {
  path: readonly string[];
  message: string;
}

interface Commanded {
  registers?: Readonly<Record<string, object>> | undefined;
  commands: Readonly<Record<string, readonly { set?: Readonly<Record<string, unknown>> }[]>>;
}

const check = new SchemaCheck<TemplateRegister>(registerSchema, { all: true });

/** What is wrong with the registers of a Modbus transport and with what its states write. */
export function registerFaults(transport: Commanded, path: readonly string[]): RegisterFault[] {
  const registers = transport.registers ?? {};
  return [
    ...Object.entries(registers).flatMap(([name, one]) => faultsOf(one, [...path, "registers", name])),
    ...commandFaults(transport, registers as Readonly<Record<string, TemplateRegister>>, path),
  ];
}

function faultsOf(register: object, path: readonly string[]): RegisterFault[] {
  if (!check.fits(register))
    return check.faults(register).map(({ kind, path: at, node, reason }) => ({
      path: [...path, ...at],
      message:
        kind === "unknown"
          ? `is not a known key of a register; see “Registers” in docs/actuators.md.${didYouMean(at.at(-1)!, keysOf([node]))}`
          : `${reason}.`,
    }));
  const { holding, input, sunspec, write, range, values, found, follows, blind, idle } = register;
  const faults = [
    [holding, input, sunspec].filter((one) => one !== undefined).length !== 1 &&
      "needs one of holding, input and sunspec.",
    write !== undefined && input !== undefined && "cannot be written: it is an input register.",
    blind === true &&
      holding === undefined &&
      "must have a fixed address (holding), since it cannot be read.",
    write === undefined && blind === true && "is neither read nor written.",
    write !== undefined &&
      (range === undefined) === (values === undefined) &&
      "needs either range or values: what a command may write.",
    write === undefined &&
      (range !== undefined || values !== undefined || found === true || follows === true || idle === true) &&
      "is not written (write), so that range, values, found, follows and idle have no meaning.",
    blind === true && found === true && "cannot be found, since it cannot be read.",
  ];
  return faults.flatMap((message) => (typeof message === "string" ? [{ path, message }] : []));
}

/** Any state may follow any other: each sets all that another one may have changed. */
function commandFaults(
  { commands }: Commanded,
  registers: Readonly<Record<string, TemplateRegister>>,
  path: readonly string[],
): RegisterFault[] {
  const faults: RegisterFault[] = [];
  const setBy = new Map<string, Set<string>>();
  for (const [state, requests] of Object.entries(commands))
    for (const [index, { set = {} }] of requests.entries())
      for (const name of Object.keys(set)) {
        const at = [...path, "commands", state, String(index), "set", name];
        const register = registers[name];
        if (register === undefined)
          faults.push({ path: at, message: `is not a register.${didYouMean(name, Object.keys(registers))}` });
        else if (register.write === undefined)
          faults.push({ path: at, message: "is a register that is only read: it has no write." });
        else setBy.set(name, (setBy.get(name) ?? new Set()).add(state));
      }
  for (const [name, states] of setBy)
    for (const state of Object.keys(commands))
      if (!states.has(state) && registers[name]?.idle !== true)
        faults.push({
          path: [...path, "commands", state],
          message: `does not set ${name}, which ${[...states].join(", ")} changes; set it, or mark it as idle.`,
        });
  return faults;
}
