import highsLoader from "highs";

// The package's types describe its CommonJS build, where the loader is nested one level deeper than in the ESM build.
const load = highsLoader as unknown as typeof highsLoader.default;

/** HiGHS in WebAssembly. */
export const loadHighs = () => load();

export type Highs = Awaited<ReturnType<typeof load>>;
