import { readTextFile } from "../config/environment.js";
import { ActuatorInputError } from "./input-error.js";
import type { ActuatorTemplate } from "./template.js";

/** The parameters with secrets read from the files of `<name>_file`. Throws ActuatorInputError. */
export function withFiles(
  given: Readonly<Record<string, unknown>>,
  template: ActuatorTemplate,
  mayRead: boolean,
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(given).map(([name, value]) => {
      const base = name.replace(/_file$/, "");
      if (base === name || template.parameters[base]?.secret !== true) return [name, value];
      if (!mayRead) throw new ActuatorInputError(`${name} is available to administrators only.`);
      const file = readTextFile(String(value));
      if ("fault" in file) throw new ActuatorInputError(`${name}: ${file.fault}`);
      return [base, file.text.trim()];
    }),
  );
}
