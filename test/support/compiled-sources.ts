import { existsSync } from "node:fs";
import { readdir, rm, stat, utimes } from "node:fs/promises";
import { dirname, join, relative, resolve } from "node:path";
import { build } from "esbuild";
import type { Plugin } from "vitest/config";
import { PROGRAMS } from "../../src/core/installation.js";
import { buildProgram, SOURCE_OPTIONS, withBuiltPrograms, writeWhole } from "./built-programs.js";

const ROOT = resolve(import.meta.dirname, "../..");
const SOURCES = join(ROOT, "src");
const COMPILED = join(ROOT, ".cache/sources");
/** Vitest loads this module for each project, and one compiles for all. */
const COMPILING = Symbol.for("hourgate.compiling");

/**
 * Gives tests the sources compiled to one file each, which Node.js loads itself: vitest would compile, send and evaluate each of
 * a thousand modules for each of its processes.
 *
 * Not where vitest has to follow the imports, to find the tests that a changed file concerns.
 */
export function compiledSources(): Plugin {
  let compiled: Promise<void> | undefined;
  const shared = globalThis as { [COMPILING]?: Promise<void> };
  return {
    name: "compiled-sources",
    enforce: "pre",
    config: () => ({ test: { server: { deps: { external: [/\/\.cache\/sources\//] } } } }),
    async configureVitest({ vitest: { config }, experimental_defineCacheKeyGenerator }) {
      const followsImports = config.watch || config.related !== undefined || Boolean(config.changed);
      experimental_defineCacheKeyGenerator(() => `compiled ${!followsImports}`);
      if (followsImports) return;
      compiled = shared[COMPILING] ??= compile();
      await compiled;
    },
    resolveId(name, importer) {
      if (compiled === undefined || importer === undefined || !name.startsWith(".")) return undefined;
      const path = relative(SOURCES, resolve(dirname(importer), name));
      return path.startsWith("..") ? undefined : compiledFile(path);
    },
  };
}

const compiledFile = (source: string) => join(COMPILED, source.replace(/\.tsx?$/, ".js"));

/** Compiles what has changed and removes what is gone. A compiled file has the time of its source. */
async function compile(): Promise<void> {
  const names = await readdir(SOURCES, { recursive: true });
  const sources = names.filter((name) => /(?<!\.d)\.tsx?$|\.js$/.test(name));
  const times = new Map<string, Date>();
  for (const source of sources) {
    const { mtime } = await stat(join(SOURCES, source));
    const before = await stat(compiledFile(source)).catch(() => undefined);
    // Whole milliseconds: a time that is set is a little off below them.
    if (before?.mtime.getTime() !== mtime.getTime()) times.set(source, mtime);
  }
  if (times.size > 0) {
    const { outputFiles } = await build({
      ...SOURCE_OPTIONS,
      entryPoints: [...times.keys()].map((source) => join(SOURCES, source)),
      outbase: SOURCES,
      outdir: COMPILED,
      sourcemap: "linked",
      sourcesContent: false,
    });
    await Promise.all(outputFiles.map(({ path, text }) => writeWhole(path, withBuiltPrograms(text))));
    await Promise.all(PROGRAMS.map((program) => buildProgram(join(SOURCES, `${program}.ts`))));
    await prepareChecks(times);
    // Last: what ends before this is compiled again.
    await Promise.all([...times].map(([source, time]) => utimes(compiledFile(source), time, time)));
  }
  await removeOthers(new Set(sources.map(compiledFile)));
}

const COMPILER = ["config/kit/check.ts", "config/kit/prepare-check.ts"];

/** Compiles the checks of a start and reads the templates, which each process would do for itself, where they have changed. */
async function prepareChecks(changed: ReadonlyMap<string, unknown>): Promise<void> {
  const { file, inputs } = await buildProgram(join(ROOT, "test/support/prepared-checks.ts"));
  if (!inputs.some((input) => changed.has(relative(SOURCES, input)))) return;
  const { preparedChecks, templates } = (await import(file)) as typeof import("./prepared-checks.js");
  const isSameCompiler = !COMPILER.some((source) => changed.has(source));
  for (const { path, text } of preparedChecks())
    if (!isSameCompiler || !existsSync(path)) await writeWhole(path, text());
  for (const { path, text } of templates()) await writeWhole(path, text);
}

async function removeOthers(files: ReadonlySet<string>): Promise<void> {
  for (const name of await readdir(COMPILED, { recursive: true })) {
    const path = join(COMPILED, name);
    if (name.endsWith(".js") && !files.has(path)) await rm(path, { force: true });
  }
}
