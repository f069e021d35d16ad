import { BaseSequencer, type TestSpecification } from "vitest/node";

/** The files that take longest, as the report of each run shows; most wait for processes, brokers and browsers. */
const LONGEST = [
  "ops/fleet/fleet",
  "portal/pages",
  "faults/copied-installation",
  "e2e/same-commands",
  "edges/node-red/supervisor",
  "e2e/gateway",
  "portal/browser",
  "e2e/data-commands",
  "equipment/finding/finder",
  "security/largest",
];

/**
 * The longest files first, then the other slow ones, then the fast ones: they fill the time in which the last slow files
 * wait. A file that starts last and takes long would keep one processor busy and the others idle.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId, project }: TestSpecification) => {
      const place = LONGEST.findIndex((name) => moduleId.includes(name));
      return place >= 0 ? place : LONGEST.length + Number(project.name === "fast");
    };
    return (await super.sort(files)).toSorted((a, b) => rank(a) - rank(b));
  }
}
