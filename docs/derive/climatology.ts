/**
 * Derives src/forecast/price/climatology-table.ts from recorded Austrian day-ahead prices and prints it:
 *
 *     npx tsx docs/derive/climatology.ts > src/forecast/price/climatology-table.ts
 *
 * The table covers the three full years 2023-03-01 to 2026-02-28 in Vienna's local time: the latest period that contains
 * every month equally often and excludes the price crisis of 2021 and 2022. 2024-06-26 is excluded: the market was
 * decoupled on that day. For each month, type of day (public holidays count as weekend) and local hour it has the 10, 50
 * and 90 % quantiles, rounded to 0.1 EUR/MWh. The central value is the median, which minimises the absolute error and is
 * robust against extreme hours.
 */
import { pathToFileURL } from "node:url";
import { HOUR_MS } from "../../src/core/domain/interval.js";
import { dayInterval, localDate, VIENNA } from "../../src/core/time/zone.js";
import { PriceSeries } from "../../src/forecast/market/price-series.js";
import { parsePriceFile } from "../../src/forecast/market/sources/file-format.js";
import { hourClass } from "../../src/forecast/price/calendar.js";
import { quantile } from "../../src/forecast/price/quantile.js";
import { HOURLY_PRICES, recordedText } from "../../test/support/recorded-data.js";

const FIRST_DAY = "2023-03-01";
const LAST_DAY = "2026-02-28";
const DECOUPLED_DAY = "2024-06-26";

const DAY_TYPES = ["workday", "weekend"] as const;

/** The source text of the table's module, derived from the text of a price file. Throws an Error if an hour has no price. */
export function deriveClimatology(csv: string): string {
  const series = PriceSeries.of(parsePriceFile(csv).points);
  const cells = new Map<string, number[]>();
  const endMs = dayInterval(LAST_DAY, VIENNA).end.getTime();
  for (let at = dayInterval(FIRST_DAY, VIENNA).start.getTime(); at < endMs; at += HOUR_MS) {
    const price = series.hour(at);
    if (price === undefined)
      throw new Error(`${new Date(at).toISOString()} has no price: the file must be complete.`);
    if (localDate(new Date(at), VIENNA) === DECOUPLED_DAY) continue;
    const { month, hour, type } = hourClass(at);
    const key = `${type === "workday" ? "workday" : "weekend"} ${month} ${hour}`;
    const values = cells.get(key) ?? [];
    values.push(price);
    cells.set(key, values);
  }
  for (const values of cells.values()) values.sort((a, b) => a - b);

  const row = (type: string, month: number, share: number) =>
    Array.from({ length: 24 }, (_, hour) =>
      quantile(cells.get(`${type} ${month} ${hour}`) ?? [], share).toFixed(1),
    );
  const text = DAY_TYPES.map((type) => {
    const months = Array.from({ length: 12 }, (_, index) => {
      const lines = [0.1, 0.5, 0.9].map((share) => `      "${row(type, index + 1, share).join(" ")}",\n`);
      return `    [\n${lines.join("")}    ],\n`;
    });
    return `  ${type}: [\n${months.join("")}  ],\n`;
  });
  return `${HEADER}export const CLIMATOLOGY: Record<"workday" | "weekend", readonly (readonly string[])[]> = {\n${text.join("")}};\n`;
}

const HEADER = `/**
 * Austrian day-ahead prices as they were from 2023-03-01 to 2026-02-28, EUR/MWh. Derived: docs/derive/climatology.ts writes
 * this file. By type of day (public holidays are weekend), month from January, then the 10, 50 and 90 % quantiles, each
 * for the local hours 0 to 23.
 */
`;

const [, script] = process.argv;
if (script !== undefined && import.meta.url === pathToFileURL(script).href)
  process.stdout.write(deriveClimatology(recordedText(HOURLY_PRICES)));
