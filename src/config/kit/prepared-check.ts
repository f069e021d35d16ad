import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { ValidateFunction } from "ajv/dist/2020.js";
import { preparedPath, requirePackage } from "../../core/installation.js";
import { type SchemaCheck, textFormats } from "./check.js";

/** Where the build writes the checks that a start uses, below the code. */
export const CHECKS_FOLDER = "config/checks";

interface PreparedModule {
  check(formats: Record<string, (text: string) => boolean>, require: NodeJS.Require): ValidateFunction;
}

/** The file of a check, named by what it is compiled from. */
export function preparedFile({ schema, options }: Pick<SchemaCheck<unknown>, "schema" | "options">): string {
  const from = JSON.stringify([schema, options]);
  return `${createHash("sha256").update(from).digest("hex").slice(0, 16)}.cjs`;
}

/**
 * A check as the build compiled it: compiling those of configuration and state takes half of the processor time of a start. Undefined
 * where none was prepared for this schema.
 */
export function preparedCheck(
  check: Pick<SchemaCheck<unknown>, "schema" | "options">,
  folder = preparedPath(CHECKS_FOLDER),
): ValidateFunction | undefined {
  const file = join(folder, preparedFile(check));
  if (!existsSync(file)) return undefined;
  return (requirePackage(file) as PreparedModule).check(textFormats(), requirePackage);
}
