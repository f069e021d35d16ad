import { readFileSync } from "node:fs";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, it } from "vitest";
import { parse as parseYaml } from "yaml";
import { configurationReference, editorSchema, jsonText } from "../../docs/derive/configuration-reference.js";
import { AUSTRIAN_VAT_PCT } from "../../src/config/austria.js";
import { FORMATS } from "../../src/config/kit/formats.js";
import { childNodes, type SchemaNode, typesOf } from "../../src/config/kit/node.js";
import { load } from "../../src/config/load.js";
import { configurationSchema } from "../../src/config/schema/index.js";
import { SITE_READING_NAMES, SLOT_READING_NAMES } from "../../src/core/domain/sample.js";

const root: SchemaNode = configurationSchema;

function everyNode(node: SchemaNode, path: string): { path: string; node: SchemaNode }[] {
  return [
    { path, node },
    ...Object.entries(node.properties ?? {}).flatMap(([key, child]) => everyNode(child, `${path}.${key}`)),
    ...(node.items === undefined ? [] : everyNode(node.items, `${path}[]`)),
    ...(node.oneOf ?? []).flatMap((kind) => everyNode(kind, `${path}(${kind.properties?.type?.const})`)),
  ];
}

describe("the schema", () => {
  const nodes = everyNode(root, "");

  it("describes every key", () => {
    const silent = nodes
      .filter(({ node }) => !/^[A-Za-z].*[.]$/s.test(node.description ?? ""))
      .map(({ path }) => path);
    expect(silent).toEqual([]);
  });

  it("gives every number limits and a unit", () => {
    const loose = nodes
      .filter(({ node }) => typesOf(node).some((type) => type === "number" || type === "integer"))
      .filter(
        ({ node }) =>
          (node.minimum ?? node.exclusiveMinimum) === undefined || node.maximum === undefined || !node.unit,
      )
      .map(({ path }) => path);
    expect(loose).toEqual([]);
  });

  it("closes every section, fills every key that is not required, and knows every format", () => {
    for (const { path, node } of nodes) {
      if (node.properties !== undefined)
        expect((node as { additionalProperties?: boolean }).additionalProperties, path).toBe(false);
      for (const [key, child] of Object.entries(node.properties ?? {}))
        expect(
          // A part of a tariff that is left out is not on the bill.
          child.default !== undefined ||
            node.required?.includes(key) ||
            key === "type" ||
            path.startsWith(".plants[].tariff[]"),
          `${path}.${key}`,
        ).toBe(true);
      if (node.format !== undefined) expect(Object.keys(FORMATS)).toContain(node.format);
    }
  });

  it("lists the readings of telemetry", () => {
    const field = ["mqtt", "telemetry", "0", "field"].reduce((node, key) => childNodes(node, key)[0]!, root);
    expect(field.enum).toEqual([
      ...SITE_READING_NAMES,
      ...SLOT_READING_NAMES.filter((name) => name !== "soc_pct"),
    ]);
  });
});

describe("the files generated from the schema", () => {
  const path = (name: string) => new URL(`../../${name}`, import.meta.url).pathname;

  it("config/hourgate.schema.json equals it (update with vitest -u)", async () => {
    await expect(`${jsonText(editorSchema())}\n`).toMatchFileSnapshot(path("config/hourgate.schema.json"));
  });

  it("docs/configuration.md equals it (update with vitest -u)", async () => {
    await expect(configurationReference()).toMatchFileSnapshot(path("docs/configuration.md"));
  });

  it("the editor schema is plain JSON Schema 2020-12 and accepts the example", () => {
    const check = new Ajv2020({ strict: true, allowUnionTypes: true, code: { optimize: false } }).compile(
      editorSchema(),
    );
    for (const file of ["config/hourgate.yaml", "config/example-home.yaml"]) {
      const example: unknown = parseYaml(readFileSync(path(file), "utf8"));
      expect(check(example), JSON.stringify(check.errors)).toBe(true);
    }
    expect(check({ http: { prot: 1 } })).toBe(false);
  });
});

describe("the example", () => {
  it("is valid and refers editors to the schema", () => {
    const file = new URL("../../config/example-home.yaml", import.meta.url).pathname;
    expect(readFileSync(file, "utf8").split("\n")[0]).toBe(
      "# yaml-language-server: $schema=./hourgate.schema.json",
    );
    const { settings } = load(file, {});
    const plant = settings.plants[0]!;
    expect(plant).toMatchObject({
      id: "home",
      pv: [],
      battery: { capacity_kwh: 10 },
      slots: [{ slot: 1, kind: "wallbox" }],
    });
    expect(plant.tariff).toMatchObject({ vat_pct: AUSTRIAN_VAT_PCT });
  });

  it("contains the summer fee: 20 % less than 7 ct", () => {
    const file = new URL("../../config/example-home.yaml", import.meta.url).pathname;
    expect(load(file, {}).settings.plants[0]?.tariff).toMatchObject({
      grid_fee_ct_kwh: [
        { months: "1-12", hours: "0-24", ct_kwh: 7 },
        { months: "4-9", hours: "10-16", ct_kwh: 5.6 },
      ],
    });
  });
});
