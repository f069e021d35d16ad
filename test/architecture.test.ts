import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { describe, expect, it } from "vitest";

const root = resolve(import.meta.dirname, "../src");

const files = readdirSync(root, { recursive: true, encoding: "utf8" })
  .filter((name) => /\.tsx?$/.test(name))
  .map((name) => name.replaceAll("\\", "/"));

/** The text without its comments: an example in a comment is not an import. */
const source = (file: string) =>
  readFileSync(join(root, file), "utf8").replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, "");

/** What a file imports at run time or as a type: files of the project by path, packages by name. */
function importsOf(file: string): string[] {
  const specifiers = [...source(file).matchAll(/(?:\bfrom\s+|\bimport\s+|\bimport\(\s*)"([^"]+)"/g)].map(
    (match) => match[1]!,
  );
  return specifiers.map((specifier) => {
    if (!specifier.startsWith(".")) return specifier;
    const path = relative(root, resolve(root, dirname(file), specifier)).replaceAll("\\", "/");
    const source = path.replace(/\.js$/, ".ts");
    return files.includes(source) ? source : path.replace(/\.js$/, ".tsx");
  });
}

const imports = new Map(files.map((file) => [file, importsOf(file)]));

/** The modules from the ground up: a module imports only itself and modules before it. docs/architecture.md shows this list. */
const MODULES = [
  "core",
  "texts",
  "tariff",
  "config",
  "store",
  "forecast",
  "accounts",
  "telemetry",
  "plan",
  "money",
  "equipment",
  "messages",
  "api",
  "edges",
  "portal",
  "ops",
  "app",
];

/** Files that must be pure: no I/O, no clock of their own, no timers, no randomness. */
const PURE = [
  /^core\/domain\//,
  /^core\/time\/(zone|holidays)\.ts$/,
  /^texts\//,
  /^tariff\/(?!presets\.ts)/,
  /^forecast\/load\//,
  /^forecast\/market\/(price-series|publication)\.ts$/,
  /^forecast\/solar\//,
  /^forecast\/pv\/(?!service\.ts)/,
  /^forecast\/weather\/(?!weather-service\.ts|sources\/)/,
  /^forecast\/price\/(?!service\.ts|training(-worker)?\.ts)/,
  /^telemetry\/(parse|agreeing-readings|measured-load|power-meanings|reading-energies|learned-load|load-file|topic-map)\.ts$/,
  /^plan\/[^/]*$(?<!\/(service|plan-threads|plan-worker)\.ts)/,
  /^plan\/(policy|physics)\//,
  /^plan\/windows\/(?!(service|site-slots|slot-store)\.ts)/,
  /^plan\/solver\/(?!(service|solver-worker|highs)\.ts)/,
  /^plan\/devices\/(?!(service|estimator|surplus-follower)\.ts)/,
  /^money\/compare\/(?!(service|parallel|comparison-worker|past-energies)\.ts)/,
  /^money\/ledger\/(?!(service|ledger|ledger-store|measure-day)\.ts)/,
  /^money\/meter\/(?!(zip|drafts|file-reader|read-uploaded|reader-worker)\.ts)/,
  /^equipment\/(?!(service|template-library|actuator|configured-device|create-actuator)\.ts|transport\/|finding\/network\/)/,
  /^messages\/notifications\/(rules|quiet-hours|conditions|message)\.ts$/,
  /^api\/documents\//,
  /^edges\/controllers\/(values|prices|safe-plan|loxone.*)\.ts$/,
];

/** All files that are part of a circle of imports, by Tarjan's algorithm: each group of files that reach one another. */
function circlesIn(dependencies: ReadonlyMap<string, readonly string[]>): string[][] {
  const index = new Map<string, number>();
  const low = new Map<string, number>();
  const stack: string[] = [];
  const circles: string[][] = [];
  const visit = (file: string): void => {
    index.set(file, index.size);
    low.set(file, index.get(file)!);
    stack.push(file);
    for (const next of dependencies.get(file) ?? []) {
      if (!dependencies.has(next)) continue;
      if (!index.has(next)) {
        visit(next);
        low.set(file, Math.min(low.get(file)!, low.get(next)!));
      } else if (stack.includes(next)) low.set(file, Math.min(low.get(file)!, index.get(next)!));
    }
    if (low.get(file) !== index.get(file)) return;
    const group = stack.splice(stack.indexOf(file));
    if (group.length > 1 || dependencies.get(file)!.includes(file)) circles.push(group.sort());
  };
  for (const file of dependencies.keys()) if (!index.has(file)) visit(file);
  return circles;
}

/** The modules in the order of the list in docs/architecture.md. */
const tableOfModules = [
  ...readFileSync(resolve(root, "../docs/architecture.md"), "utf8").matchAll(/^1\. \[(\w+)\]\(\.\.\/src\//gm),
].map((match) => match[1]!);

const moduleOf = (file: string) => (file.includes("/") ? file.slice(0, file.indexOf("/")) : undefined);

/** Imports between modules that `isAllowed` does not allow. */
function breachesOf(isAllowed: (from: string, to: string) => boolean): string[] {
  return files.flatMap((file) => {
    const from = moduleOf(file);
    if (from === undefined || !MODULES.includes(from)) return [];
    return imports
      .get(file)!
      .filter((target) => imports.has(target))
      .filter((target) => {
        const to = moduleOf(target);
        return to === undefined || !isAllowed(from, to);
      })
      .map((target) => `${file} imports ${target}`);
  });
}

describe("architecture", () => {
  it("finds the imports that the rules below check", () => {
    expect(files.length).toBeGreaterThan(50);
    expect(imports.get("cli.ts")!.length).toBeGreaterThan(0);
  });

  it("keeps the core free of I/O, clocks, timers and randomness", () => {
    const breaches = files
      .filter((file) => PURE.some((pattern) => pattern.test(file)))
      .flatMap((file) => [
        ...imports
          .get(file)!
          .filter((target) => target.startsWith("node:") && target !== "node:crypto")
          .map((target) => `${file} imports ${target}`),
        ...[
          ...source(file).matchAll(
            /Date\.now\(|new Date\(\)|Math\.random\(|setTimeout\(|setInterval\(|fetch\(/g,
          ),
        ].map((match) => `${file} uses ${match[0]}`),
      ]);
    expect(breaches).toEqual([]);
  });

  it("imports only from the same module and those below it", () => {
    const level = (module: string) => MODULES.indexOf(module);
    expect(breachesOf((from, to) => level(to) <= level(from)).sort()).toEqual([]);
  });

  it("has only modules, and no files beside them but the command line and the library", () => {
    const entries = readdirSync(root, { withFileTypes: true });
    const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
    const loose = entries.filter((entry) => !entry.isDirectory()).map(({ name }) => name);
    expect(folders.sort()).toEqual([...MODULES].sort());
    expect(loose.sort()).toEqual(["cli.ts", "index.ts"]);
  });

  it.each(MODULES)(
    "describes %s in a README of at most 25 lines, and lists it in docs/architecture.md",
    (module) => {
      const readme = readFileSync(join(root, module, "README.md"), "utf8");
      expect(readme.trimEnd().split("\n").length).toBeLessThanOrEqual(25);
      expect(tableOfModules.indexOf(module)).toBe(MODULES.indexOf(module));
    },
  );

  it("forbids imports between edges", () => {
    const edgeOf = (file: string) => file.split("/")[1];
    const breaches = files
      .filter((file) => file.startsWith("edges/"))
      .flatMap((file) =>
        imports
          .get(file)!
          .filter((target) => target.startsWith("edges/") && edgeOf(target) !== edgeOf(file))
          .map((target) => `${file} imports ${target}`),
      );
    expect(breaches).toEqual([]);
  });

  it("imports nothing into the shared lists and types", () => {
    const outside = files
      .filter((file) => file.startsWith("core/domain/"))
      .flatMap((file) => imports.get(file)!.filter((target) => !target.startsWith("core/domain/")));
    expect(outside).toEqual([]);
  });

  it("has no circle of imports between files", () => {
    expect(circlesIn(imports)).toEqual([]);
  });

  it.each([
    ["aedes", ["edges/mqtt/broker/protocol-engine.ts"]],
    ["@msgpack/msgpack", ["edges/mqtt/broker/records.ts"]],
    [
      "mqtt",
      [
        "ops/demo/devices.ts",
        "ops/demo/mqtt-home.ts",
        "edges/mqtt/client/acknowledgements.ts",
        "edges/mqtt/client/client.ts",
      ],
    ],
    ["liquidjs", ["equipment/expression.ts"]],
    ["ws", ["edges/mqtt/broker/websocket.ts"]],
    [
      "highs",
      [
        "plan/devices/relaxation.ts",
        "plan/solver/highs.ts",
        "plan/solver/optimise.ts",
        "plan/solver/relaxation.ts",
        "plan/solver/solve.ts",
      ],
    ],
    ["@e965/xlsx", ["money/meter/spreadsheet.ts"]],
    ["@fastify/busboy", ["portal/upload.ts"]],
    ["@modelcontextprotocol/sdk/server/index.js", ["edges/mcp/protocol.ts"]],
    ["@modelcontextprotocol/sdk/types.js", ["edges/mcp/protocol.ts"]],
    ["luxon", ["core/time/zone.ts"]],
    ["suncalc", ["forecast/solar/sun.ts"]],
    [
      "pg",
      [
        "store/postgres/moves.ts",
        "store/postgres/open.ts",
        "store/postgres/server.ts",
        "store/postgres/shard-session.ts",
      ],
    ],
  ])("keeps %s behind its own files", (name, owners) => {
    const users = files.filter((file) => imports.get(file)!.includes(name));
    expect(users.sort()).toEqual(owners.toSorted());
  });

  it("asks in one file where it is: the build puts modules into other files", () => {
    const asking = files.filter((file) => /\bimport\.meta\b|__dirname/.test(source(file)));
    // The second one is code for browsers.
    expect(asking).toEqual(["core/installation.ts", "portal/assets/service-worker.ts"]);
  });

  it("exports no name from two files", () => {
    const filesByName = new Map<string, string[]>();
    for (const file of files) {
      const names = source(file).matchAll(
        /^export (?:async )?(?:const|function|class|interface|type|enum) (\w+)/gm,
      );
      for (const [, name] of names) filesByName.set(name!, [...(filesByName.get(name!) ?? []), file]);
    }
    const duplicates = [...filesByName].filter(([, exporters]) => exporters.length > 1);
    expect(duplicates).toEqual([]);
  });

  it("lets the text catalogues import nothing but shared types and time zones", () => {
    const breaches = files
      .filter((file) => file.startsWith("texts/"))
      .flatMap((file) =>
        imports
          .get(file)!
          .filter((target) => !/^(texts|core\/domain)\/|^core\/(time\/zone|language)\.ts$/.test(target))
          .map((target) => `${file} imports ${target}`),
      );
    expect(breaches).toEqual([]);
  });
});
