import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { type BuildOptions, build, type Plugin } from "esbuild";
import { checkModule } from "../src/config/kit/prepare-check.js";
import { CHECKS_FOLDER, preparedFile } from "../src/config/kit/prepared-check.js";
import { configurationCheck } from "../src/config/validate.js";
import { PROGRAMS } from "../src/core/installation.js";
import { templateCheck } from "../src/equipment/template.js";
import { preparedTemplates, TEMPLATES_FOLDER } from "../src/equipment/template-library.js";
import { stateCheck } from "../src/store/state.js";

const ROOT = resolve(import.meta.dirname, "..");
const DIST = join(ROOT, "dist");

/** Packages that the program finds when it runs: machine code, WebAssembly, large data, and what is optional. */
const EXTERNAL = [
  "@zxcvbn-ts/language-common",
  "classic-level",
  "highs",
  "node-red",
  "pino-pretty",
  "serialport",
];

/** Tables of packages, which stay files of their own: most are never asked for, and JSON is read faster than code. */
const tables: Plugin = {
  name: "tables",
  setup: ({ onLoad }) =>
    onLoad({ filter: /node_modules\/(iconv-lite|mime-db)\/.*\.json$/ }, ({ path }) => ({
      contents: readFileSync(path),
      loader: "copy",
    })),
};

const options = {
  absWorkingDir: ROOT,
  bundle: true,
  format: "esm",
  platform: "node",
  target: `node${/\d+\.\d+/.exec(manifestOf(".").engines.node)![0]}`,
  external: EXTERNAL,
  outbase: "src",
  outdir: "dist",
  // The names stay, for stack traces; less text to read and to keep in memory.
  minifyWhitespace: true,
  minifySyntax: true,
  lineLimit: 200,
  sourcemap: "linked",
  sourcesContent: false,
  metafile: true,
  plugins: [tables],
  assetNames: "code/[hash]",
  // Packages in CommonJS load the modules of Node.js with it.
  banner: {
    js: 'import { createRequire as requireOf } from "node:module"; const require = requireOf(import.meta.url);',
  },
} as const satisfies BuildOptions;

/** Writes the code of dist; the compiler writes the declarations and the portal's files for browsers. */
export async function bundle(): Promise<void> {
  const built = await Promise.all([
    // What a start does not need is in files of its own, which are loaded when they are needed.
    build({
      ...options,
      entryPoints: ["src/cli.ts", "src/index.ts"],
      splitting: true,
      chunkNames: "code/[hash]",
    }),
    build({ ...options, entryPoints: PROGRAMS.map((program) => `src/${program}.ts`) }),
  ]);
  const inputs = built.flatMap(({ metafile }) => Object.keys(metafile.inputs));
  const outputs = built.flatMap(({ metafile }) => Object.keys(metafile.outputs));
  chmodSync(join(DIST, "cli.js"), 0o755);
  const checks = [configurationCheck, stateCheck, templateCheck].map(writeCheck);
  writeTemplates();
  writeFileSync(join(DIST, "LICENSES.txt"), licensesOf(inputs));
  removeOthers(new Set([...outputs.map((path) => join(ROOT, path)), ...checks]));
}

/** Writes a check of a start compiled; gives its path. */
function writeCheck(check: Parameters<typeof checkModule>[0]): string {
  const path = join(DIST, CHECKS_FOLDER, preparedFile(check));
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, checkModule(check));
  return path;
}

/** Writes the shipped templates as they are once they are read. */
function writeTemplates(): void {
  const to = join(DIST, TEMPLATES_FOLDER);
  rmSync(to, { recursive: true, force: true });
  mkdirSync(to, { recursive: true });
  for (const { name, text } of preparedTemplates()) writeFileSync(join(to, name), text);
}

/** Code of builds before this one. */
function removeOthers(outputs: ReadonlySet<string>): void {
  for (const name of readdirSync(DIST, { recursive: true, encoding: "utf8" })) {
    const path = join(DIST, name);
    const isCode =
      (/\.c?js(\.map)?$/.test(name) || /^code\//.test(name)) &&
      !path.startsWith(join(DIST, "portal/client/"));
    if (isCode && !outputs.has(path)) rmSync(path);
  }
}

/** The licences of the packages that the code contains. */
function licensesOf(inputs: readonly string[]): string {
  const folders = inputs.flatMap((path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? []);
  return [...new Set(folders)]
    .toSorted()
    .map((folder) => {
      const { name, version, license } = manifestOf(folder);
      const files = readdirSync(join(ROOT, folder)).filter((file) => /^(licen[cs]e|notice)/i.test(file));
      return [
        `${name} ${version} (${license})`,
        ...files.map((file) => readFileSync(join(ROOT, folder, file), "utf8").trim()),
      ].join("\n\n");
    })
    .join(`\n\n${"=".repeat(80)}\n\n`);
}

function manifestOf(folder: string) {
  return JSON.parse(readFileSync(join(ROOT, folder, "package.json"), "utf8")) as {
    name: string;
    version: string;
    license: string;
    engines: { node: string };
  };
}
