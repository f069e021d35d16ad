import { randomUUID } from "node:crypto";
import { readdirSync } from "node:fs";
import { mkdir, rename, writeFile } from "node:fs/promises";
import { dirname, join, relative, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { type BuildOptions, build } from "esbuild";
import type { Plugin } from "vitest/config";

const ROOT = resolve(import.meta.dirname, "../..");
const FOLDER = join(ROOT, ".cache/programs");

/** How esbuild treats the sources. */
export const SOURCE_OPTIONS = {
  absWorkingDir: ROOT,
  format: "esm",
  platform: "node",
  target: "node20",
  write: false,
  // What is built finds files of the installation as the sources do.
  define: { "import.meta.url": JSON.stringify(pathToFileURL(join(ROOT, "src/core/installation.ts")).href) },
} as const satisfies BuildOptions;

/** What starts a thread or process names its module like this. */
const PROGRAM = /programModule\("([\w/-]+)"\)/g;

/**
 * Builds the modules that threads and processes are started with: loading them from the sources takes ten times the processor
 * time, at each start.
 */
export function builtPrograms(): Plugin {
  return {
    name: "built-programs",
    enforce: "pre",
    // The cache of modules knows their texts, not those of the programs that they start, nor whether "./page.js" is a .ts or .tsx.
    configureVitest({ experimental_defineCacheKeyGenerator }) {
      const views = filesWithMarkup();
      experimental_defineCacheKeyGenerator(({ sourceCode }) =>
        sourceCode.search(PROGRAM) < 0 ? views : false,
      );
    },
    async transform(code, id) {
      if (!id.startsWith(join(ROOT, "src/"))) return undefined;
      const built = withBuiltPrograms(code);
      if (built === code) return undefined;
      for (const [, path] of code.matchAll(PROGRAM)) {
        const { inputs } = await buildProgram(join(ROOT, `src/${path}.ts`));
        for (const input of inputs) this.addWatchFile(input);
      }
      return { code: built, map: null };
    },
  };
}

const filesWithMarkup = () =>
  readdirSync(join(ROOT, "src"), { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".tsx"))
    .toSorted()
    .join();

/** The code, with the built program instead of each module that it starts threads or processes with. */
export const withBuiltPrograms = (code: string): string =>
  code.replaceAll(PROGRAM, (_, path) => {
    const { href } = pathToFileURL(builtFile(join(ROOT, `src/${path}.ts`)));
    return `new URL(${JSON.stringify(href)})`;
  });

const builtFile = (source: string) =>
  join(
    FOLDER,
    `${relative(ROOT, source)
      .replaceAll(/[/\\]/g, "-")
      .replace(/\.\w+$/, "")}.mjs`,
  );

/** Builds a module of the sources or tests into one file, which Node.js runs. */
export async function buildProgram(source: string): Promise<{ file: string; inputs: string[] }> {
  const { outputFiles, metafile } = await build({
    ...SOURCE_OPTIONS,
    entryPoints: [source],
    bundle: true,
    // Without source map: it is two thirds of a file that is read at each start.
    packages: "external",
    metafile: true,
  });
  const file = builtFile(source);
  await writeWhole(file, outputFiles[0]!.contents);
  return { file, inputs: Object.keys(metafile.inputs).map((input) => join(ROOT, input)) };
}

/** Writes a file that other runs may write or read at the same time. */
export async function writeWhole(file: string, contents: string | Uint8Array): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  const temporary = `${file}.${randomUUID()}`;
  await writeFile(temporary, contents);
  await rename(temporary, file);
}
