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
  return specifiers.map((specifier) =>
    specifier.startsWith(".")
      ? relative(root, resolve(root, dirname(file), specifier))
          .replaceAll("\\", "/")
          .replace(/\.js$/, ".ts")
      : specifier,
  );
}

const imports = new Map(files.map((file) => [file, importsOf(file)]));

/** Files that must be pure: no I/O, no clock of their own, no timers, no randomness. */
const PURE = [
  /^domain\//,
  /^texts\//,
  /^simulation\//,
  /^load\//,
  /^time\/(zone|holidays)\.ts$/,
  /^market\/(price-series|publication)\.ts$/,
  /^tariff\/(?!presets\.ts)/,
  /^solar\//,
  /^pv\/(?!service\.ts)/,
  /^weather\/(?!weather-service\.ts|sources\/)/,
  /^decision\//,
  /^flex\/(?!(service|site-slots|slot-store)\.ts)/,
  /^documents\//,
  /^plan\/(?!(service|plan-threads?)\.ts)/,
  /^comparison\/(?!(service|parallel|thread|past-energies)\.ts)/,
  /^ledger\/(?!(service|ledger|ledger-store|measure-day)\.ts)/,
  /^forecast\/(?!service\.ts|training(-process)?\.ts)/,
  /^telemetry\/(parse|measured-load|load-profile|load-file|rolling-load|topic-map)\.ts$/,
  /^meter\/(?!zip\.ts)/,
  /^linear\//,
  /^devices\/(?!(service|estimator|surplus-follower)\.ts)/,
  /^optimizer\/(?!(service|solver-process|highs)\.ts)/,
  /^actuators\/(?!(service|template-library|actuator|configured-device|create-actuator)\.ts|transport\/)/,
  /^notifications\/(rules|quiet-hours|conditions|message)\.ts$/,
  /^controllers\/(values|prices|safe-plan|loxone.*)\.ts$/,
];

const EDGES = ["http", "mqtt", "portal", "controllers", "webhooks", "node-red"];
const CORE_FOLDERS = [
  "domain",
  "time",
  "market",
  "tariff",
  "solar",
  "weather",
  "pv",
  "forecast",
  "flex",
  "decision",
  "plan",
  "comparison",
  "ledger",
  "billing",
  "telemetry",
  "documents",
  "store",
  "meter",
  "imports",
  "accounts",
  "mail",
  "optimizer",
  "devices",
  "linear",
  "actuators",
];

/** A path of folders that returns to its start; undefined when there is none. */
function cycleIn(dependencies: ReadonlyMap<string, ReadonlySet<string>>): string[] | undefined {
  const finished = new Set<string>();
  const search = (folder: string, path: readonly string[]): string[] | undefined => {
    if (path.includes(folder)) return [...path.slice(path.indexOf(folder)), folder];
    if (finished.has(folder)) return undefined;
    for (const next of dependencies.get(folder) ?? []) {
      const cycle = search(next, [...path, folder]);
      if (cycle !== undefined) return cycle;
    }
    finished.add(folder);
    return undefined;
  };
  for (const folder of dependencies.keys()) {
    const cycle = search(folder, []);
    if (cycle !== undefined) return cycle;
  }
  return undefined;
}

describe("architecture", () => {
  it("finds the imports that the rules below check", () => {
    expect(files.length).toBeGreaterThan(50);
    expect(imports.get("gateway.ts")).toContain("wiring/planning.ts");
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

  it("forbids imports between edges", () => {
    const breaches = EDGES.flatMap((edge) =>
      files
        .filter((file) => file.startsWith(`${edge}/`))
        .flatMap((file) =>
          imports
            .get(file)!
            .filter((target) => EDGES.some((other) => other !== edge && target.startsWith(`${other}/`)))
            .map((target) => `${file} imports ${target}`),
        ),
    );
    expect(breaches).toEqual([]);
  });

  it("forbids imports of edges and wiring in the core", () => {
    const breaches = files
      .filter((file) => CORE_FOLDERS.some((folder) => file.startsWith(`${folder}/`)))
      .flatMap((file) =>
        imports
          .get(file)!
          .filter((target) =>
            /^(http|mqtt|portal|controllers|webhooks|node-red|admin|api|commands)\/|^(gateway|cli|index)\.ts$/.test(
              target,
            ),
          )
          .map((target) => `${file} imports ${target}`),
      );
    expect(breaches).toEqual([]);
  });

  it("imports nothing into the shared lists and types", () => {
    const outside = files
      .filter((file) => file.startsWith("domain/"))
      .flatMap((file) => imports.get(file)!.filter((target) => !target.startsWith("domain/")));
    expect(outside).toEqual([]);
  });

  it("has no import cycle between folders", () => {
    const dependencies = new Map<string, Set<string>>();
    const folderOf = (file: string) => (file.includes("/") ? file.slice(0, file.indexOf("/")) : undefined);
    for (const [file, targets] of imports) {
      const from = folderOf(file);
      if (from === undefined) continue;
      const known = dependencies.get(from) ?? new Set();
      dependencies.set(from, known);
      for (const target of targets) {
        const isOurs = imports.has(target) || imports.has(target.replace(/ts$/, "tsx"));
        const to: string | undefined = isOurs ? folderOf(target) : undefined;
        if (to !== undefined && to !== from) known.add(to);
      }
    }
    expect(dependencies.size).toBeGreaterThan(20);
    expect(cycleIn(dependencies)).toBeUndefined();
  });

  it.each([
    ["aedes", ["mqtt/authorizer.ts", "mqtt/broker.ts", "mqtt/ordered-aedes.ts"]],
    ["mqtt", ["demo/devices.ts", "demo/mqtt-home.ts", "mqtt/acknowledgements.ts", "mqtt/client.ts"]],
    ["liquidjs", ["actuators/expression.ts"]],
    ["ws", ["mqtt/websocket.ts"]],
    [
      "highs",
      [
        "devices/relaxation.ts",
        "optimizer/highs.ts",
        "optimizer/optimise.ts",
        "optimizer/relaxation.ts",
        "optimizer/solve.ts",
      ],
    ],
    ["@e965/xlsx", ["meter/spreadsheet.ts"]],
    ["luxon", ["time/zone.ts"]],
    ["suncalc", ["solar/sun.ts"]],
    [
      "pg",
      ["store/postgres/postgres-series.ts", "store/postgres/server.ts", "store/postgres/shard-session.ts"],
    ],
  ])("keeps %s behind its own files", (name, owners) => {
    const users = files.filter((file) => imports.get(file)!.includes(name));
    expect(users.sort()).toEqual(owners);
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
          .filter((target) => !/^(texts|domain)\/|^time\/zone\.ts$|^language\.ts$/.test(target))
          .map((target) => `${file} imports ${target}`),
      );
    expect(breaches).toEqual([]);
  });
});
