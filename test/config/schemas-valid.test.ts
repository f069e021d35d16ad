import { Ajv2020 } from "ajv/dist/2020.js";
import { expect, test } from "vitest";
import { createOperations } from "../../src/api/catalogue.js";
import { configurationSchema } from "../../src/config/schema/index.js";
import { templateSchema } from "../../src/equipment/template-schema.js";
import { STATE_SCHEMA } from "../../src/store/state-schema.js";
import { fakeServices } from "../api/fake-services.js";

/** The running gateway does not check them: compiling the meta-schemas would take a tenth of its start. */
const ajv = new Ajv2020({ strict: false, code: { optimize: false } });

test("the schemas of configuration and state are valid JSON Schema", () => {
  expect(ajv.validateSchema(configurationSchema)).toBe(true);
  expect(ajv.validateSchema(STATE_SCHEMA)).toBe(true);
  expect(ajv.validateSchema(templateSchema)).toBe(true);
});

test("the schemas of all operations are valid JSON Schema", () => {
  const operations = createOperations(fakeServices());
  const wrong = operations.filter(
    ({ schema, response, reduced }) =>
      ![schema, response, reduced ?? {}].every((one) => ajv.validateSchema(one) === true),
  );
  expect(wrong.map(({ method, path }) => `${method} ${path}`)).toEqual([]);
  expect(operations.length).toBeGreaterThan(5);
  expect(ajv.validateSchema({ type: "nothing" })).toBe(false);
});
