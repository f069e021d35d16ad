import { readFileSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { ABSENCES, type Absence, Cell, type CellResult, isPossible, TASKS, type Task } from "./cell.js";

const PAGE = new URL("restarts.md", import.meta.url);
/** All cells take minutes: `MATRIX=all npx vitest run test/equipment/evcc`. */
const isComplete = process.env.MATRIX === "all";
/** Otherwise one of so many cells is run. */
const ONE_OF = 9;

const absenceText = ({ side, isCrash, ms }: Absence) =>
  `${side}: ${isCrash ? "`kill -9`" : "stop"}, ${ms / 1000} s`;
const results = new Map<string, CellResult>();

const cells = ABSENCES.flatMap((absence) =>
  TASKS.filter((task) => isPossible(absence, task)).map((task) => ({ absence, task })),
).filter((_, index) => isComplete || index % ONE_OF === 0);

describe("beside evcc, with the recorded order of its messages", () => {
  it.each(cells.map((one) => ({ ...one, name: `${absenceText(one.absence)}, ${one.task.name}` })))(
    "$name",
    async ({ absence, task }: { absence: Absence; task: Task }) => {
      const cell = new Cell(task);
      let result: CellResult;
      try {
        await cell.begin();
        result = await cell.disturb(absence);
      } finally {
        await cell.end();
      }
      results.set(`${absenceText(absence)} ${task.name}`, result);
      expect.soft(result.wasExternal, "somebody else").toBe(false);
      expect.soft(result.recoveryS, "planned state, s").toBeLessThanOrEqual(60);
      expect.soft(result.wrongS, "wrong state, s").toBeLessThanOrEqual(60);
      // A broker that has lost its retained messages does not say what evcc has; it is no failure.
      expect.soft(result.ended, "at the end").toMatch(/^(confirmed|accepted|idle)$/);
      // The page may say confirmed for the time in which a message is on its way.
      expect.soft(result.falseS, "confirmed without evidence, s").toBeLessThanOrEqual(2);
    },
  );

  it.runIf(isComplete)("writes the table", () => {
    const names = TASKS.map(({ name }) => name);
    const rows = ABSENCES.map((absence) => {
      const row = TASKS.map((task) => {
        const one = results.get(`${absenceText(absence)} ${task.name}`);
        return one === undefined ? "" : `${one.wrongS}/${one.recoveryS}`;
      });
      return `| ${absenceText(absence)} | ${row.join(" | ")} |`;
    });
    const table = [
      `| away | ${names.join(" | ")} |`,
      `|---|${names.map(() => "---|").join("")}`,
      ...rows,
    ].join("\n");
    const text = readFileSync(PAGE, "utf8");
    const begin = text.indexOf("| away |");
    const end = text.indexOf("\n\n", begin);
    if (begin >= 0) writeFileSync(PAGE, text.slice(0, begin) + table + (end < 0 ? "\n" : text.slice(end)));
    else expect(begin, "restarts.md has the table").toBeGreaterThanOrEqual(0);
  });
});
