import { expect, it } from "vitest";
import { parse } from "../../../src/config/load.js";
import { examineDevices } from "../../../src/ops/doctor/devices.js";
import { textsOf } from "../../../src/texts/index.js";
import { FAMILIES } from "../../equipment/simulated/families.js";
import { NOON } from "../../equipment/simulated/home.js";

const family = FAMILIES.find(({ template }) => template === "fronius-gen24")!;
const texts = textsOf("en").doctor;

function examined(devices: object[], gateway: "running" | "none" = "none") {
  const { settings } = parse(JSON.stringify({ plants: [{ id: "home", devices }] }));
  return examineDevices(settings, { gateway, limitMs: 30_000, texts });
}

it("says of each device whether it is reached, is the right one and fits its template", async () => {
  const running = await family.start(() => NOON);
  const device = { template: "fronius-gen24", with: running.with };
  const found = await examined([
    { ...device, id: "right" },
    { ...device, id: "replaced", serial: "4711" },
    { ...device, id: "sungrow", template: "sungrow-sh" },
    { ...device, id: "gone", with: { host: "127.0.0.1", port: 9 } },
    { id: "mqtt", template: "tasmota-sml", with: { transport: "mqtt", topic: "meter" } },
  ]);
  await running.stop();
  expect(Object.fromEntries(found.map(({ what, ...one }) => [what, one]))).toEqual({
    "device home/right": {
      verdict: "ok",
      sentence: expect.stringMatching(/GEN24.* answers with \d+ readings/),
    },
    "device home/replaced": {
      verdict: "bad",
      sentence: expect.stringMatching(/instead of 4711.*devices find/),
    },
    "device home/sungrow": {
      verdict: "bad",
      sentence: expect.stringMatching(/as "sungrow-sh".*fronius-gen24/),
    },
    "device home/gone": { verdict: "bad", sentence: expect.stringMatching(/does not answer.*refused/) },
    "device home/mqtt": { verdict: "note", sentence: expect.stringMatching(/running gateway/) },
  });
});

it("leaves the devices of a running gateway alone", async () => {
  expect(
    await examined([{ id: "any", template: "fronius-gen24", with: { host: "127.0.0.1" } }], "running"),
  ).toEqual([]);
});
