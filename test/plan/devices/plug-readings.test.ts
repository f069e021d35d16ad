import { describe, expect, it } from "vitest";
import { SiteRuntimes } from "../../../src/config/site-runtimes.js";
import type { LiveState, Sample } from "../../../src/core/domain/sample.js";
import { silentLog } from "../../../src/core/log.js";
import { PlugReadings } from "../../../src/plan/devices/plug-readings.js";
import { hour, slotOf, startedFlex } from "../windows/started-flex.js";

const wallbox = slotOf({ window_start_hour: 20, window_end_hour: 7, energy_kwh: 20 });

/** A started link, with the readings of the site and those that were recorded. */
async function linked(slots = [wallbox], live: LiveState = {}) {
  const flex = await startedFlex({ slots });
  const recorded: Sample[] = [];
  const link = new PlugReadings({
    clock: flex.clock,
    bus: flex.bus,
    sites: new SiteRuntimes(flex.bus, [flex.site]),
    telemetry: {
      live: () => live,
      ingest: async (_site, samples) => void recorded.push(...samples),
    },
    flex: flex.service,
    log: silentLog,
  });
  await link.start();
  const read = async (plugged: number, at = flex.clock.now()) => {
    flex.bus.emit("telemetry.received", {
      siteId: "home",
      sample: { at, values: { ev_connected: plugged } },
    });
    await link.settled();
  };
  return { ...flex, link, recorded, read };
}

describe("PlugReadings", () => {
  it("begins and ends stays by the reading ev_connected", async () => {
    const { clock, plan, read } = await linked();
    await read(0);
    expect(plan().plugged).toBe(0);
    await clock.set(hour(2));
    await read(1);
    expect(plan()).toMatchObject({ plugged: 1, stay: { since: hour(2) } });
    // History that is sent later changes nothing.
    await read(0, hour(1));
    expect(plan().plugged).toBe(1);
  });

  it("records a plug that was set as the reading, once", async () => {
    const { clock, service, recorded, link } = await linked();
    await clock.set(hour(3));
    await service.sites.of("home").setPlugged(1, 0);
    await service.sites.of("home").setPlugged(1, 0);
    await service.sites.of("home").request(1, { gridMinutes: 15, count: 1, plugged: 1 });
    await link.stop();
    expect(recorded).toEqual([
      { at: hour(3), values: { ev_connected: 0 } },
      { at: hour(3), values: { ev_connected: 1 } },
    ]);
  });

  it("knows at the start what was read before, but not long ago", async () => {
    const at = (hours: number) => ({ ev_connected: { value: 0, at: hour(hours) } });
    expect((await linked([wallbox], at(-30))).plan().plugged).toBe(0);
    expect((await linked([wallbox], at(-24 * 30))).plan().plugged).toBe(1);
  });

  it("leaves plants with two wallboxes alone", async () => {
    const { plan, read, recorded, service, link } = await linked([wallbox, { ...wallbox, slot: 2 }]);
    await read(0);
    expect(plan(1).plugged).toBe(1);
    await service.sites.of("home").setPlugged(2, 0);
    await link.stop();
    expect(recorded).toEqual([]);
  });
});
