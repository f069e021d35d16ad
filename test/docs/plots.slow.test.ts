import { existsSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { monthlySavings } from "../../docs/derive/backtest-year-plot.js";
import { PLOTS, recordedRun } from "../../docs/derive/draw.js";
import { forecastWeek } from "../../docs/derive/forecast-week-plot.js";
import { actualPrices } from "../../docs/derive/recorded.js";
import { HOURLY_PRICES, recordedText } from "../support/recorded-data.js";
import { page } from "./pages.js";

const PAGES: Record<string, string> = {
  "backtest-year": "docs/research/backtest.md",
  "forecast-week": "docs/research/forecast.md",
};

/** Fails if tags are not nested correctly or a text contains an unescaped `&` or `<`. */
function expectWellFormed(svg: string): void {
  const open: string[] = [];
  const rest = svg.replace(
    /<(\/?)([a-z]+)((?: [a-zA-Z-]+="[^"<&]*")*)(\/?)>/g,
    (_, end, name, _attributes, alone) => {
      if (end === "/") expect(open.pop()).toBe(name);
      else if (alone === "") open.push(name);
      return "";
    },
  );
  expect(open).toEqual([]);
  expect(rest).not.toMatch(/[<>&]/);
}

/** The second column of a recorded file by the start of its rows, parsed independently of the code of the plots. */
function recordedCells(path: string): Map<number, number> {
  const [, ...rows] = recordedText(path).trim().split("\n");
  return new Map(rows.map((row) => [Date.parse(row.split(",")[0]!), Number(row.split(",")[1])]));
}

it.each(Object.entries(PLOTS))(
  "docs/images/%s.svg is drawn from its recorded run and included in its page",
  async (name, draw) => {
    const path = new URL(`../../docs/images/${name}.svg`, import.meta.url).pathname;
    expect(existsSync(path)).toBe(true);
    const svg = draw(recordedRun(name));
    expectWellFormed(svg);
    expect(svg).toMatch(/^<svg [^>]+>\n<title>[^<]{20,}<\/title>\n<desc>[^<]{20,}<\/desc>/);
    expect(page(PAGES[name]!)).toMatch(new RegExp(`!\\[[^\\]]{40,}\\]\\(\\.\\./images/${name}\\.svg\\)`));
    await expect(svg).toMatchFileSnapshot(path);
  },
);

describe("the recorded runs", () => {
  it("contain no recorded price or load; these are joined by hour when the plots are drawn", () => {
    const columns = (name: string) => recordedRun(name).split("\n", 1)[0]!.split(",");
    expect(columns("forecast-week")).toEqual(["start_utc", "p10_eur_mwh", "p50_eur_mwh", "p90_eur_mwh"]);
    const prices = recordedCells(HOURLY_PRICES);
    const week = forecastWeek(recordedRun("forecast-week"));
    expect(week).toHaveLength(168);
    for (const { startMs, actual } of week) expect(actual).toBeCloseTo(prices.get(startMs)!, 6);
  });

  it("are not drawn without the recorded data; the error names the missing hour", () => {
    expect(() => actualPrices([Date.UTC(2016, 4, 10)])).toThrow(
      "2016-05-10T00:00:00.000Z has no recorded price.",
    );
  });

  it("match the figures in docs/research/forecast.md", () => {
    const hours = forecastWeek(recordedRun("forecast-week"));
    const mae = hours.reduce((sum, { p50, actual }) => sum + Math.abs(p50 - actual), 0) / hours.length;
    const inside = hours.filter(({ p10, p90, actual }) => p10 <= actual && actual <= p90).length;
    const text = page("docs/research/forecast.md").replace(/\s+/g, " ");
    expect(new Date(hours[0]!.startMs)).toEqual(new Date("2025-05-20T00:00:00+02:00"));
    expect(text).toContain(`the median error, ${mae.toFixed(1)} EUR/MWh`);
    expect(text).toContain(`${inside} of the ${hours.length} prices lie in the band`);
    const tooHigh = Math.max(...hours.slice(0, 72).map(({ p50, actual }) => p50 - actual));
    expect(text).toContain(`P50 was up to ${tooHigh.toFixed(0)} EUR/MWh too high`);
  });

  it("add up to the year that the command reports, and no month clearly exceeds perfect foresight", () => {
    const months = monthlySavings(recordedRun("backtest-year"));
    const sum = (value: (month: (typeof months)[number]) => number) =>
      months.reduce((total, month) => total + value(month), 0);
    const saved = (row: string) =>
      Number(new RegExp(`^${row} +[\\d.]+ +([\\d.]+)`, "m").exec(page("docs/research/backtest.md"))?.[1]);
    expect(sum(({ savedEur }) => savedEur)).toBeCloseTo(saved("battery with hourgate"), 2);
    expect(sum(({ possibleEur }) => possibleEur)).toBeCloseTo(saved("perfect foresight"), 2);
    // Perfect foresight is best over the year; energy kept over the end of a month shifts some cents to the next one.
    for (const { savedEur, possibleEur } of months) expect(savedEur).toBeLessThan(possibleEur + 0.2);
    const within = (first: number, last: number) =>
      months.filter(({ month }) => {
        const number = Number(month.slice(5)) % 12;
        return first <= number && number <= last;
      });
    const text = page("docs/research/backtest.md").replace(/\s+/g, " ");
    const summer = within(4, 10).reduce((total, { savedEur }) => total + savedEur, 0);
    expect(text).toContain(`${summer.toFixed(0)} of the ${sum(({ savedEur }) => savedEur).toFixed(0)} EUR`);
    const winter = within(0, 2);
    const share =
      winter.reduce((total, { savedEur }) => total + savedEur, 0) /
      winter.reduce((total, { possibleEur }) => total + possibleEur, 0);
    expect(text).toContain(`${(100 * share).toFixed(0)} % of that was reached`);
  });
});
