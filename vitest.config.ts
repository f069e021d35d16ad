import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { builtPrograms } from "./test/support/built-programs.js";
import { compiledSources } from "./test/support/compiled-sources.js";
import { LongestFirst } from "./test/support/longest-first.js";

/** Tests that start processes, browsers or the whole gateway, or compute for seconds: by their name, or in these folders. */
const SLOW = ["test/**/*.slow.test.ts", "test/{access,docker,e2e,faults,scripts,security}/**/*.test.ts"];

export default defineConfig({
  plugins: [compiledSources(), builtPrograms()],
  test: {
    projects: [
      {
        extends: true,
        test: {
          name: "fast",
          include: ["test/**/*.test.ts"],
          exclude: SLOW,
          // Half of the garbage collection: most of what a test makes is short-lived. Not for slow ones: a thread of theirs that fills its
          // small heap would end the process.
          execArgv: ["--max-semi-space-size=64"],
        },
      },
      {
        extends: true,
        test: {
          name: "slow",
          include: SLOW,
          // Once more where CI's machine was too busy for real processes and sockets; the report names what was tried twice.
          retry: process.env.CI === "true" ? 1 : 0,
        },
      },
    ],
    sequence: { sequencer: LongestFirst },
    reporters: ["default", "./test/support/slowest-files.ts", "./test/support/closing-line.ts"],
    setupFiles: ["test/support/setup.ts"],
    // Tests read the fixtures, whatever the tools are given.
    env: { HOURGATE_DATA: "" },
    // One process per worker for all files: loading the modules anew for each of 200 files took a third of the processor time.
    // Tests must not leave global state behind; vitest restores environment variables and mocks.
    isolate: false,
    // A module that has not changed is transformed once, for both projects and all runs.
    experimental: { fsModuleCache: true },
    unstubEnvs: true,
    unstubGlobals: true,
    restoreMocks: true,
    // One more than the cores, but for fast tests alone: slow ones wait much of the time, while fast ones compute. Projects would not
    // take it from the command line.
    maxWorkers: availableParallelism() + Number(!process.argv.includes("fast")),
    // Against what hangs, not against a slow or busy machine.
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
