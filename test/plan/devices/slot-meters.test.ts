import { describe, expect, it } from "vitest";
import { parse } from "../../../src/config/load.js";
import { SiteRuntimes } from "../../../src/config/site-runtimes.js";
import { createBus } from "../../../src/core/bus.js";
import { HOUR_MS, MINUTE_MS } from "../../../src/core/domain/interval.js";
import type { LiveState, Sample } from "../../../src/core/domain/sample.js";
import { SlotMeters } from "../../../src/plan/devices/slot-meters.js";
import { manualClock } from "../../support/manual-clock.js";

const NOON = new Date("2026-06-15T12:00:00Z");
const { settings } = parse(
  "plants: [{ id: home, slots: [{ slot: 1, kind: wallbox }, { slot: 2, kind: boiler }] }]",
);

function started(live: LiveState = {}) {
  const clock = manualClock(NOON);
  const bus = createBus();
  const sites = new SiteRuntimes(bus, [{ id: "home", accountId: "a", plant: settings.plants[0]! }]);
  const meters = new SlotMeters({ clock, bus, sites, telemetry: { live: () => live } });
  meters.start();
  return {
    clock,
    read: (values: Sample["values"]) =>
      bus.emit("telemetry.received", { siteId: "home", sample: { at: clock.now(), values } }),
    kwh: (slot: number, minutesAgo: number) => {
      const from = new Date(clock.now().getTime() - minutesAgo * MINUTE_MS);
      return meters.delivered("home", slot, from);
    },
  };
}

describe("the energy that the device of a slot took", () => {
  it("is the difference of its counter, whatever its power says", async () => {
    const { clock, read, kwh } = started();
    read({ slot_1_energy_kwh: 1000, slot_1_power_kw: 11 });
    await clock.advance(15 * MINUTE_MS);
    read({ slot_1_energy_kwh: 1002.5, slot_1_power_kw: 11 });
    expect(kwh(1, 15)).toEqual({ kwh: 2.5, isMeasured: true });
  });

  it("of a counter that is rarely read is counted when it becomes known", async () => {
    const { clock, read, kwh } = started({ slot_1_energy_kwh: { value: 10, at: NOON } });
    await clock.advance(15 * MINUTE_MS);
    // Nothing yet, and no word that it takes nothing.
    expect(kwh(1, 15)).toEqual({ kwh: 0, isMeasured: false });
    await clock.advance(40 * MINUTE_MS);
    read({ slot_1_energy_kwh: 18 });
    await clock.advance(5 * MINUTE_MS);
    expect(kwh(1, 15)).toEqual({ kwh: 8, isMeasured: true });
  });

  it("goes on from the counter before a restart", async () => {
    const { clock, read, kwh } = started({
      slot_1_energy_kwh: { value: 10, at: new Date(NOON.getTime() - HOUR_MS) },
    });
    await clock.advance(2 * MINUTE_MS);
    read({ slot_1_energy_kwh: 14 });
    expect(kwh(1, 2)?.kwh).toBe(4);
  });

  // https://github.com/steff393/wbec/issues/132
  it("is not negative where a counter was set back by a power failure", async () => {
    const { clock, read, kwh } = started();
    read({ slot_1_energy_kwh: 532 });
    await clock.advance(5 * MINUTE_MS);
    read({ slot_1_energy_kwh: 264.9 });
    await clock.advance(5 * MINUTE_MS);
    read({ slot_1_energy_kwh: 265.9 });
    await clock.advance(5 * MINUTE_MS);
    expect(kwh(1, 15)?.kwh).toBeCloseTo(1, 9);
  });

  it("is the power over time without a counter, for the only wallbox also that of the vehicles", async () => {
    const { clock, read, kwh } = started();
    read({ ev_power_kw: 8, slot_2_power_kw: 2 });
    await clock.advance(5 * MINUTE_MS);
    read({ ev_power_kw: 2, slot_2_power_kw: 0 });
    await clock.advance(10 * MINUTE_MS);
    expect(kwh(1, 15)?.kwh).toBeCloseTo(8 / 12 + 2 / 6, 9);
    expect(kwh(2, 15)?.kwh).toBeCloseTo(2 / 12, 9);
  });

  it("is not known when readings cease, but a device at rest may be silent", async () => {
    const { clock, read, kwh } = started();
    read({ slot_1_power_kw: 7, slot_2_power_kw: 0 });
    await clock.advance(HOUR_MS);
    expect(kwh(1, 15)).toBeUndefined();
    expect(kwh(2, 15)).toEqual({ kwh: 0, isMeasured: false });
    expect(kwh(3, 15)).toBeUndefined();
  });

  it("before the first reading is as much as after it", async () => {
    const { clock, read, kwh } = started();
    await clock.advance(10 * MINUTE_MS);
    read({ slot_1_power_kw: 7 });
    expect(kwh(1, 15)).toBeUndefined();
    await clock.advance(5 * MINUTE_MS);
    expect(kwh(1, 15)?.kwh).toBeCloseTo(7 / 4, 9);
    expect(kwh(1, 5)?.kwh).toBeCloseTo(7 / 12, 9);
  });

  it("is not counted twice when a counter comes back after its power was used", async () => {
    const { clock, read, kwh } = started();
    read({ slot_1_energy_kwh: 100, slot_1_power_kw: 4 });
    for (let quarter = 0; quarter < 8; quarter++) {
      await clock.advance(15 * MINUTE_MS);
      read({ slot_1_power_kw: 4 });
    }
    const byPower = kwh(1, 120)!.kwh!;
    expect(byPower).toBeGreaterThan(2);
    read({ slot_1_energy_kwh: 108 });
    expect(kwh(1, 120)?.kwh).toBeCloseTo(8, 9);
  });
});
