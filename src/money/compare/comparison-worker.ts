import { HOUR_MS, type Interval } from "../../core/domain/interval.js";
import { serveTasks } from "../../core/work/serve-tasks.js";
import { type PackedRun, packRun, unpackRun } from "./packed.js";
import type { ComparedCase, ComparisonData } from "./site-comparison.js";
import { SiteComparison } from "./site-comparison.js";

type Report = (hours: number) => void;

/** Each thread has a copy of the data. Progress is the number of hours that are done of a task. */
function tasksOf(data: ComparisonData) {
  const comparison = new SiteComparison(data);
  const { start, end } = data.period;
  const hours = (end.getTime() - start.getTime()) / HOUR_MS;
  return {
    forecasts: ({ part }: { part: Interval }, report: Report) =>
      comparison.forecasts(part, report).map(packRun),
    costs: (
      { cases, runs }: { cases: readonly ComparedCase[]; runs: readonly PackedRun[] },
      report: Report,
    ) => {
      const known = runs.map(unpackRun);
      return cases.map((one, index) => comparison.cost(one, known, (done) => report(index * hours + done)));
    },
  };
}

export type ComparisonTasks = ReturnType<typeof tasksOf>;

serveTasks(tasksOf);
