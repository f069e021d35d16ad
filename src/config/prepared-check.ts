import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import type { ValidateFunction } from "ajv/dist/2020.js";
import { codePath, requirePackage } from "../core/installation.js";
import { type CheckOptions, textFormats } from "./kit/check.js";
import { configurationSchema } from "./schema/index.js";

/** The file is the operator's: all of its faults are reported at once. */
export const CONFIGURATION_CHECK: CheckOptions = { all: true, defaults: true };

/** Where the build writes the compiled check. */
export const PREPARED = codePath("config/configuration-check.cjs");

interface PreparedModule {
  of: string;
  check(formats: Record<string, (text: string) => boolean>, require: NodeJS.Require): ValidateFunction;
}

/** What the check was compiled from. */
export function checkedSchema(): string {
  return createHash("sha256")
    .update(JSON.stringify([configurationSchema, CONFIGURATION_CHECK]))
    .digest("base64url");
}

/**
 * The check of the configuration as the build compiled it: compiling it takes half of the processor time of a start. Undefined in the
 * sources, and where the schema is another one.
 */
export function preparedCheck(file = PREPARED): ValidateFunction | undefined {
  if (!existsSync(file)) return undefined;
  const { of, check } = requirePackage(file) as PreparedModule;
  return of === checkedSchema() ? check(textFormats(), requirePackage) : undefined;
}
