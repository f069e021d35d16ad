import { describe, expect, it } from "vitest";
import { SchemaCheck } from "../../../src/config/kit/check.js";
import { faultText } from "../../../src/config/kit/describe.js";
import type { SchemaNode } from "../../../src/config/kit/node.js";
import { textsOf } from "../../../src/texts/index.js";

const SCHEMA: SchemaNode = {
  type: "object",
  required: ["name"],
  additionalProperties: false,
  properties: {
    name: { type: "string", maxLength: 5 },
    share: { type: "number", minimum: 0, maximum: 1, default: 0.5 },
    days: { type: "array", maxItems: 7, uniqueItems: true, items: { type: "string", enum: ["mon", "tue"] } },
  },
};

const texts = textsOf("en").config;
const sentences = (check: SchemaCheck<unknown>, value: unknown) =>
  check.faults(value).map((fault) => `${fault.path.join(".")} ${faultText(fault, texts)}`);

describe("the check of a value from the network", () => {
  const check = new SchemaCheck<unknown>(SCHEMA);

  it("names one fault for each key", () => {
    expect(sentences(check, { share: 7, days: ["mo", "wed", 3] })).toEqual([
      "name is missing: must be text of at most 5 characters.",
      "share must be a number from 0 to 1; found 7.",
      'days.0 must be one of mon, tue; found the text "mo". Did you mean "mon"?',
    ]);
    expect(sentences(check, [])).toEqual([" must be a section of keys; found a list of 0 entries."]);
    expect(check.faults({ name: "a" })).toEqual([]);
  });

  it("refuses thousands of unknown names with one fault", () => {
    const unknown = Object.fromEntries(Array.from({ length: 17_000 }, (_, index) => [`name${index}`, 1]));
    expect(sentences(check, { name: "a", ...unknown })).toEqual([
      'name0 is not a known key. Did you mean "name"?',
    ]);
  });

  it("checks the length of a list before its entries, and before it looks for equal ones", () => {
    const days = Array.from({ length: 200_000 }, (_, index) => ({ index }));
    expect(sentences(check, { name: "a", days })).toEqual([
      "days must be a list of at most 7 entries, each one of mon, tue; found a list of 200000 entries.",
    ]);
  });
});

describe("the check of a file", () => {
  const check = new SchemaCheck<unknown>(SCHEMA, { all: true, defaults: true });

  it("names all faults, up to a limit, and fills in the defaults", () => {
    expect(sentences(check, { name: "a", days: ["x", "y"], prot: 1 })).toHaveLength(3);
    const unknown = Object.fromEntries(Array.from({ length: 17_000 }, (_, index) => [`other${index}`, 1]));
    expect(check.faults({ name: "a", ...unknown })).toHaveLength(200);
    const value = { name: "a" };
    expect(check.fits(value)).toBe(true);
    expect(value).toEqual({ name: "a", share: 0.5 });
  });
});
