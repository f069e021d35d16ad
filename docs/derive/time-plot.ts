import { addDays, dayInterval, localDate, localTime, VIENNA } from "../../src/core/time/zone.js";
import { COLOURS, label, path } from "./svg.js";

/** The horizontal axis of a plot: maps instants to x coordinates. */
export interface TimeAxis {
  left: number;
  right: number;
  startMs: number;
  endMs: number;
}

/** The vertical axis of one of several stacked plots: maps values to y coordinates. */
export interface Panel {
  top: number;
  bottom: number;
  lowest: number;
  highest: number;
}

export const xOn = ({ left, right, startMs, endMs }: TimeAxis, atMs: number) =>
  left + ((right - left) * (atMs - startMs)) / (endMs - startMs);

export const yOn = ({ top, bottom, lowest, highest }: Panel, value: number) =>
  bottom - ((bottom - top) * (value - lowest)) / (highest - lowest);

/** The grid lines of a panel with their values; zero is highlighted. */
export function ticks(axis: TimeAxis, panel: Panel, values: readonly number[]): string[] {
  return values.flatMap((value) => {
    const y = yOn(panel, value);
    return [
      path(`M${axis.left} ${y.toFixed(1)}H${axis.right}`, `stroke="${value === 0 ? "#999" : COLOURS.line}"`),
      label(axis.left - 8, y + 4, String(value).replace("-", "−"), ' text-anchor="end"'),
    ];
  });
}

const WEEKDAYS = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];
const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** The local days of the axis: a line at each midnight in every panel, and the names at `nameY` if there is space. */
export function days(
  axis: TimeAxis,
  panels: readonly Pick<Panel, "top" | "bottom">[],
  nameY: number,
): string[] {
  const parts: string[] = [];
  const last = localDate(new Date(axis.endMs - 1), VIENNA);
  for (let date = localDate(new Date(axis.startMs), VIENNA); date <= last; date = addDays(date, 1)) {
    const day = dayInterval(date, VIENNA);
    const from = xOn(axis, Math.max(axis.startMs, day.start.getTime()));
    const to = xOn(axis, Math.min(axis.endMs, day.end.getTime()));
    const { weekday, day: number, month } = localTime(day.start, VIENNA);
    if (day.start.getTime() > axis.startMs)
      for (const { top, bottom } of panels)
        parts.push(path(`M${from.toFixed(1)} ${top}V${bottom}`, 'stroke="#bbb" stroke-dasharray="2 3"'));
    const name = `${WEEKDAYS[weekday - 1]} ${number} ${MONTHS[month - 1]}`;
    if (to - from > 60) parts.push(label((from + to) / 2, nameY, name, ' text-anchor="middle"'));
  }
  return parts;
}

/** Labels for the hours 0, 6, 12 and 18. */
export function clockHours(axis: TimeAxis, y: number): string[] {
  const parts: string[] = [];
  for (let atMs = axis.startMs; atMs <= axis.endMs; atMs += 3_600_000) {
    const { hour } = localTime(new Date(atMs), VIENNA);
    if (hour % 6 === 0) parts.push(label(xOn(axis, atMs), y, String(hour), ' text-anchor="middle"'));
  }
  return parts;
}
