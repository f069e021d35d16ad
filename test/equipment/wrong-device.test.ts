import { expect, it } from "vitest";
import { DeviceError } from "../../src/equipment/command.js";
import { valueIn } from "../../src/equipment/values.js";
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

it.each([
  [
    "evcc-loadpoint",
    { loadpoint: 3 },
    { "evcc/status": "online", "evcc/updated": "1", "evcc/loadpoints": "2" },
  ],
  // As evcc 0.313 answers over HTTP.
  [
    "evcc-loadpoint",
    { transport: "http", url: "http://10.0.0.9", loadpoint: 3 },
    { length: "2", mode: "null", maxCurrent: "null" },
  ],
  ["tasmota", { topic: "boiler" }, { "tele/boiler/LWT": "Online", "stat/boiler/RESULT": '{"POWER3":"OFF"}' }],
  // As a Shelly with one relay answers over RPC.
  [
    "shelly-gen2",
    { transport: "mqtt", topic: "shelly", channel: 1 },
    {
      "shelly/online": "true",
      "shelly/hourgate/rpc": '{"id":2,"error":{"code":-105,"message":"not found"}}',
    },
  ],
] as const)("sends nothing to a part that the device lacks: %s %j", async (template, given, values) => {
  const clock = manualClock(new Date("2026-01-15T08:00:00Z"));
  const shown = new Map<string, string>(Object.entries(values));
  const sent: string[] = [];
  const one = await bench({
    clock,
    template,
    with: given,
    transport: {
      read: async (source) => {
        const text = shown.get(source.topic ?? /[a-zA-Z]+$/.exec(source.url?.replace("%7C", ".") ?? "")![0]);
        const value = text && valueIn(text, source);
        return value === undefined ? undefined : { value, isNew: true };
      },
      send: async ({ topic, url }) => {
        sent.push(topic ?? url ?? "");
      },
    },
  });
  await one.actuator.start();
  one.want("on", { powerKw: 11 });
  await one.pass(60_000);
  expect(one.phase()).toBe("misconfigured");
  expect(one.actuator.status().lastError?.fault).toBe("absent");
  expect(sent).toEqual([]);
  if (template !== "evcc-loadpoint" || "url" in given) return;
  // It was added in evcc.
  shown.set("evcc/loadpoints", "3").set("evcc/loadpoints/3/mode", "pv");
  shown.set("evcc/loadpoints/3/maxCurrent", "16");
  await one.pass(15_000);
  expect(sent.slice(0, 2)).toEqual(["evcc/loadpoints/3/maxCurrent/set", "evcc/loadpoints/3/mode/set"]);
  await one.actuator.stop();
});
