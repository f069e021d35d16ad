import { writeFileSync } from "node:fs";
import { solve } from "../../src/plan/solve.js";
import { localDate, VIENNA } from "../../src/time/zone.js";
import { recordedPrices, recordedSite } from "./recorded.js";
import { replay, wholePeriod } from "./replay.js";

/**
 * Writes docs/derive/recorded/backtest-year.csv, the saving of each month in the recorded year of docs/backtest.md:
 * `npx tsx docs/derive/backtest-year.ts`, some minutes. Energy stored at the end of a month is valued by what it can save
 * until the end of the year, so that the months add up to the year.
 */
const series = recordedPrices();
const period = { start: new Date("2023-06-21T22:00:00Z"), end: new Date("2024-06-20T22:00:00Z") };
const input = recordedSite("h02_house_lower_austria_2023_2024", period, series);
const { problem } = wholePeriod(input);

/** The saving by stored energy from hour `t` on with perfect foresight, ct. */
function storedValueCt(t: number, socKwh: number): number {
  const steps = problem.steps.slice(t);
  if (steps.length === 0) return (socKwh - problem.band.minKwh) * problem.terminal[0]!.ctKwh;
  const costCt = (startKwh: number) => solve({ ...problem, steps, socKwh: startKwh }).objectiveCt;
  return costCt(problem.band.minKwh) - costCt(socKwh);
}

const hours = [...replay(input)];
const month = (t: number) => localDate(hours[t]!.start, VIENNA).slice(0, 7);
const rows: string[] = [];
for (let from = 0; from < hours.length; ) {
  let to = from;
  while (to < hours.length && month(to) === month(from)) to++;
  const soc = (t: number, which: "socEndKwh" | "perfectSocEndKwh") =>
    t === 0 ? problem.socKwh : hours[t - 1]![which];
  const saved = (run: "planned" | "perfect", which: "socEndKwh" | "perfectSocEndKwh") => {
    const flowsCt = hours.slice(from, to).reduce((sum, { costCt }) => sum + costCt.none - costCt[run], 0);
    const storedCt = storedValueCt(to, soc(to, which)) - storedValueCt(from, soc(from, which));
    return ((flowsCt + storedCt) / 100).toFixed(4);
  };
  rows.push(`${month(from)},${saved("perfect", "perfectSocEndKwh")},${saved("planned", "socEndKwh")}\n`);
  from = to;
}
writeFileSync(
  new URL("recorded/backtest-year.csv", import.meta.url),
  `month,possible_eur,saved_eur\n${rows.join("")}`,
);
