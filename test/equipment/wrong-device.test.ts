import { expect, it } from "vitest";
import { DeviceError } from "../../src/equipment/command.js";
import { manualClock } from "../support/manual-clock.js";
import { bench } from "./harness.js";

it("sends nothing to another device at the address, and commands its own one when it is back", async () => {
  let isOther = false;
  let state = "OFF";
  let changed = () => {};
  const sent: string[] = [];
  const one = await bench({
    clock: manualClock(new Date("2026-03-02T08:00:00Z")),
    template: "zigbee2mqtt",
    with: { topic: "zigbee2mqtt/boiler" },
    transport: {
      read: async ({ pointer }) => (pointer === "/state" ? { value: state, isNew: true } : undefined),
      onChange: (listener) => {
        changed = listener;
      },
      send: async ({ topic, payload }) => {
        if (!topic!.endsWith("/set")) return;
        state = (JSON.parse(payload!) as { state: string }).state;
        sent.push(state);
        changed();
      },
    },
    changes: {
      refusal: () =>
        isOther ? new DeviceError("wrong_device", "At 192.168.1.80 is another device.") : undefined,
    },
  });
  await one.actuator.start();
  one.want("off");
  await one.pass(60_000);
  isOther = true;
  one.want("on");
  await one.pass(10 * 60_000);
  expect(sent).toEqual([]);
  expect(one.actuator.status().lastError).toMatchObject({ fault: "wrong_device" });
  isOther = false;
  await one.reaches("confirmed");
  expect(sent).toEqual(["ON"]);
  await one.actuator.stop();
});
