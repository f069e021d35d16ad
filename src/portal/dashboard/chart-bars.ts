import { DAY_MS, floorTo, HOUR_MS, type Interval } from "../../core/domain/interval.js";
import type { Quartile } from "../../core/domain/price.js";
import { BATTERY_COMMANDS, type CommandName } from "../../plan/devices/command-history.js";
import { deviceRuns } from "../../plan/windows/device-runs.js";
import { quartiles } from "../../plan/windows/quartiles.js";
import { type ChartHour, chartHours, type DashboardView } from "./view.js";

/** An hour of the chart, from 24 hours ago on. */
export interface ChartBar extends ChartHour {
  /** Rank of the price within its local day: 1 is the cheapest quarter of the hours. */
  level: Quartile;
  /** Price that one forecast in ten stays below, and that one in ten exceeds, ct/kWh; only of forecast prices. */
  lowCtKwh?: number | undefined;
  highCtKwh?: number | undefined;
}

const NOT_PLANNED = {
  isForecast: false,
  chargeKwh: undefined,
  socEndPct: undefined,
  socP10Pct: undefined,
  socP90Pct: undefined,
  pvKw: undefined,
  loadKw: undefined,
  plan: undefined,
};

/** The published prices of the last 24 hours, then the first `count` hours from now on. */
export function chartBars(house: DashboardView, count: number): ChartBar[] {
  const ahead = chartHours(house, count);
  const nowMs = floorTo(house.now.getTime(), HOUR_MS);
  const endMs = ahead[0] === undefined ? nowMs : floorTo(ahead[0].start.getTime(), HOUR_MS);
  const past: ChartHour[] = [];
  for (let ms = nowMs - DAY_MS; ms < endMs; ms += HOUR_MS) {
    const start = new Date(ms);
    const eurMwh = house.published?.hour(ms);
    if (eurMwh === undefined) continue;
    past.push({
      start,
      end: new Date(ms + HOUR_MS),
      priceCtKwh: house.tariff?.importCtKwh(eurMwh / 10, start) ?? eurMwh / 10,
      ...NOT_PLANNED,
    });
  }
  const [present] = ahead;
  // The part of the current hour that is over.
  if (present !== undefined && present.start.getTime() > endMs)
    past.push({ ...NOT_PLANNED, start: new Date(endMs), end: present.start, priceCtKwh: present.priceCtKwh });
  const hours = [...past, ...ahead];
  const levels = quartiles(
    hours.map(({ start, priceCtKwh }) => ({ start, value: priceCtKwh })),
    house.site.plant.timezone,
  );
  const forecasts = new Map(house.hours?.map((hour) => [hour.start.getTime(), hour]));
  return hours.map((hour, index) => {
    const forecast = hour.isForecast ? forecasts.get(hour.start.getTime()) : undefined;
    const allIn = (eurMwh: number) => house.tariff?.importCtKwh(eurMwh / 10, hour.start) ?? eurMwh / 10;
    return {
      ...hour,
      level: levels[index]!,
      lowCtKwh: forecast && allIn(forecast.p10),
      highCtKwh: forecast && allIn(forecast.p90),
    };
  });
}

/** A row of the chart: when the battery does something, or when a device runs. */
export interface ChartLane {
  /** A lane of the battery, or the label of a device. */
  name: (typeof BATTERY_COMMANDS)[number] | "device";
  label: string | undefined;
  spans: Interval[];
}

/** The lanes that are not empty, within the hours of the chart: what was in force, then what is planned. */
export function chartLanes(house: DashboardView, bars: readonly ChartBar[]): ChartLane[] {
  const end = bars.at(-1)?.end ?? house.now;
  const begin = bars[0]?.start ?? house.now;
  const past = (name: CommandName) =>
    (house.past ?? []).filter((command) => command.name === name && command.end > begin);
  const isIn: Record<(typeof BATTERY_COMMANDS)[number], (bar: ChartBar) => boolean> = {
    charge: ({ plan }) => plan?.action === "grid_charge",
    hold: ({ plan }) => plan?.action === "hold" && plan.mode !== "standby",
    standby: ({ plan }) => plan?.mode === "standby",
    discharge: ({ plan }) => plan?.action === "discharge" || plan?.action === "export",
    block: ({ plan }) => plan?.mode === "block",
  };
  const lanes: ChartLane[] = BATTERY_COMMANDS.map((name) => ({
    name,
    label: undefined,
    spans: [...past(name), ...merged(bars.filter(isIn[name]))],
  }));
  for (const plan of house.slots)
    lanes.push({
      name: "device",
      label: plan.settings.label,
      spans: [...past(plan.slot), ...deviceRuns(plan, house.now, end)],
    });
  return lanes.filter(({ spans }) => spans.length > 0);
}

function merged(bars: readonly Interval[]): Interval[] {
  const spans: Interval[] = [];
  for (const { start, end } of bars) {
    const last = spans.at(-1);
    if (last !== undefined && last.end.getTime() === start.getTime()) last.end = end;
    else spans.push({ start, end });
  }
  return spans;
}
