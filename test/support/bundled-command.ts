import { existsSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync } from "node:fs";
import { mkdir, readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { build, type Plugin } from "esbuild";

const ROOT = resolve(import.meta.dirname, "../..");
const BUILT = join(ROOT, "dist");
/** Below the repository, so that packages are found from there. */
const FOLDER = join(ROOT, "node_modules/.cache/hourgate-command");

/**
 * Bundles the built command once for a run: most tests of processes start it, and loading its 700 modules one by one takes
 * a third of the processor time of a start. Those that are about the start itself start `dist/cli.js`.
 */
export default async function setup(): Promise<void> {
  if (existsSync(join(BUILT, "cli.js"))) process.env.GATEWAY_PROGRAM = await bundled();
}

async function bundled(): Promise<string> {
  const changedMs = readdirSync(BUILT, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".js"))
    .reduce((latestMs, name) => Math.max(latestMs, statSync(join(BUILT, name)).mtimeMs), 0);
  const folder = join(FOLDER, String(Math.round(changedMs)));
  const program = join(folder, "cli.mjs");
  if (existsSync(program)) return program;
  rmSync(FOLDER, { recursive: true, force: true });
  await mkdir(FOLDER, { recursive: true });
  const outdir = mkdtempSync(join(FOLDER, "new-"));
  await build({
    entryPoints: [join(BUILT, "cli.js")],
    absWorkingDir: ROOT,
    bundle: true,
    splitting: true,
    packages: "external",
    format: "esm",
    platform: "node",
    target: "node20",
    outdir,
    outExtension: { ".js": ".mjs" },
    plugins: [ownAddresses],
  });
  renameSync(outdir, folder);
  return program;
}

/** Each module still has its own address: threads, the portal's files and documents are found beside it. */
const ownAddresses: Plugin = {
  name: "own-addresses",
  setup({ onLoad }) {
    onLoad({ filter: /\.js$/ }, async ({ path }) => ({
      contents: (await readFile(path, "utf8")).replaceAll(
        "import.meta.url",
        JSON.stringify(pathToFileURL(path).href),
      ),
    }));
  },
};
