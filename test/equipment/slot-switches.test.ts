import { expect, it } from "vitest";
import { parse } from "../../src/config/load.js";
import { SiteRuntimes } from "../../src/config/site-runtimes.js";
import { createBus } from "../../src/core/bus.js";
import { MINUTE_MS } from "../../src/core/domain/interval.js";
import { SlotSwitches } from "../../src/equipment/slot-switches.js";
import { manualClock } from "../support/manual-clock.js";

const NOON = new Date("2026-06-15T12:00:00Z");
const { settings } = parse("plants: [{ id: home }]");

function started() {
  const clock = manualClock(NOON);
  const bus = createBus();
  const sites = new SiteRuntimes(bus, [{ id: "home", accountId: "a", plant: settings.plants[0]! }]);
  const switches = new SlotSwitches({ clock, bus, sites });
  const actuator = {
    id: "boiler",
    controls: "slot 3",
    enabled: true,
    dryRun: false,
    accepted: null,
    writesToday: 0,
    maxWritesPerDay: 20,
  };
  let state = { ...actuator, confirmed: null as { state: string; powerKw: number; at: Date } | null };
  switches.start({
    list: () => [state],
    takenKw: (_site, id, askedKw) => (id === "boiler" ? 11.04 : askedKw),
  });
  const change = (next: Partial<typeof state>) => {
    state = { ...state, ...next };
    bus.emit("actuator.changed", { siteId: "home", id: "boiler", controls: "slot 3", obstacle: undefined });
  };
  const confirm = (of: string | null) =>
    change({ confirmed: of === null ? null : { state: of, powerKw: 0, at: clock.now() } });
  const hours = (minutes: number) =>
    switches.confirmedHours("home", 3, new Date(clock.now().getTime() - minutes * MINUTE_MS));
  return { clock, switches, change, confirm, hours };
}

it("counts the time for which a device confirmed that it is on", async () => {
  const { clock, confirm, hours, switches, change } = started();
  expect([hours(15), switches.confirmedHours("home", 1, NOON)]).toEqual([0, undefined]);
  confirm("on");
  await clock.advance(15 * MINUTE_MS);
  expect(hours(15)).toBe(0.25);
  // A lease that is renewed, or another power.
  confirm("on");
  await clock.advance(3 * MINUTE_MS);
  confirm("off");
  await clock.advance(12 * MINUTE_MS);
  expect(hours(15)).toBeCloseTo(0.05, 9);
  change({ dryRun: true });
  expect(hours(15)).toBeUndefined();
});

it("does not count a device that cannot be reached", async () => {
  const { clock, confirm, hours } = started();
  confirm("on");
  await clock.advance(5 * MINUTE_MS);
  confirm(null);
  await clock.advance(10 * MINUTE_MS);
  expect(hours(15)).toBeCloseTo(5 / 60, 9);
});

it("has the starts that the commands of the day are enough for, with two in reserve", () => {
  const { switches, change, confirm } = started();
  const budget = () => switches.startBudget("home", 3);
  expect(budget()).toEqual({ leftToday: 9, perDay: 9 });
  change({ writesToday: 5 });
  expect(budget()?.leftToday).toBe(6);
  // The run that has begun also ends.
  confirm("on");
  expect(budget()?.leftToday).toBe(6);
  change({ writesToday: 6 });
  expect(budget()?.leftToday).toBe(5);
  change({ writesToday: 30 });
  expect(budget()).toEqual({ leftToday: 0, perDay: 9 });
  expect(switches.startBudget("home", 1)).toBeUndefined();
});

it("has the power that the device takes", () => {
  const { switches, change } = started();
  expect([switches.takenKw("home", 3, 11), switches.takenKw("home", 1, 11)]).toEqual([11.04, 11]);
  change({ dryRun: true });
  expect(switches.takenKw("home", 3, 11)).toBe(11);
});
