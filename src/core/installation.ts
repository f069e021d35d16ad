import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

/** The modules that threads and processes are started with, by path below `src` without ending. The build makes one file of each. */
export const PROGRAMS = [
  "accounts/password-worker",
  "edges/node-red/runtime",
  "forecast/price/training-worker",
  "money/compare/comparison-worker",
  "money/meter/reader-worker",
  "plan/plan-worker",
  "plan/solver/solver-worker",
  "telemetry/calendar/calendar-worker",
] as const;

// The build puts this module into other files: neither its own place nor that of what uses it says where anything is.
const ROOT = folderWithManifest(dirname(fileURLToPath(import.meta.url)));
const isSource = import.meta.url.endsWith(".ts");
const CODE = join(ROOT, isSource ? "src" : "dist");

function folderWithManifest(folder: string): string {
  return existsSync(join(folder, "package.json")) ? folder : folderWithManifest(dirname(folder));
}

/** The path of what is shipped beside the code, such as `config/devices`. */
export const shippedPath = (path: string): string => join(ROOT, path);

/** The path of a file that the code has beside it, in `src` or in `dist`. */
export const codePath = (path: string): string => join(CODE, path);

/** The path of what is prepared for the start: the build has it beside the code, tests of the sources in their cache. */
export const preparedPath = (path: string): string =>
  join(isSource ? join(ROOT, ".cache/prepared") : CODE, path);

/** The built module of a program, or its source where this code is one. */
export const programModule = (program: (typeof PROGRAMS)[number]): URL =>
  pathToFileURL(codePath(`${program}${isSource ? ".ts" : ".js"}`));

/** Loads, or finds, packages that are not part of the build. */
export const requirePackage = createRequire(join(ROOT, "package.json"));
