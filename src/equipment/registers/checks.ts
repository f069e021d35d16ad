import type { Check, DeviceRequest } from "../command.js";
import type { Variables } from "../expression.js";
import { toleranceOf } from "./compile.js";
import type { TemplateRegister } from "./schema.js";

/** What a source says of a register that the device does not have and need not have. */
export const ABSENT = "absent";
/** What a source says of a register that follows the readings of the home and is as it was written last. */
export const AS_WRITTEN = "as written";

/** What registers must show after requests; `isRest`: without a command, such as after the end of a lease. */
export function registerChecks(
  requests: readonly Pick<DeviceRequest, "set">[],
  registers: Readonly<Record<string, TemplateRegister>>,
  { isRest, variables }: { isRest: boolean; variables: Variables },
): Check[] {
  const last = new Map<string, { value: number; follows: boolean }>();
  for (const { set = [] } of requests)
    for (const { register, value, follows = false } of set) last.set(register, { value, follows });
  if (isRest)
    for (const [name, { rest }] of Object.entries(registers))
      if (rest !== undefined) last.set(name, { value: rest, follows: false });
  return [...last].flatMap(([name, { value, follows }]) => {
    const register = registers[name]!;
    const isShown = register.blind !== true && register.unchecked !== true;
    if (!isShown || (!follows && !Number.isFinite(value))) return [];
    return [
      {
        source: { register: name, follows, ignore: [], retained: true },
        expected: [follows ? AS_WRITTEN : String(value), ...(register.optional === true ? [ABSENT] : [])],
        isNegated: false as const,
        tolerance: { absolute: toleranceOf(register, variables), pct: 0 },
      },
    ];
  });
}
