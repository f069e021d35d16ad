import { expect, it } from "vitest";
import { defaultSettings } from "../../../src/config/load.js";
import { SiteRuntimes } from "../../../src/config/site-runtimes.js";
import { createBus } from "../../../src/core/bus.js";
import { createDeviceMirror, type PublishedDevice } from "../../../src/edges/mqtt/topics/devices.js";
import { createTopics } from "../../../src/edges/mqtt/topics/topics.js";

const NOW = new Date("2026-01-15T08:20:00Z");
const inverter: PublishedDevice = {
  id: "inverter",
  name: "GEN24",
  template: "fronius-gen24",
  controls: null,
  state: "ok",
  readAt: new Date(NOW.getTime() - 3_400),
  readings: { grid_power_kw: { value: -1.1, unit: "kW" }, soc_pct: { value: null, unit: "%" } },
  command: { planned: "charge" },
};

it("publishes state, age, readings and command of each device, and removes those of a device that is gone", () => {
  const site = { id: "home", accountId: "owner", plant: defaultSettings().plants[0]! };
  const values = new Map<string, string>();
  let devices: PublishedDevice[] = [inverter, { ...inverter, id: "meter", readAt: null, command: null }];
  const publish = createDeviceMirror({
    topics: createTopics("hourgate"),
    sites: new SiteRuntimes(createBus(), [site]),
    clock: { now: () => NOW },
    devices: { list: () => devices, commandDocument: () => ({ state: "confirmed" }) },
    setValue: (topic, payload) => values.set(topic, payload),
  });
  expect(publish("home")).toBe(true);
  const meter = {
    "hourgate/home/devices/meter/state": "ok",
    "hourgate/home/devices/meter/age_s": "",
    "hourgate/home/devices/meter/readings/grid_power_kw": "-1.1",
    "hourgate/home/devices/meter/readings/soc_pct": "",
  };
  expect(Object.fromEntries(values)).toEqual({
    "hourgate/home/devices/inverter/state": "ok",
    "hourgate/home/devices/inverter/age_s": "3",
    "hourgate/home/devices/inverter/readings/grid_power_kw": "-1.1",
    "hourgate/home/devices/inverter/readings/soc_pct": "",
    "hourgate/home/devices/inverter/command": '{"state":"confirmed"}',
    ...meter,
  });
  expect(publish("home")).toBe(false);
  devices = [inverter];
  expect(publish("home")).toBe(true);
  for (const topic of Object.keys(meter)) expect(values.get(topic)).toBe("");
});
