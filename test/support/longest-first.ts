import { BaseSequencer, type TestSpecification } from "vitest/node";

/** The files that take longest, as the report of each run shows. */
const LONGEST = [
  "faults/copied-installation",
  "portal/pages",
  "portal/browser",
  "ops/fleet/fleet",
  "edges/node-red/supervisor",
  "e2e/gateway",
  "e2e/same-commands",
];

/** Runs the longest files first: one that starts last would keep one processor busy and the others idle. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isLong = ({ moduleId }: TestSpecification) =>
      Number(LONGEST.some((name) => moduleId.includes(name)));
    return sorted.toSorted((a, b) => isLong(b) - isLong(a));
  }
}
