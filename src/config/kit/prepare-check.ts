import { _ } from "ajv/dist/2020.js";
import standaloneCode from "ajv/dist/standalone/index.js";
import { newCompiler, type SchemaCheck } from "./check.js";

/** A compiled check as the text of a CommonJS module, which `preparedCheck` reads. */
export function checkModule({ schema, options }: Pick<SchemaCheck<unknown>, "schema" | "options">): string {
  const compiler = newCompiler(options, { source: true, formats: _`formats` });
  return [
    '"use strict";',
    "exports.check = (formats, require) => {",
    "const module = {};",
    standaloneCode.default(compiler, compiler.compile(schema)),
    "return module.exports;",
    "};",
    "",
  ].join("\n");
}
