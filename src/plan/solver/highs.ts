import { setFlagsFromString } from "node:v8";
import type { Highs } from "highs";
import highsLoader from "highs";

// The package's types describe its CommonJS build, where the loader is nested one level deeper than in the ESM build.
const load = highsLoader as unknown as typeof highsLoader.default;

/**
 * Loads HiGHS in WebAssembly, about 50 MB: only for processes that solve. V8 would optimise its code while it runs, which costs
 * more processor time (1.4 s) than a typical request needs in all.
 */
export function loadSolver(): Promise<Highs> {
  // Takes effect for code that is compiled from now on; an unknown flag is ignored.
  setFlagsFromString("--liftoff-only");
  return load();
}
