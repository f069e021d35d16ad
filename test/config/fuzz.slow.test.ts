import { Ajv2020, type ErrorObject } from "ajv/dist/2020.js";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { stringify } from "yaml";
import { ConfigError } from "../../src/config/error.js";
import { SchemaCheck } from "../../src/config/kit/check.js";
import { FORMATS } from "../../src/config/kit/formats.js";
import { keysOf, nodesAt, type SchemaNode } from "../../src/config/kit/node.js";
import { defaultSettings, parse } from "../../src/config/load.js";
import { configurationSchema } from "../../src/config/schema/index.js";
import { templateSchema } from "../../src/equipment/template-schema.js";
import { STATE_SCHEMA } from "../../src/store/state-schema.js";
import { anyCharacter } from "../support/any-character.js";
import { runs } from "../support/runs.js";

const root: SchemaNode = configurationSchema;

/** Settings or a ConfigError; any other error fails the test. */
function attempt(text: string, environment: Record<string, string> = {}) {
  try {
    return parse(text, { file: "x.yaml", environment }).settings;
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    expect(error.problems.length).toBeGreaterThan(0);
    const lines = text.split(/\r\n|\r|\n/).length;
    for (const { line, message } of error.problems) {
      expect(message).toMatch(/[.?]$/);
      if (line !== undefined) expect(line >= 1 && line <= lines).toBe(true);
    }
    return error;
  }
}

const anyScalar = fc.oneof(
  fc.constantFrom(
    null,
    true,
    "",
    "home",
    "file",
    "entsoe",
    "*x",
    "&x",
    "!x",
    "__proto__",
    "4-9",
    -1,
    0,
    1e9,
    NaN,
    Infinity,
  ),
  fc.integer(),
  fc.double(),
  fc.string(),
);

/** A value with the schema's keys but other types. */
function misfit(node: SchemaNode, depth = 0): fc.Arbitrary<unknown> {
  if (depth > 4) return anyScalar;
  const keys = keysOf([node]);
  const section = fc.record(
    Object.fromEntries(
      keys.map(
        (key) => [key, misfit(nodesAt(node, [key])[0] ?? {}, depth + 1)] as [string, fc.Arbitrary<unknown>],
      ),
    ),
    { requiredKeys: [] },
  );
  const list = fc.array(misfit(node.items ?? {}, depth + 1), { maxLength: 3 });
  if (keys.length > 0) return fc.oneof({ weight: 6, arbitrary: section }, anyScalar, list);
  return node.items === undefined ? anyScalar : fc.oneof({ weight: 4, arbitrary: list }, anyScalar);
}

describe("a configuration is either usable or a ConfigError", () => {
  it("for any text", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: anyCharacter }), fc.string()), (text) => void attempt(text)),
      {
        seed: 1,
        numRuns: runs(300),
      },
    );
  });

  it("for YAML punctuation", () => {
    const bit = fc.constantFrom(
      "http",
      "port",
      "plants",
      "id",
      ":",
      ": ",
      "\n",
      "\n  ",
      "- ",
      "[",
      "]",
      "{",
      "}",
      "*a",
      "&a ",
      "!t ",
      '"',
      "'",
      "#",
      "---",
      "%YAML 1.1\n",
      "|",
      ">",
      "? ",
      ",",
      "<<",
      "~",
      "1",
      "\t",
      "\uFEFF",
    );
    fc.assert(
      fc.property(fc.array(bit, { maxLength: 25 }), (bits) => void attempt(bits.join(""))),
      { seed: 1, numRuns: runs(600) },
    );
  });

  it("for documents with the right keys and wrong values", () => {
    fc.assert(
      fc.property(misfit(root), (value) => void attempt(stringify(value))),
      { seed: 1, numRuns: runs(300) },
    );
  });

  it("for any JSON value", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => void attempt(JSON.stringify(value))),
      { seed: 1, numRuns: runs(300) },
    );
  });

  it("for any environment", () => {
    const segment = fc.constantFrom(
      "HTTP",
      "PORT",
      "PLANTS",
      "0",
      "1",
      "99",
      "BATTERY",
      "MARKET",
      "SOURCES",
      "OWNER",
      "PASSWORD",
      "KEY_FILE",
      "TYPE",
      "__PROTO__",
      "CONSTRUCTOR",
      "",
    );
    const variable = fc
      .array(segment, { minLength: 1, maxLength: 5 })
      .map((parts) => `HOURGATE_${parts.join("__")}`);
    fc.assert(
      fc.property(
        fc.dictionary(variable, fc.oneof(fc.string(), fc.constantFrom("{}", "[1]", "null", "&a [*a]"))),
        (environment) => {
          attempt("plants: [{ id: a }]", environment);
          expect(Object.hasOwn(Object.prototype, "port")).toBe(false);
        },
      ),
      { seed: 1, numRuns: runs(400) },
    );
  });
});

describe("a loaded configuration", () => {
  it("loads again with the same result", () => {
    const once = defaultSettings();
    expect(attempt(stringify(once))).toEqual(once);
  });
});

describe("the check of a schema", () => {
  /** A library's check of the schema, which finds the same faults at the same places. */
  const ajv = new Ajv2020({
    allErrors: true,
    useDefaults: true,
    discriminator: true,
    allowUnionTypes: true,
    formats: Object.fromEntries(Object.entries(FORMATS).map(([name, { valid }]) => [name, valid])),
  });
  ajv.addVocabulary(["unit"]);

  it.each([
    ["configuration", configurationSchema],
    ["template", templateSchema],
    ["state", STATE_SCHEMA],
  ])("finds in any %s the faults that a library finds, and fills in the same defaults", (_, schema) => {
    const check = new SchemaCheck<unknown>(schema, { all: true, defaults: true });
    const standard = ajv.compile(schema);
    fc.assert(
      fc.property(misfit(schema), (value) => {
        const [one, other] = [structuredClone(value), structuredClone(value)];
        const faults = check.faults(one).map(({ path }) => path.join("/"));
        const isRight = standard(other);
        const expected = new Set(standard.errors?.map(placeOf));
        // The search ends after 200.
        if (expected.size > 200) expect(expected).toEqual(new Set([...expected, ...faults]));
        else {
          expect(new Set(faults)).toEqual(expected);
          expect(one).toEqual(other);
        }
        expect(check.fits(structuredClone(value))).toBe(isRight);
      }),
      { seed: 1, numRuns: runs(300), endOnFailure: true },
    );
    expect(check.fits(defaultSettings())).toBe(schema === configurationSchema);
  });
});

/** The keys from the root to what is wrong. */
function placeOf({ instancePath, params }: ErrorObject): string {
  const { additionalProperty, missingProperty, discriminator, tag } = params;
  const key =
    additionalProperty ?? missingProperty ?? (tag !== undefined || discriminator ? "type" : undefined);
  return [...instancePath.split("/").slice(1), ...(key === undefined ? [] : [key])].join("/");
}
