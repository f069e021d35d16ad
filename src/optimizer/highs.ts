import type { Highs } from "highs";
import highsLoader from "highs";

// The package's types describe its CommonJS build, where the loader is nested one level deeper than in the ESM build.
const load = highsLoader as unknown as typeof highsLoader.default;

/** Loads HiGHS in WebAssembly, about 50 MB: only for processes that solve. */
export const loadSolver = (): Promise<Highs> => load();
