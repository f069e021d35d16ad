import { expect, it } from "vitest";
import { dayInterval } from "../../../src/core/time/zone.js";
import { hoursOfDay } from "../../../src/money/ledger/usual-hours.js";

const ZONE = "Europe/Vienna";
/** Days of quarter-hours from midnight on, with 1 kWh at 19:00. */
const days = (count: number) => Array.from({ length: count * 96 }, (_, t) => (t % 96 === 76 ? 1 : 0));
const start = dayInterval("2026-02-02", ZONE).start;

it("knows when a thermostat heats from a week of measured days", () => {
  const hours = hoursOfDay(days(7), { start }, ZONE)!;
  expect(hours[76]).toBe(7);
  expect(hours.reduce((sum, kwh) => sum + kwh, 0)).toBe(7);
  expect(hoursOfDay(days(6), { start }, ZONE)).toBeUndefined();
});

it("leaves out days with gaps, days of rest, and the day on which the clocks change", () => {
  const withGap = days(8).map((kwh, t) => (t === 100 ? undefined : kwh));
  expect(hoursOfDay(withGap, { start }, ZONE)?.[76]).toBe(7);
  expect(hoursOfDay([...days(7), ...new Array<number>(96).fill(0)], { start }, ZONE)?.[76]).toBe(7);
  // 29 March 2026 has 23 hours.
  const spring = dayInterval("2026-03-25", ZONE).start;
  const short = days(4).concat(days(1).slice(0, 92), days(3));
  expect(hoursOfDay(short, { start: spring }, ZONE)?.[76]).toBe(7);
});
