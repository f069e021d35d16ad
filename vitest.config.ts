import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    reporters: ["default", "./test/support/closing-line.ts"],
    setupFiles: ["test/support/seed.ts"],
    // Tests read the fixtures, whatever the tools are given.
    env: { HOURGATE_DATA: "" },
    // One process per worker for all files: loading the modules anew for each of 200 files took a third of the processor time.
    // Tests must not leave global state behind; vitest restores environment variables and mocks.
    isolate: false,
    unstubEnvs: true,
    unstubGlobals: true,
    restoreMocks: true,
    // All cores: by default one is left to watch mode, which is half of a small machine.
    maxWorkers: "100%",
    // Against what hangs, not against a slow or busy machine.
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
