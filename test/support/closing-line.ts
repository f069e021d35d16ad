import type { Reporter, TestModule } from "vitest/node";

/** Prints the counts as one plain line that programs can parse at the end of the log. */
export default class ClosingLine implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const count = { passed: 0, failed: 0, skipped: 0 };
    for (const module of modules) {
      if (module.state() === "failed" && [...module.children.allTests()].length === 0) count.failed++;
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        if (state === "passed" || state === "failed" || state === "skipped") count[state]++;
      }
    }
    console.log(`${count.passed} passed, ${count.failed} failed, ${count.skipped} skipped`);
  }
}
