import { _ } from "ajv/dist/2020.js";
import standaloneCode from "ajv/dist/standalone/index.js";
import { newCompiler } from "./kit/check.js";
import { CONFIGURATION_CHECK, checkedSchema } from "./prepared-check.js";
import { configurationSchema } from "./schema/index.js";

/** The check of the configuration as the text of a CommonJS module, which `preparedCheck` reads. */
export function checkModule(): string {
  const compiler = newCompiler(CONFIGURATION_CHECK, { source: true, formats: _`formats` });
  const code = standaloneCode.default(compiler, compiler.compile(configurationSchema));
  return [
    '"use strict";',
    `exports.of = ${JSON.stringify(checkedSchema())};`,
    "exports.check = (formats, require) => {",
    "const module = {};",
    code,
    "return module.exports;",
    "};",
    "",
  ].join("\n");
}
