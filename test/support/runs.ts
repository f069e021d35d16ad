/** With `CI=true`, property tests try all values they ask for; otherwise at most 100, which finds most faults. */
const LOCAL_RUNS = 100;

/** How many values a property test tries: `numRuns: runs(400)`. */
export const runs = (full: number) => (process.env.CI === "true" ? full : Math.min(full, LOCAL_RUNS));
