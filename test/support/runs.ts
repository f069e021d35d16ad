/** With `HOURGATE_TEST_RUNS=all`, as every night and before releases, property tests try all values they ask for. */
const MOST_RUNS = process.env.HOURGATE_TEST_RUNS === "all" ? Infinity : 100;

/** How many values a property test tries: `numRuns: runs(400)`. At most 100 by default, which finds most faults. */
export const runs = (all: number) => Math.min(all, MOST_RUNS);
