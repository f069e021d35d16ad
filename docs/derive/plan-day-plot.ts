import { HOUR_MS } from "../../src/domain/interval.js";
import { actualLoad, actualPrices } from "./recorded.js";
import { box, COLOURS, label, path, picture, rowsOf, stairs, through } from "./svg.js";
import { clockHours, days, type Panel, type TimeAxis, ticks, xOn, yOn } from "./time-plot.js";

const SIZE = { width: 720, height: 572 };
const PRICE: Panel = { top: 44, bottom: 204, lowest: -14, highest: 18 };
const POWER: Panel = { top: 244, bottom: 344, lowest: -1.5, highest: 5 };
const STORED: Panel = { top: 384, bottom: 474, lowest: 0, highest: 100 };
const STRIP = { planned: 496, actual: 514, height: 12 };

/** The metered household of the plan. */
export const PLANNED_SITE = "h07_styria_2024";

/** One hour of the plan with the actual values. Prices ct/kWh, energies kWh (charging positive). */
export interface PlannedHour {
  startMs: number;
  published: boolean;
  p10: number;
  p50: number;
  p90: number;
  actual: number;
  expectedLoadKwh: number;
  loadKwh: number;
  plannedKwh: number;
  plannedSocPct: number;
  /** The planned action, and the command of the outputs in that hour. */
  planned: string;
  command: string;
  kwh: number;
  socPct: number;
}

/** The hours of docs/derive/recorded/plan-day.csv, with the recorded prices and the recorded load of the household. */
export function plannedHours(csv: string): PlannedHour[] {
  const rows = rowsOf(csv);
  const startsMs = rows.map((row) => Date.parse(row.start_utc!));
  const prices = actualPrices(startsMs);
  const loadKwh = actualLoad(PLANNED_SITE, startsMs);
  return rows.map((row, t) => {
    const published = row.source === "day_ahead";
    const actual = prices[t]! / 10;
    const price = (forecast: string) => (published ? actual : Number(forecast) / 10);
    return {
      startMs: startsMs[t]!,
      published,
      p10: price(row.p10_eur_mwh!),
      p50: price(row.p50_eur_mwh!),
      p90: price(row.p90_eur_mwh!),
      actual,
      expectedLoadKwh: Number(row.expected_load_kwh),
      loadKwh: loadKwh[t]!,
      plannedKwh: Number(row.planned_ac_kwh),
      plannedSocPct: Number(row.planned_soc_end_pct),
      planned:
        row.planned_action === "grid_charge" ? "charge" : row.planned_action === "hold" ? "hold" : "free",
      command: row.command!,
      kwh: Number(row.ac_kwh),
      socPct: Number(row.soc_end_pct),
    };
  });
}

/** The plan of an afternoon by hour, and the actual values in another colour. */
export function planDayPlot(hours: readonly PlannedHour[]): string {
  const startMs = hours[0]!.startMs;
  const endMs = hours.at(-1)!.startMs + HOUR_MS;
  const axis: TimeAxis = { left: 50, right: SIZE.width - 16, startMs, endMs };
  const edges = [...hours.map((hour) => xOn(axis, hour.startMs)), axis.right];
  const line = (panel: Panel, from: number, to: number, value: (hour: PlannedHour) => number) =>
    stairs(
      edges.slice(from, to + 1),
      hours.slice(from, to).map((hour) => yOn(panel, value(hour))),
    );
  const strips = { top: STRIP.planned, bottom: STRIP.actual + STRIP.height };
  const known = hours.findIndex((hour) => !hour.published);
  const all = hours.length;
  const planned = `stroke="${COLOURS.blue}" stroke-width="2"`;
  const actual = `stroke="${COLOURS.brown}" stroke-width="1.5"`;

  const upper = line(PRICE, known, all, (hour) => hour.p90);
  const lower = stairs(
    edges.slice(known).reverse(),
    hours
      .slice(known)
      .reverse()
      .map((hour) => yOn(PRICE, hour.p10)),
  );
  const prices = [
    `<path d="${upper}${lower.replace("M", "L")}Z" fill="${COLOURS.pale}" fill-opacity="0.6"/>`,
    path(
      line(PRICE, 0, known, (hour) => hour.actual),
      planned,
    ),
    path(
      line(PRICE, known, all, (hour) => hour.p50),
      `${planned} stroke-dasharray="4 3"`,
    ),
    path(
      line(PRICE, known, all, (hour) => hour.actual),
      actual,
    ),
    path(`M${edges[known]!.toFixed(1)} ${PRICE.top}V${PRICE.bottom}`, `stroke="${COLOURS.blue}"`),
    label(edges[known]! - 6, PRICE.bottom - 6, "published", ` text-anchor="end" fill="${COLOURS.blue}"`),
    label(edges[known]! + 6, PRICE.bottom - 6, "forecast", ` fill="${COLOURS.blue}"`),
  ];
  const energies = [
    ...hours.map(({ plannedKwh }, t) => {
      const [top, foot] = [Math.max(0, plannedKwh), Math.min(0, plannedKwh)].map((kwh) => yOn(POWER, kwh));
      return box(edges[t]! + 0.5, top!, edges[t + 1]! - edges[t]! - 1, foot! - top!, `fill="${COLOURS.bar}"`);
    }),
    path(
      line(POWER, 0, all, (hour) => hour.kwh),
      actual,
    ),
  ];
  const soc = (value: (hour: PlannedHour) => number) =>
    through(hours.map((hour, t) => [edges[t + 1]!, yOn(STORED, value(hour))] as const));
  const stored = [
    path(
      soc((hour) => hour.plannedSocPct),
      `${planned} stroke-dasharray="4 3"`,
    ),
    path(
      soc((hour) => hour.socPct),
      actual,
    ),
  ];
  // One box per run of equal commands: adjacent boxes would show gaps.
  const strip = (y: number, command: (hour: PlannedHour) => string) =>
    hours.flatMap((hour, t) => {
      if (t > 0 && command(hours[t - 1]!) === command(hour)) return [];
      const next = hours.findIndex((other, at) => at > t && command(other) !== command(hour));
      const fill = { charge: COLOURS.green, hold: COLOURS.hold }[command(hour)] ?? COLOURS.free;
      return box(edges[t]!, y, edges[next < 0 ? all : next]! - edges[t]!, STRIP.height, `fill="${fill}"`);
    });
  const commands = [
    ...strip(STRIP.planned, (hour) => hour.planned),
    ...strip(STRIP.actual, (hour) => hour.command),
    label(axis.left - 8, STRIP.planned + 10, "plan", ` text-anchor="end" fill="${COLOURS.blue}"`),
    label(axis.left - 8, STRIP.actual + 10, "actual", ` text-anchor="end" fill="${COLOURS.brown}"`),
  ];
  const swatch = (x: number, colour: string, text: string) => [
    box(x, STRIP.actual + 38, 12, 12, `fill="${colour}"`),
    label(x + 18, STRIP.actual + 48, text),
  ];
  const legend = [
    label(axis.left, PRICE.top - 26, "Market price, ct/kWh"),
    label(axis.left, POWER.top - 10, "Battery, kWh per hour: charging positive, discharging negative"),
    label(axis.left, STORED.top - 10, "State of charge, %"),
    label(axis.left + 300, PRICE.top - 26, "as planned on Friday at 14:00", ` fill="${COLOURS.blue}"`),
    label(axis.left + 500, PRICE.top - 26, "actual", ` fill="${COLOURS.brown}"`),
    ...swatch(axis.left, COLOURS.green, "charges from the grid"),
    ...swatch(axis.left + 160, COLOURS.hold, "hold: discharge cap 0"),
    ...swatch(axis.left + 325, COLOURS.free, "free: self-consumption"),
  ];
  return picture(
    {
      ...SIZE,
      title: "A plan made on a Friday at 14:00 and the actual values until Monday night",
      description: `Prices published until Saturday night and forecast afterwards; planned and actual battery energies, state of charge, and commands of ${all} hours.`,
    },
    [
      ...ticks(axis, PRICE, [-10, -5, 0, 5, 10, 15]),
      ...ticks(axis, POWER, [0, 2.5, 5]),
      ...ticks(axis, STORED, [0, 50, 100]),
      ...prices,
      ...energies,
      ...stored,
      ...commands,
      ...days(axis, [PRICE, POWER, STORED, strips], PRICE.top - 6),
      ...clockHours(axis, strips.bottom + 14),
      ...legend,
    ],
  );
}
