import { expect, it, onTestFinished } from "vitest";
import { defaultSettings } from "../../src/config/load.js";
import { newDevice } from "../../src/config/new-device.js";
import type { DeviceSettings } from "../../src/config/settings.js";
import type { Site } from "../../src/config/site.js";
import { SiteRuntimes } from "../../src/config/site-runtimes.js";
import { HOUR_MS, MINUTE_MS, QUARTER_MS } from "../../src/core/domain/interval.js";
import { HealthRegistry } from "../../src/core/health-registry.js";
import { silentLog } from "../../src/core/log.js";
import { VIENNA } from "../../src/core/time/zone.js";
import { ActuatorService } from "../../src/equipment/service.js";
import { SlotSwitches } from "../../src/equipment/slot-switches.js";
import { TemplateLibrary } from "../../src/equipment/template-library.js";
import { Addresses } from "../../src/equipment/transport/addresses.js";
import { memoryDocuments } from "../api/fake-services.js";
import { MIDNIGHT, slotOf, startedFlex } from "../plan/windows/started-flex.js";

const DEVICE: DeviceSettings = {
  ...newDevice("zigbee2mqtt", { devices: [] }),
  id: "boiler",
  controls: "slot 1",
  with: { topic: "zigbee2mqtt/boiler" },
  dry_run: false,
  min_dwell_s: null,
};

/** A relay of zigbee2mqtt that answers at once, with the times of its commands in hours since midnight. */
function relay(nowMs: () => number) {
  let state = "OFF";
  let onMessage: (topic: string, payload: string, retained: boolean) => void = () => {};
  const switched: [at: number, state: string][] = [];
  return {
    switched,
    channel: {
      isConnected: true,
      publish: async (topic: string, payload: string) => {
        const wanted = topic.endsWith("/set") ? (JSON.parse(payload) as { state: string }).state : state;
        if (wanted !== state) switched.push([(nowMs() - MIDNIGHT.getTime()) / HOUR_MS, wanted]);
        state = wanted;
        onMessage("zigbee2mqtt/boiler", JSON.stringify({ state }), false);
      },
      subscribe: (_: readonly string[], listener: typeof onMessage) => {
        onMessage = listener;
        return () => {};
      },
      onConnection: () => () => {},
    },
  };
}

/** The plan of one night, the service of the actuators and the budget between them, on a clock of the test. */
async function night(quarters: readonly number[]) {
  let switches: SlotSwitches | undefined;
  const flex = await startedFlex({
    slots: [
      slotOf({
        power_kw: 2,
        hours: 2.5,
        window_start_hour: 0,
        window_end_hour: 8,
        kind: "boiler",
        min_run_minutes: 15,
      }),
    ],
    quarters,
    startBudget: () => switches?.startBudget("home", 1),
  });
  const { clock, bus, service } = flex;
  const plant = { ...defaultSettings().plants[0]!, timezone: VIENNA, devices: [DEVICE] };
  const site: Site = { id: "home", accountId: "a", plant };
  const device = relay(() => clock.now().getTime());
  const actuators = new ActuatorService({
    commander: { isCommanding: true, onChange: () => () => {} },
    clock,
    bus,
    components: new HealthRegistry(clock),
    documents: memoryDocuments(),
    sites: { list: () => [site], get: () => site },
    settings: { allow_public: false, tenant_templates: [], tenant_hosts: [] },
    templates: await TemplateLibrary.open(),
    plan: () => undefined,
    slots: (siteId) => service.current(siteId),
    live: () => ({}),
    watch: () => () => {},
    addresses: new Addresses(),
    isUnrestricted: () => true,
    channel: device.channel,
    connect: () => {
      throw new Error("The device is on the gateway's broker.");
    },
    random: () => 0.5,
    log: silentLog,
  });
  switches = new SlotSwitches({ clock, bus, sites: new SiteRuntimes(bus, [site]) });
  switches.start(actuators);
  await actuators.start();
  onTestFinished(async () => {
    await actuators.stop();
    await switches?.stop();
    await service.stop();
  });
  return { ...flex, device, actuators };
}

it("switches within a second of each quarter-hour, and makes all runs of prices that fall within each hour", async () => {
  // Hours that become dearer, each falling from its first to its last quarter: eight runs are the cheapest.
  const quarters = Array.from(
    { length: 96 },
    (_, n) => (n < 32 ? 8 : 17) + 0.05 * Math.floor(n / 4) + [1.4, 0.5, -0.5, -1.4][n % 4]!,
  );
  const { clock, device, windows, actuators } = await night(quarters);
  const planned = windows();
  expect(planned).toHaveLength(8);
  for (let minute = 0; minute < 9 * 60; minute++) await clock.advance(MINUTE_MS);
  const edges = planned.flatMap(([start, end]) => [
    [start, "ON"],
    [end, "OFF"],
  ]);
  expect(device.switched.map(([, state]) => state)).toEqual(edges.map(([, state]) => state));
  for (const [index, [at]] of device.switched.entries()) {
    const lateMs = (at - Number(edges[index]![0])) * HOUR_MS;
    expect(lateMs).toBeGreaterThanOrEqual(0);
    expect(lateMs).toBeLessThan(1_000);
  }
  expect(actuators.list("home")[0]).toMatchObject({ writesToday: 16, lastError: null });
});

it("needs no time to pass between the quarter-hour and the command", async () => {
  const { clock, device, windows } = await night(
    Array.from({ length: 96 }, (_, n) => (n >= 8 && n < 18 ? 1 : 9)),
  );
  expect(windows()).toEqual([[2, 4.5]]);
  await clock.set(new Date(MIDNIGHT.getTime() + 8 * QUARTER_MS - 1));
  expect(device.switched).toEqual([]);
  // The clock runs what is due at this moment, and stands still then.
  await clock.set(new Date(MIDNIGHT.getTime() + 8 * QUARTER_MS));
  expect(device.switched).toEqual([[2, "ON"]]);
});
