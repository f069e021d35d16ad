import { Ajv2020 } from "ajv/dist/2020.js";
import { expect, test } from "vitest";
import { createOperations } from "../../src/api/catalogue.js";
import { fakeServices } from "./fake-services.js";

test("the schemas of all operations are valid JSON Schema, which the running gateway does not check", () => {
  const ajv = new Ajv2020({ strict: false });
  const operations = createOperations(fakeServices());
  const wrong = operations.filter(
    ({ schema, response, reduced }) =>
      ![schema, response, reduced ?? {}].every((one) => ajv.validateSchema(one) === true),
  );
  expect(wrong.map(({ method, path }) => `${method} ${path}`)).toEqual([]);
  expect(operations.length).toBeGreaterThan(5);
  expect(ajv.validateSchema({ type: "nothing" })).toBe(false);
});
