import { existsSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { monthlySavings } from "../../docs/derive/backtest-year-plot.js";
import { PLOTS, recordedRun } from "../../docs/derive/draw.js";
import { forecastWeek } from "../../docs/derive/forecast-week-plot.js";
import { PLANNED_SITE, plannedHours } from "../../docs/derive/plan-day-plot.js";
import { actualLoad, actualPrices, recordedSite } from "../../docs/derive/recorded.js";
import { replay, wholePeriod } from "../../docs/derive/replay.js";
import { simulateSite } from "../../src/plan/simulate.js";
import { localDate, VIENNA } from "../../src/time/zone.js";
import { recordedSeries } from "../forecast/recorded-prices.js";
import { HOURLY_PRICES, recordedText } from "../support/recorded-data.js";
import { page } from "./pages.js";

const PAGES: Record<string, string> = {
  "backtest-year": "docs/backtest.md",
  "plan-day": "docs/planner.md",
  "forecast-week": "docs/forecast.md",
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
    expect(page(PAGES[name]!)).toMatch(new RegExp(`!\\[[^\\]]{40,}\\]\\(images/${name}\\.svg\\)`));
    await expect(svg).toMatchFileSnapshot(path);
  },
);

describe("the recorded runs", () => {
  it("contain no recorded price or load; these are joined by hour when the plots are drawn", () => {
    const columns = (name: string) => recordedRun(name).split("\n", 1)[0]!.split(",");
    expect(columns("forecast-week")).toEqual(["start_utc", "p10_eur_mwh", "p50_eur_mwh", "p90_eur_mwh"]);
    expect(columns("plan-day")).not.toContain("came_eur_mwh");
    expect(columns("plan-day")).not.toContain("load_kwh");
    const published = recordedRun("plan-day")
      .split("\n")
      .filter((row) => row.includes("day_ahead"));
    expect(published).toHaveLength(34);
    for (const row of published) expect(row).toMatch(/^[^,]+,day_ahead,,,,\d/);

    const prices = recordedCells(HOURLY_PRICES);
    const plan = plannedHours(recordedRun("plan-day"));
    const week = forecastWeek(recordedRun("forecast-week"));
    expect([plan.length, week.length]).toEqual([82, 168]);
    for (const { startMs, actual } of week) expect(actual).toBeCloseTo(prices.get(startMs)!, 6);
    const load = recordedCells(`household/at_smart_meter_15min/${PLANNED_SITE}.csv`);
    for (const { startMs, actual, loadKwh, published, p10, p50, p90 } of plan) {
      expect(actual).toBeCloseTo(prices.get(startMs)! / 10, 6);
      const quarters = [0, 1, 2, 3].map((quarter) => load.get(startMs + quarter * 900_000)!);
      expect(loadKwh).toBeCloseTo(
        quarters.reduce((sum, kwh) => sum + kwh, 0),
        6,
      );
      if (published) expect([p10, p50, p90]).toEqual([actual, actual, actual]);
      else expect(p10 < p50 && p50 < p90).toBe(true);
    }
  });

  it("are not drawn without the recorded data; the error names the missing file or hour", () => {
    expect(() => actualLoad("h00_nowhere", [Date.UTC(2024, 4, 10)])).toThrow(
      /h00_nowhere\.csv is not in .*test\/fixtures: give a folder that holds it with --data or HOURGATE_DATA/,
    );
    expect(() => actualLoad(PLANNED_SITE, [Date.UTC(2025, 4, 10)])).toThrow(
      "2025-05-10T00:00:00.000Z has no recorded load.",
    );
    expect(() => actualPrices([Date.UTC(2016, 4, 10)])).toThrow(
      "2016-05-10T00:00:00.000Z has no recorded price.",
    );
  });

  it("match the figures in docs/planner.md", () => {
    const hours = plannedHours(recordedRun("plan-day"));
    const [friday, saturday, sunday, monday] = ["05-10", "05-11", "05-12", "05-13"].map((day) =>
      hours.filter(({ startMs }) => localDate(new Date(startMs), VIENNA).endsWith(day)),
    ) as [typeof hours, typeof hours, typeof hours, typeof hours];
    const lowest = (of: typeof hours, value: (hour: (typeof hours)[number]) => number) =>
      Math.min(...of.map(value)).toFixed(1);
    const sum = (of: typeof hours, value: (hour: (typeof hours)[number]) => number) =>
      of.reduce((total, hour) => total + Math.max(0, value(hour)), 0).toFixed(1);
    const fullest = Math.max(...saturday.map(({ plannedSocPct }) => plannedSocPct)).toFixed(0);
    const text = page("docs/planner.md").replace(/\s+/g, " ");
    for (const statement of [
      `two cheapest hours fill it to ${fullest} %`,
      `on Sunday ${lowest(sunday, ({ p50 }) => p50)} ct are forecast`,
      `on Monday nothing below ${lowest(monday, ({ p50 }) => p50)} ct`,
      `Sunday's noon came at ${lowest(sunday, ({ actual }) => actual)} ct, just outside the band`,
      `so ${sum(monday, ({ kwh }) => kwh)} kWh were bought on Monday, not ${sum(monday, ({ plannedKwh }) => plannedKwh)}`,
      `used ${sum(friday, ({ loadKwh }) => loadKwh)} kWh until midnight where ${sum(friday, ({ expectedLoadKwh }) => expectedLoadKwh)} were`,
      `so ${sum(saturday, ({ kwh }) => kwh)} kWh were bought on Saturday, not ${sum(saturday, ({ plannedKwh }) => plannedKwh)}`,
    ])
      expect(text).toContain(statement);
  });

  it("match the figures in docs/forecast.md", () => {
    const hours = forecastWeek(recordedRun("forecast-week"));
    const mae = hours.reduce((sum, { p50, actual }) => sum + Math.abs(p50 - actual), 0) / hours.length;
    const inside = hours.filter(({ p10, p90, actual }) => p10 <= actual && actual <= p90).length;
    const text = page("docs/forecast.md").replace(/\s+/g, " ");
    expect(new Date(hours[0]!.startMs)).toEqual(new Date("2025-04-09T00:00:00+02:00"));
    expect(text).toContain(`the median error, ${mae.toFixed(1)} EUR/MWh`);
    expect(text).toContain(`${inside} of the ${hours.length} prices lie in the band`);
    const tooHigh = Math.max(...hours.slice(0, 72).map(({ p50, actual }) => p50 - actual));
    expect(text).toContain(`P50 was up to ${tooHigh.toFixed(0)} EUR/MWh too high`);
  });

  it("add up to the year that the command reports, and no month exceeds perfect foresight", () => {
    const months = monthlySavings(recordedRun("backtest-year"));
    const sum = (value: (month: (typeof months)[number]) => number) =>
      months.reduce((total, month) => total + value(month), 0);
    const saved = (row: string) =>
      Number(new RegExp(`^${row} +[\\d.]+ +([\\d.]+)`, "m").exec(page("docs/backtest.md"))?.[1]);
    expect(sum(({ savedEur }) => savedEur)).toBeCloseTo(saved("battery with hourgate"), 2);
    expect(sum(({ possibleEur }) => possibleEur)).toBeCloseTo(saved("perfect foresight"), 2);
    for (const { savedEur, possibleEur } of months) expect(savedEur).toBeLessThanOrEqual(possibleEur);
    const within = (first: number, last: number) =>
      months.filter(({ month }) => {
        const number = Number(month.slice(5)) % 12;
        return first <= number && number <= last;
      });
    const text = page("docs/backtest.md").replace(/\s+/g, " ");
    const summer = within(4, 10).reduce((total, { savedEur }) => total + savedEur, 0);
    expect(text).toContain(`${summer.toFixed(0)} of the ${sum(({ savedEur }) => savedEur).toFixed(0)} EUR`);
    const winter = within(0, 2);
    const share =
      winter.reduce((total, { savedEur }) => total + savedEur, 0) /
      winter.reduce((total, { possibleEur }) => total + possibleEur, 0);
    expect(text).toContain(`${(100 * share).toFixed(0)} % of that was reached`);
  });

  it("come from a replay with the same result as `hourgate backtest`", () => {
    // A few weeks of prices are too few for training a model, which keeps the test fast.
    const prices = recordedSeries("2024-04-20", "2024-06-01");
    const period = { start: new Date("2024-05-11T22:00:00Z"), end: new Date("2024-05-12T22:00:00Z") };
    const input = () => recordedSite("h07_styria_2024", period, prices);
    const { planned, perfect, noBattery } = simulateSite(input());
    const { storedWorthCtKwh } = wholePeriod(input()).site;
    const hours = [...replay(input())];
    const cost = (run: "none" | "planned" | "perfect") =>
      hours.reduce((sum, { costCt }) => sum + costCt[run], 0) / 100;
    const last = hours.at(-1)!;
    expect(cost("planned") - (storedWorthCtKwh * last.socEndKwh) / 100).toBeCloseTo(planned.costEur, 9);
    expect(cost("perfect") - (storedWorthCtKwh * last.perfectSocEndKwh) / 100).toBeCloseTo(
      perfect.costEur,
      9,
    );
    expect(cost("none") - storedWorthCtKwh / 100).toBeCloseTo(noBattery.costEur, 9);
    expect(planned.chargeKwh).toBeGreaterThan(5);
  });
});
