import { randomUUID } from "node:crypto";
import { existsSync, readdirSync } from "node:fs";
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { dirname, join, relative, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { build, type Plugin as EsbuildPlugin } from "esbuild";
import type { Plugin } from "vitest/config";

const ROOT = resolve(import.meta.dirname, "../..");
/** Below the repository, so that packages are found from there. */
const FOLDER = join(ROOT, "node_modules/.cache/hourgate-programs");

/** What starts a thread or process names its module like this. */
const PROGRAM = /new URL\("(\.\/[\w-]+)\.js", import\.meta\.url\)/g;

/**
 * Builds the modules that threads and processes are started with, each into one file: loading them from the sources takes
 * ten times the processor time, at each start.
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
      const sources = [...code.matchAll(PROGRAM)].map(([expression, path]) => ({
        expression,
        source: join(dirname(id), `${path}.ts`),
      }));
      let built = code;
      for (const { expression, source } of sources.filter(({ source }) => existsSync(source))) {
        const { file, inputs } = await buildProgram(source);
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

async function buildProgram(source: string): Promise<{ file: string; inputs: string[] }> {
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
    plugins: [ownAddresses],
  });
  const file = join(FOLDER, `${relative(ROOT, source).replaceAll(/[/\\]/g, "-").slice(0, -3)}.mjs`);
  await mkdir(FOLDER, { recursive: true });
  // Both projects may build it at the same time, in one process.
  const temporary = `${file}.${randomUUID()}`;
  await writeFile(temporary, outputFiles[0]!.contents);
  await rename(temporary, file);
  return { file, inputs: Object.keys(metafile.inputs).map((input) => join(ROOT, input)) };
}

/** In the one file, each module still has the address of its source. */
const ownAddresses: EsbuildPlugin = {
  name: "own-addresses",
  setup({ onLoad }) {
    onLoad({ filter: /\.tsx?$/ }, async ({ path }) => ({
      contents: (await readFile(path, "utf8")).replaceAll(
        "import.meta.url",
        JSON.stringify(pathToFileURL(path).href),
      ),
      loader: path.endsWith("x") ? "tsx" : "ts",
    }));
  },
};
