import { expect, it } from "vitest";
import { maeByPeriod, plot } from "../../docs/derive/forecast-plot.js";
import { page } from "./pages.js";

it("docs/images/forecast-mae.svg is drawn from the tables of docs/research/forecast.md", async () => {
  const periods = maeByPeriod(page("docs/research/forecast.md"));
  expect(periods.size).toBe(4);
  for (const [period, values] of periods) expect(values, period).toHaveLength(7);
  const path = new URL("../../docs/images/forecast-mae.svg", import.meta.url).pathname;
  await expect(plot(periods)).toMatchFileSnapshot(path);
});

it("reads a year's row and draws larger errors higher", () => {
  const row = "| 2023 | 5.00, 80.9 % | 10.00, 80.6 % | 1, 1 % | 1, 1 % | 1, 1 % | 1, 1 % | 25, 1 % |\n";
  const periods = maeByPeriod(row);
  expect(periods.get("2023")).toEqual([5, 10, 1, 1, 1, 1, 25]);
  // 25 EUR/MWh is the top of the plot (y = 16), 5 a fifth of its 240 pixels above the foot (y = 256).
  expect(plot(periods)).toMatch(/points="50\.0,208\.0 140\.0,160\.0 .* 590\.0,16\.0"/);
});
