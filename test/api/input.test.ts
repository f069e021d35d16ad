import fc from "fast-check";
import { expect, test } from "vitest";
import { ApiError } from "../../src/api/errors.js";
import { createInputReader } from "../../src/api/input.js";

const read = createInputReader({
  type: "object",
  properties: {
    count: { type: "integer", minimum: 0, maximum: 31 },
    energy_kwh: { type: "number", exclusiveMinimum: 0 },
    strict: { type: "boolean" },
    mode: { type: "string", enum: ["cheapest", "expensive"] },
    timezone: { type: "string", format: "iana-zone" },
    hours: { type: "array", minItems: 1, maxItems: 3, items: { type: "number", minimum: 0 } },
  },
});

/** The sentences of a refusal, by field. */
function refused(raw: Record<string, unknown>): Record<string, string> {
  try {
    read(raw);
  } catch (thrown) {
    if (thrown instanceof ApiError) {
      return Object.fromEntries(thrown.details.map(({ field, message }) => [field, message]));
    }
    throw thrown;
  }
  throw new Error("was not refused");
}

test.each([
  ["3", 3],
  ["2,5", 2.5],
  ["2.5", 2.5],
  [" 7 ", 7],
  ["+4", 4],
  [".5", 0.5],
  ["1e2", 100],
  [6, 6],
])("parses the number %j as %d", (given, expected) => {
  expect(read({ energy_kwh: given })).toEqual({ energy_kwh: expected });
});

test.each([
  "",
  " ",
  "x",
  "0x10",
  "1.2.3",
  "1,000,5",
  "Infinity",
  "NaN",
  "1e400",
  null,
  true,
  [],
  {},
  Infinity,
])("rejects %j as a number", (given) => {
  expect(Object.keys(refused({ energy_kwh: given }))).toEqual(["energy_kwh"]);
});

test("integers may have zero decimals, and no others", () => {
  expect(read({ count: "3.0" })).toEqual({ count: 3 });
  expect(refused({ count: "2,5" })).toEqual({ count: "count must be a whole number from 0 to 31." });
  expect(refused({ energy_kwh: 0 })).toEqual({ energy_kwh: "energy_kwh must be a number above 0." });
});

test("booleans", () => {
  for (const given of [true, "true", "1", 1]) expect(read({ strict: given })).toEqual({ strict: true });
  for (const given of [false, "false", "0", 0]) expect(read({ strict: given })).toEqual({ strict: false });
  for (const given of ["yes", "", 2, null])
    expect(Object.keys(refused({ strict: given }))).toEqual(["strict"]);
});

test("lists: errors name length and entries, and a long list is rejected by its length", () => {
  expect(read({ hours: ["1,5", 2] })).toEqual({ hours: [1.5, 2] });
  expect(refused({ hours: [] })).toEqual({
    hours: "hours must be a list of 1 to 3 values, each a number from 0.",
  });
  expect(refused({ hours: [1, -1] })).toEqual({ "hours[1]": "hours[1] must be a number from 0." });
  expect(Object.keys(refused({ hours: new Array(50_000).fill("x") })).length).toBeLessThan(6);
});

test("a repeated parameter has its own error message", () => {
  expect(refused({ mode: ["cheapest", "cheapest"] }).mode).toMatch(/more than once/);
  expect(refused({ mode: "best" }).mode).toBe("mode must be one of cheapest, expensive.");
});

test("unknown members are dropped, and prototype members are not values", () => {
  expect(read(JSON.parse('{"x":1,"__proto__":{"count":5},"constructor":2}'))).toEqual({});
});

test("any number in range is parsed exactly from text with a decimal comma", () => {
  fc.assert(
    fc.property(fc.double({ min: 1e-6, max: 1e15, noNaN: true }), (value) => {
      expect(read({ energy_kwh: String(value).replace(".", ",") })).toEqual({ energy_kwh: value });
    }),
  );
});
