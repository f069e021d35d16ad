import { isAustrianHoliday } from "../../../src/core/time/holidays.js";
import { seeded } from "../../support/random.js";
import { type CellSet, cellsOf } from "./cells.js";
import type { Cell, Known } from "./course.js";
import { DAY_MS, Homes, readPrices, Sun } from "./data.js";
import { type CellResult, type Outcome, runCell, type Variant } from "./run-cell.js";

/**
 * Drives recorded homes in closed loop and prints a line a home-month, then the table. The folder given by
 * `--data` or HOURGATE_DATA holds `household/`, `prices/` and `weather/`.
 */
export function benchClosedLoop(input: {
  sets: readonly CellSet[];
  known: Known;
  variant: Variant;
  /** Which cells of the sets. */
  isChosen: (cell: Cell) => boolean;
  /** Take each n-th cell only. */
  every: number;
  first: number;
  write: (line: string) => void;
}): CellResult[] {
  const { write } = input;
  const world = { homes: new Homes(), sun: new Sun(), prices: readPrices() };
  const results: CellResult[] = [];
  for (const set of input.sets) {
    for (const [index, cell] of cellsOf(set).entries()) {
      if (index % input.every !== input.first || !input.isChosen(cell)) continue;
      const result = runCell(cell, world, { known: input.known, variant: input.variant });
      results.push(result);
      write(lineOf(result));
    }
  }
  for (const row of [...tableOf(results), "", ...tableOfDays(results)]) write(row);
  return results;
}

function lineOf({ cell, perfectCt, policy, simple }: CellResult): string {
  const [, more] = /\+(ev|hp|away)/.exec(cell.home) ?? [];
  const car = more === undefined ? "" : `+${more === "ev" ? "car" : more}`;
  const share = (outcome: Outcome | undefined) =>
    perfectCt < LEAST_CT || outcome === undefined
      ? "-"
      : `${((100 * outcome.savedCt) / perfectCt).toFixed(1)} %`;
  return [
    `${cell.set} ${cell.home.slice(0, 3)}${car} ${cell.start} ${cell.peakKw} kWp, ${cell.batteryKwh} kWh, ${cell.feedIn}:`,
    `of ${(perfectCt / 100).toFixed(2)} EUR ${share(policy)}, simple ${share(simple)},`,
    `saved ${(policy.savedCt / 100).toFixed(2)}, of the bill ${(policy.billSavedCt / 100).toFixed(2)}, promised ${(policy.promisedCt / 100).toFixed(2)},`,
    `${policy.changesPerDay.toFixed(1)} changes a day, ${policy.worseDays} worse days, ${policy.solveMs.toFixed(1)} ms`,
  ].join(" ");
}

/** Home-months in which perfect foresight saves less say nothing about shares, ct. */
const LEAST_CT = 100;

/** The table of docs/research/planner.md: shares are savings of all home-months over those of perfect foresight. */
export function tableOf(results: readonly CellResult[]): string[] {
  const rows = [
    "| home-months | captured | 90 % interval | simple plan | worst | below uncontrolled | worse days | changes a day (most) | solve ms | promised / saved |",
    "|---|---|---|---|---|---|---|---|---|---|",
  ];
  for (const set of ["tuning", "unseen", "last", "facts"] as const) {
    for (const irregular of [false, true]) {
      for (const peakKw of [0, 5, 10]) {
        const some = results.filter(
          ({ cell }) => cell.set === set && cell.irregular === irregular && cell.peakKw === peakKw,
        );
        if (some.length > 0) {
          rows.push(rowOf(`${set}, ${irregular ? "irregular" : "regular"}, ${peakKw} kWp`, some));
        }
      }
    }
  }
  return rows;
}

function rowOf(name: string, results: readonly CellResult[]): string {
  const sum = (of: (result: CellResult) => number) =>
    results.reduce((total, result) => total + of(result), 0);
  const mean = (of: (result: CellResult) => number) => sum(of) / results.length;
  const perfect = sum((result) => result.perfectCt);
  const shares = results
    .filter((result) => result.perfectCt >= LEAST_CT)
    .map((result) => result.policy.savedCt / result.perfectCt);
  const percent = (share: number) => `${(100 * share).toFixed(1)} %`;
  return `| ${[
    `${name} (${results.length})`,
    percent(sum((result) => result.policy.savedCt) / perfect),
    intervalOf(results).map(percent).join(" to "),
    results.every(({ simple }) => simple) ? percent(sum((result) => result.simple!.savedCt) / perfect) : "-",
    percent(Math.min(...shares)),
    results.filter((result) => result.policy.savedCt < -1).length,
    sum((result) => result.policy.worseDays),
    `${mean((result) => result.policy.changesPerDay).toFixed(1)} (${Math.max(...results.map((result) => result.policy.changesPerDay)).toFixed(1)})`,
    mean((result) => result.policy.solveMs).toFixed(1),
    (sum((result) => result.policy.promisedCt) / sum((result) => result.policy.billSavedCt)).toFixed(2),
  ].join(" | ")} |`;
}

/** 5 and 95 % of the share captured when home-months are drawn anew with replacement. */
function intervalOf(results: readonly CellResult[]): [number, number] {
  const random = seeded(1);
  const shares = Array.from({ length: 2000 }, () => {
    const drawn = results.map(() => random.pick(results));
    const sum = (of: (result: CellResult) => number) =>
      drawn.reduce((total, result) => total + of(result), 0);
    return sum(({ policy }) => policy.savedCt) / sum(({ perfectCt }) => perfectCt);
  }).sort((a, b) => a - b);
  return [shares[100]!, shares[1900]!];
}

/** What kind of day captures how much: days after a public holiday, and the first week. */
function tableOfDays(results: readonly CellResult[]): string[] {
  const days = results.flatMap(({ cell, daysCt }) =>
    daysCt.map((ct, day) => ({ ...ct, day, atMs: Date.parse(`${cell.start}T12:00:00Z`) + day * DAY_MS })),
  );
  const isHoliday = (ms: number) => isAustrianHoliday(new Date(ms).toISOString().slice(0, 10));
  const kinds: [string, (day: (typeof days)[number]) => boolean][] = [
    ["public holidays", ({ atMs }) => isHoliday(atMs)],
    ["the day after", ({ atMs }) => isHoliday(atMs - DAY_MS) && !isHoliday(atMs)],
    ["all other days", ({ atMs }) => !isHoliday(atMs) && !isHoliday(atMs - DAY_MS)],
    ["days 1 and 2", ({ day }) => day < 2],
    ["days 3 to 7", ({ day }) => day >= 2 && day < 7],
    ["days 8 to 30", ({ day }) => day >= 7],
  ];
  return [
    "| days (number) | captured |",
    "|---|---|",
    ...kinds.map(([name, isOfKind]) => {
      const some = days.filter(isOfKind);
      const share =
        some.reduce((sum, { saved }) => sum + saved, 0) / some.reduce((sum, { perfect }) => sum + perfect, 0);
      return `| ${name} (${some.length}) | ${(100 * share).toFixed(1)} % |`;
    }),
  ];
}
