import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { parse as parseYaml } from "yaml";
import { SchemaCheck } from "../../../src/config/kit/check.js";
import { partFor } from "../../../src/config/kit/part.js";
import { configurationSchema } from "../../../src/config/schema/index.js";

const read = (name: string): unknown =>
  parseYaml(readFileSync(new URL(`../../../config/${name}`, import.meta.url), "utf8"));

/** After its first check it uses the whole schema. */
const whole = new SchemaCheck(configurationSchema, { all: true, defaults: true });
whole.fits({});

const wrong = {
  plants: [{ id: "home", battery: { capacity_kwh: "ten" } }],
  limits: { http: { unknown: 1 } },
};

it.each([
  ["nothing", {}],
  ["an empty section", { mqtt: {}, plants: [{}] }],
  ["single keys", { limits: { mqtt: { connections: { total: 9 } } }, quotas: { oem: { decision: 5 } } }],
  [
    "plants that differ",
    {
      plants: [
        { id: "a", grid: { import_limit_kw: 4 } },
        { id: "b", pv: [{ peak_kw: 5 }] },
      ],
    },
  ],
  ["the example of a home", read("example-home.yaml") ?? {}],
  ["values that do not fit", wrong],
  ["a section of another type", { limits: [], plants: { id: "home" } }],
])("gives the answer and the defaults of the whole schema for %s", (_, value) => {
  const [one, other] = [structuredClone(value), structuredClone(value)];
  const first = new SchemaCheck(configurationSchema, { all: true, defaults: true });
  expect(first.fits(one)).toBe(whole.fits(other));
  expect(one).toEqual(other);
});

it("leaves out what the values do not have", () => {
  const size = (values: unknown[]) => JSON.stringify(partFor(configurationSchema, values)).length;
  expect(size([{ plants: [{ id: "home" }] }])).toBeLessThan(0.5 * JSON.stringify(configurationSchema).length);
});
