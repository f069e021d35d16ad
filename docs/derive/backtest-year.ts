import { writeFileSync } from "node:fs";
import { simulateSite } from "../../src/plan/simulate.js";
import type { SimulatedRun } from "../../src/plan/simulated-run.js";
import { recordedPrices, recordedSite } from "./recorded.js";

/**
 * Writes docs/derive/recorded/backtest-year.csv, the saving of each month in the recorded year of docs/research/backtest.md:
 * `npx tsx docs/derive/backtest-year.ts`, some minutes. Stored energy counts the same at the end of every day, so the
 * months add up to the year.
 */
const period = { start: new Date("2023-06-21T22:00:00Z"), end: new Date("2024-06-20T22:00:00Z") };
const input = recordedSite("h02_house_lower_austria_2023_2024", period, recordedPrices());
const { uncontrolled, planned, perfect } = simulateSite(input);

const months = [...new Set([...uncontrolled.dayCostEur.keys()].map((date) => date.slice(0, 7)))];
const costEur = ({ dayCostEur }: SimulatedRun, month: string) =>
  [...dayCostEur].reduce((sum, [date, eur]) => sum + (date.startsWith(month) ? eur : 0), 0);
const rows = months.map((month) => {
  const saved = (run: SimulatedRun) => (costEur(uncontrolled, month) - costEur(run, month)).toFixed(4);
  return `${month},${saved(perfect)},${saved(planned)}\n`;
});
writeFileSync(
  new URL("recorded/backtest-year.csv", import.meta.url),
  `month,possible_eur,saved_eur\n${rows.join("")}`,
);
