import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { describe, expect, it } from "vitest";
import { hoursDemandRequest, hoursDemandResponse } from "../../../src/api/hours-demand-schema.js";
import { pvForecastRequest, pvForecastResponse } from "../../../src/api/plant-schema.js";
import { forecastResponse } from "../../../src/api/schemas.js";
import { deviceSchedulesResponse, windowsBody, windowsResponse } from "../../../src/api/windows-schema.js";
import { SITE_READING_NAMES } from "../../../src/core/domain/sample.js";
import { OVERRIDE_ACTIONS } from "../../../src/plan/windows/override.js";
import { recorded } from "./doubles.js";
import { definitionsIn, examples, type FlowNode, germanExamples, manifest, PALETTE } from "./palette.js";

const nodes = Object.entries(manifest["node-red"].nodes);
const definitions = Object.assign({}, ...nodes.map(([, path]) => definitionsIn(path))) as ReturnType<
  typeof definitionsIn
>;

const json = (path: string) => JSON.parse(readFileSync(join(PALETTE, path), "utf8")) as object;

/** The paths of all texts in a catalogue. */
function keysOf(value: object, prefix = ""): string[] {
  return Object.entries(value).flatMap(([key, inner]) =>
    typeof inner === "object" ? keysOf(inner as object, `${prefix}${key}.`) : [`${prefix}${key}`],
  );
}

// The rules of the flow library's scorecard (node-red-dev validate), without the network.
describe("scorecard", () => {
  it("P01 to P07: licence, repository, name, keyword, Node-RED and Node versions", () => {
    expect(manifest.license).toBe("Apache-2.0");
    expect(manifest.repository ?? manifest.bugs).toBeDefined();
    expect(manifest.name).toMatch(/^(@[a-z\d][\w-.]+\/|node-red-contrib-)[a-z\d][\w-.]*$/);
    expect(manifest.keywords).toContain("node-red");
    expect(manifest["node-red"].version).toBe(">=4.0.0");
    expect(manifest.engines.node).toBe(">=20.19");
    for (const file of ["README.md", "LICENSE"]) expect(existsSync(join(PALETTE, file)), file).toBe(true);
  });

  it("D01, D02: at most six dependencies with version ranges, none bundled, no postinstall script", () => {
    const entries = Object.entries(manifest.dependencies);
    expect(entries.length).toBeLessThanOrEqual(6);
    for (const [, range] of entries) expect(range).toMatch(/^[\^~]/);
    expect(manifest).not.toHaveProperty("bundledDependencies");
    expect(Object.keys((manifest.scripts as object | undefined) ?? {})).not.toContain("postinstall");
  });

  it("N01: every node except the config node has an example; examples have consistent wires and no secrets", () => {
    const used = new Set(examples.flatMap(({ flow }) => flow.map(({ type }) => type)));
    for (const [type, { category }] of Object.entries(definitions))
      if (category !== "config") expect(used, type).toContain(type);
    for (const { name, flow } of examples) {
      const ids = flow.map(({ id }) => id);
      expect(new Set(ids).size, name).toBe(ids.length);
      for (const { wires = [] } of flow) for (const id of wires.flat()) expect(ids, name).toContain(id);
      expect(JSON.stringify(flow), name).not.toMatch(/credentials|hg_live_|secret"/);
    }
  });

  it("examples share one gateway, so that its key is entered once, and none sends made-up readings", () => {
    const gateways = examples.flatMap(({ flow }) => flow.filter(({ type }) => type === "hourgate-config"));
    expect(gateways.length).toBeGreaterThan(10);
    for (const gateway of gateways) expect(gateway).toEqual(gateways[0]);
    for (const { name, flow } of examples) {
      const senders = new Set(flow.filter(({ type }) => type === "hourgate-telemetry").map(({ id }) => id));
      const feeds = ({ wires = [] }: FlowNode) => wires.flat().some((id) => senders.has(id));
      // Once for each node between an inject node and the telemetry node, at most.
      for (const _ of flow) for (const node of flow) if (feeds(node)) senders.add(node.id);
      const triggers = flow.filter(({ id, type }) => type === "inject" && senders.has(id));
      expect(triggers, name).toEqual([]);
    }
  });

  it("German examples are those in English, with other texts and ids", () => {
    const shape = (flow: FlowNode[]) => {
      const index = new Map(flow.map(({ id }, at) => [id, at]));
      return flow.map((node) => ({
        ...node,
        id: index.get(node.id),
        z: node.z && index.get(node.z),
        gateway: undefined,
        wires: node.wires?.map((ids) => ids.map((id) => index.get(id))),
        ...{ name: "", label: "", info: "", func: "" },
      }));
    };
    const ids = new Set(examples.flatMap(({ flow }) => flow.map(({ id }) => id)));
    expect(germanExamples).toHaveLength(examples.length);
    for (const { name, flow } of germanExamples) {
      expect(
        examples.map((one) => shape(one.flow)),
        name,
      ).toContainEqual(shape(flow));
      expect(`${String(flow[0]!.label).replaceAll(" ", "-")}.json`).toBe(name);
      // Only the gateway is the same.
      const own = flow.filter(({ type }) => type !== "hourgate-config");
      expect(own.filter(({ id }) => ids.has(id))).toEqual([]);
    }
  });

  it("N02: type names have the palette's prefix, one per file, and match the file name", () => {
    expect(Object.keys(definitions).sort()).toEqual(nodes.map(([name]) => name).sort());
    for (const [name, path] of nodes) {
      expect(name).toMatch(/^hourgate-/);
      expect(path).toBe(`nodes/${name.slice("hourgate-".length)}/${name}.js`);
    }
  });

  it("publishes every folder of the package", () => {
    const published = manifest.files as string[];
    for (const folder of readdirSync(PALETTE, { withFileTypes: true }))
      if (folder.isDirectory() && folder.name !== "node_modules") expect(published).toContain(folder.name);
  });
});

describe("both languages", () => {
  it.each(nodes)(
    "%s has an icon, help and the same keys in both, and all keys that its HTML file uses",
    (name, path) => {
      const folder = dirname(path);
      expect(existsSync(join(PALETTE, folder, "icons", `${name}.svg`))).toBe(true);
      const english = keysOf(json(`${folder}/locales/en-US/${name}.json`));
      expect(keysOf(json(`${folder}/locales/de/${name}.json`))).toEqual(english);
      for (const language of ["en-US", "de"]) {
        const help = readFileSync(join(PALETTE, folder, "locales", language, `${name}.html`), "utf8");
        expect(help).toContain(`data-help-name="${name}"`);
      }
      const page = readFileSync(join(PALETTE, path.replace(/\.js$/, ".html")), "utf8");
      for (const [, key] of page.matchAll(/data-i18n="(?:\[\w+\])?([^":]+)"/g))
        expect(english).toContain(key);
      // Properties and input fields correspond one to one.
      const fields = [...page.matchAll(/id="node-(?:config-)?input-(\w+)"/g)].map(([, field]) => field!);
      const { defaults, credentials = {} } = definitions[name]!;
      expect(fields.sort()).toEqual(
        [...Object.keys(defaults), ...Object.keys(credentials)]
          .filter((key) => key !== "configVersion")
          .sort(),
      );
    },
  );
});

describe("the same schemas as /v1", () => {
  const own = (type: string) =>
    Object.keys(definitions[type]!.defaults).filter(
      (key) => !["configVersion", "name", "gateway", "live"].includes(key),
    );
  const options = (type: string, field: string) => {
    const page = readFileSync(
      join(PALETTE, manifest["node-red"].nodes[type]!.replace(/js$/, "html")),
      "utf8",
    );
    const select = new RegExp(`<select id="node-input-${field}">([\\s\\S]*?)</select>`).exec(page)![1]!;
    return [...select.matchAll(/value="([^"]*)"/g)]
      .map(([, value]) => value!)
      .filter((value) => value !== "");
  };

  it("dialogs contain exactly the fields of the requests", () => {
    expect(own("hourgate-windows").sort()).toEqual(Object.keys(windowsBody.properties).sort());
    const { battery, meter, load: loads, pv } = hoursDemandRequest.properties;
    const grouped = Object.entries({ battery, meter, load: loads, pv }).flatMap(([group, { properties }]) =>
      Object.keys(properties).map((name) => `${group}_${name}`),
    );
    expect(own("hourgate-hours-demand").sort()).toEqual([...grouped, "timezone", "locale"].sort());
    expect(own("hourgate-pv-forecast").sort()).toEqual(Object.keys(pvForecastRequest.properties).sort());
    expect(options("hourgate-telemetry", "reading")).toEqual(SITE_READING_NAMES);
    expect(options("hourgate-override", "override")).toEqual([...OVERRIDE_ACTIONS]);
  });

  it.each(["mode", "role", "segment_consecutive", "allocation"] as const)(
    "%s has the options of the schema",
    (field) => {
      expect(options("hourgate-windows", field)).toEqual([...windowsBody.properties[field].enum]);
    },
  );

  it("recorded responses conform to the schemas", () => {
    const ajv = addFormats.default(new Ajv2020({ strict: false, code: { optimize: false } }));
    const schemas = {
      windows: windowsResponse,
      "hours-demand": hoursDemandResponse,
      forecast: forecastResponse,
      "pv-forecast": pvForecastResponse,
      "device-schedules": deviceSchedulesResponse,
      "device-overrides": deviceSchedulesResponse,
    };
    for (const [name, schema] of Object.entries(schemas)) {
      const check = ajv.compile(schema);
      expect(check(recorded(name)), `${name}: ${ajv.errorsText(check.errors)}`).toBe(true);
    }
  });
});
