import { expect, it } from "vitest";
import type { Site } from "../../../src/config/site.js";
import { partFilters, topicsOfRemovedPart } from "../../../src/edges/mqtt/topics/removed-parts.js";
import { createTopics } from "../../../src/edges/mqtt/topics/topics.js";

const plant = {
  batteries: [{ id: "south" }],
  devices: [{ id: "meter" }, { id: "relay" }],
} as Partial<unknown> as Site["plant"];
const gone = (name: string) => topicsOfRemovedPart(name, { id: "home", plant } as Site);

it("the topics of a battery, device or actuator that is gone are known by one of them", () => {
  expect(gone("devices/old/state")).toEqual(
    expect.arrayContaining([
      "devices/old/age_s",
      "devices/old/readings/grid_power_kw",
      "devices/old/readings/soc_pct",
    ]),
  );
  expect(gone("devices/old/readings/of_a_template")).toContain("devices/old/readings/of_a_template");
  expect(gone("batteries/north/discharge/power_kw")).toContain("batteries/north/soc_pct");
  expect(gone("actuators/old/state")).toContain("actuators/old/problem");
});

it("what is present, messages to the gateway and other topics stay", () => {
  const present = [
    "devices/meter/state",
    "batteries/south/soc_pct",
    "actuators/relay/state",
    "actuators/meter/state",
  ];
  const inbound = ["batteries/north/telemetry/soc_pct", "actuators/old/enabled/set"];
  for (const name of [...present, ...inbound, "charge_now", "slots/3/power_kw", "constructor/x/y"])
    expect(gone(name)).toEqual([]);
});

it("an external broker sends them for a filter each", () => {
  expect(partFilters(createTopics("hourgate"))).toEqual([
    "hourgate/+/batteries/+/discharge/power_kw",
    "hourgate/+/devices/+/state",
    "hourgate/+/actuators/+/state",
  ]);
});
