import { expect, it } from "vitest";
import { DeviceDetection } from "../../src/equipment/detection.js";

it("knows evcc by its topics of before and since 2026, once per installation", () => {
  const device = { template: "evcc-battery", name: "evcc", with: { transport: "mqtt", root: "evcc" } };
  for (const topics of [["evcc/site/batteryMode"], ["evcc/site/battery/soc", "evcc/site/battery/power"]]) {
    const detection = new DeviceDetection();
    for (const topic of topics) detection.saw(topic);
    expect(detection.list()).toEqual([device]);
  }
  const detection = new DeviceDetection();
  detection.saw("evcc/site/battery/energy/total");
  expect(detection.list()).toEqual([]);
});
