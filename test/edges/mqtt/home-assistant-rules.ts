import { readFileSync } from "node:fs";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";

const schema = new URL("../../fixtures/home-assistant/discovery.schema.json", import.meta.url);
const ajv = new Ajv2020({ strict: false, discriminator: false, code: { optimize: false } });
addFormats.default(ajv);
const validate = ajv.compile(JSON.parse(readFileSync(schema, "utf8")));

/** What of an announcement contradicts Home Assistant's documentation; empty if nothing does. */
export function faultsOf(announcement: unknown): string[] {
  return validate(announcement)
    ? []
    : validate.errors!.map(({ instancePath, message }) => `${instancePath} ${message}`);
}
