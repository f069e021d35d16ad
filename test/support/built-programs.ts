import { randomUUID } from "node:crypto";
import { readdirSync } from "node:fs";
import { mkdir, rename, writeFile } from "node:fs/promises";
import { join, relative, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import type { Plugin } from "vitest/config";

const ROOT = resolve(import.meta.dirname, "../..");
/** Below the repository, so that packages are found from there. */
const FOLDER = join(ROOT, "node_modules/.cache/hourgate-programs");

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
      let built = code;
      for (const [expression, path] of code.matchAll(PROGRAM)) {
        const { file, inputs } = await buildProgram(join(ROOT, `src/${path}.ts`));
        for (const input of inputs) this.addWatchFile(input);
        built = built.replace(expression, `new URL(${JSON.stringify(pathToFileURL(file).href)})`);
      }
      return built === code ? undefined : { code: built, map: null };
    },
  };
}

const filesWithMarkup = () =>
  readdirSync(join(ROOT, "src"), { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".tsx"))
    .toSorted()
    .join();

/** Builds a module of the sources or tests into one file, which Node.js runs. */
export async function buildProgram(source: string): Promise<{ file: string; inputs: string[] }> {
  const { outputFiles, metafile } = await build({
    entryPoints: [source],
    absWorkingDir: ROOT,
    bundle: true,
    packages: "external",
    format: "esm",
    platform: "node",
    target: "node20",
    sourcemap: "inline",
    write: false,
    metafile: true,
    // The program finds files of the installation as the sources do.
    define: { "import.meta.url": JSON.stringify(pathToFileURL(join(ROOT, "src/core/installation.ts")).href) },
  });
  const file = join(
    FOLDER,
    `${relative(ROOT, source)
      .replaceAll(/[/\\]/g, "-")
      .replace(/\.\w+$/, "")}.mjs`,
  );
  await mkdir(FOLDER, { recursive: true });
  // Both projects may build it at the same time, in one process.
  const temporary = `${file}.${randomUUID()}`;
  await writeFile(temporary, outputFiles[0]!.contents);
  await rename(temporary, file);
  return { file, inputs: Object.keys(metafile.inputs).map((input) => join(ROOT, input)) };
}
