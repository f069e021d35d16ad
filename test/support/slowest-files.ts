import { relative } from "node:path";
import type { Reporter, TestModule } from "vitest/node";

const COUNT = 10;

/** Prints the files that took longest, after a run of many. */
export default class SlowestFiles implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    if (modules.length <= COUNT) return;
    const slowest = modules
      .map((module) => ({ module, seconds: module.diagnostic().duration / 1000 }))
      .sort((a, b) => b.seconds - a.seconds)
      .slice(0, COUNT);
    console.log(`The ${COUNT} slowest of ${modules.length} files:`);
    for (const { module, seconds } of slowest)
      console.log(`${seconds.toFixed(1).padStart(7)} s  ${relative(process.cwd(), module.moduleId)}`);
  }
}
