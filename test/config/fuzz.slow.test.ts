import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { stringify } from "yaml";
import { ConfigError } from "../../src/config/error.js";
import { SchemaCheck } from "../../src/config/kit/check.js";
import { keysOf, nodesAt, type SchemaNode } from "../../src/config/kit/node.js";
import { checkModule } from "../../src/config/kit/prepare-check.js";
import { preparedCheck, preparedFile } from "../../src/config/kit/prepared-check.js";
import { defaultSettings, parse } from "../../src/config/load.js";
import { configurationSchema } from "../../src/config/schema/index.js";
import { configurationCheck } from "../../src/config/validate.js";
import { temporaryFolder } from "../store/support/folder.js";
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

describe("the check that the build compiles", () => {
  it("finds in any configuration the same faults and defaults as one compiled at the first use", async () => {
    const folder = await temporaryFolder();
    await writeFile(join(folder, preparedFile(configurationCheck)), checkModule(configurationCheck));
    const check = preparedCheck(configurationCheck, folder);
    expect(check).toBeDefined();
    const prepared = new SchemaCheck(root, configurationCheck.options, () => check);
    const compiled = new SchemaCheck(root, configurationCheck.options);
    fc.assert(
      fc.property(misfit(root), (value) => {
        const [one, other] = [structuredClone(value), structuredClone(value)];
        expect(prepared.faults(one)).toEqual(compiled.faults(other));
        expect(one).toEqual(other);
      }),
      { seed: 1, numRuns: runs(100) },
    );
    const example = defaultSettings();
    expect(prepared.fits(example)).toBe(true);
  });

  it("is not used for another schema, nor where there is none", async () => {
    const folder = await temporaryFolder();
    expect(preparedCheck(configurationCheck, folder)).toBeUndefined();
    await writeFile(join(folder, preparedFile(configurationCheck)), checkModule(configurationCheck));
    expect(preparedCheck({ schema: root, options: { all: true } }, folder)).toBeUndefined();
  });
});
