import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Runs the files of the project "slow" first: a long file that starts last would keep one processor busy and the others idle. */
export class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isSlow = ({ project }: TestSpecification) => Number(project.name === "slow");
    return sorted.toSorted((a, b) => isSlow(b) - isSlow(a));
  }
}
