import { readFileSync, writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

/** Draws docs/images/forecast-mae.svg from the tables of docs/research/forecast.md: `npx tsx docs/derive/forecast-plot.ts`. */

const WIDTH = 720;
const HEIGHT = 300;
const LEFT = 50;
const RIGHT = 130;
const TOP = 16;
const BOTTOM = 44;
const MAXIMUM = 25;
const COLOURS = ["#1f5fa8", "#a35b00", "#7a3aa0", "#0a6b45"];

/** MAE in EUR/MWh by lead 1 to 7 for each period with a table on the page. */
export function maeByPeriod(page: string): Map<string, number[]> {
  const periods = new Map<string, number[]>();
  for (const [, year = "", row = ""] of page.matchAll(/^\| (20\d\d) \|((?: [\d.]+, [\d.]+ % \|){7})$/gm))
    periods.set(
      year,
      [...row.matchAll(/([\d.]+),/g)].map((match) => Number(match[1])),
    );
  const months = [...page.matchAll(/^\| [1-7] \| ([\d.]+) \|(?: [^|]+\|){9}$/gm)].map((match) =>
    Number(match[1]),
  );
  periods.set("2025-03 to 2026-02", months);
  return periods;
}

const xOf = (lead: number) => LEFT + ((lead - 1) * (WIDTH - LEFT - RIGHT)) / 6;
const yOf = (mae: number) => HEIGHT - BOTTOM - (mae * (HEIGHT - TOP - BOTTOM)) / MAXIMUM;
const label = (x: number, y: number, text: string, more = "") =>
  `<text x="${x}" y="${y}"${more}>${text}</text>`;

/** The plot as SVG: one line per period; the axis starts at zero. */
export function plot(periods: Map<string, number[]>): string {
  const grid = [0, 5, 10, 15, 20, 25].flatMap((mae) => [
    `<path d="M${LEFT} ${yOf(mae)}H${WIDTH - RIGHT}" stroke="#ddd"/>`,
    label(LEFT - 8, yOf(mae) + 4, String(mae), ' text-anchor="end"'),
  ]);
  const leads = [1, 2, 3, 4, 5, 6, 7].map((lead) =>
    label(xOf(lead), HEIGHT - BOTTOM + 18, String(lead), ' text-anchor="middle"'),
  );
  // Names are listed in a column, highest line first: the line ends are too close together for labels.
  const ranked = [...periods].sort(([, one], [, other]) => (other.at(-1) ?? 0) - (one.at(-1) ?? 0));
  const lines = ranked.flatMap(([name, values], index) => {
    const points = values.map((mae, at) => `${xOf(at + 1).toFixed(1)},${yOf(mae).toFixed(1)}`).join(" ");
    const colour = COLOURS[index % COLOURS.length]!;
    return [
      `<polyline points="${points}" fill="none" stroke="${colour}" stroke-width="2"/>`,
      label(WIDTH - RIGHT + 8, TOP + 16 + index * 18, name, ` fill="${colour}"`),
    ];
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="sans-serif" font-size="12">`,
    "<title>MAE of the price forecast by lead</title>",
    `<rect width="${WIDTH}" height="${HEIGHT}" fill="#fff"/>`,
    ...grid,
    ...leads,
    label(LEFT, HEIGHT - 8, "lead: local days after the last one with published prices; MAE in EUR/MWh"),
    ...lines,
    "</svg>\n",
  ].join("\n");
}

const file = (name: string) => new URL(`../${name}`, import.meta.url);

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href)
  writeFileSync(
    file("images/forecast-mae.svg"),
    plot(maeByPeriod(readFileSync(file("research/forecast.md"), "utf8"))),
  );
