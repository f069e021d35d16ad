import { readFileSync, writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { backtestYearPlot, monthlySavings } from "./backtest-year-plot.js";
import { forecastWeek, forecastWeekPlot } from "./forecast-week-plot.js";

/**
 * The plots drawn from the recorded runs in docs/derive/recorded, by name. Actual prices and loads are read from the
 * recorded data (test/support/recorded-data.ts). `npx tsx docs/derive/draw.ts` writes the plots to docs/images;
 * `backtest-year.ts` and `forecast-week.ts` repeat the runs.
 */
export const PLOTS: Record<string, (csv: string) => string> = {
  "backtest-year": (csv) => backtestYearPlot(monthlySavings(csv)),
  "forecast-week": (csv) => forecastWeekPlot(forecastWeek(csv)),
};

/** The CSV text of a recorded run. */
export const recordedRun = (name: string): string =>
  readFileSync(new URL(`recorded/${name}.csv`, import.meta.url), "utf8");

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href)
  for (const [name, draw] of Object.entries(PLOTS))
    writeFileSync(new URL(`../images/${name}.svg`, import.meta.url), draw(recordedRun(name)));
