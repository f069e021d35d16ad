import { expect, it } from "vitest";
import { DeviceCommands } from "../../src/equipment/device-commands.js";
import { parametersOf } from "../../src/equipment/parameters.js";
import { TemplateLibrary } from "../../src/equipment/template-library.js";
import { wantedState } from "../../src/equipment/wanted.js";

it.each(["shelly-gen2", "shelly-gen1"])(
  "lets the relay that blocks alone end first when nobody renews both (%s)",
  async (transport) => {
    const template = (await TemplateLibrary.open()).get("sg-ready")!;
    const given = { transport, relay_1: "10.0.0.1", relay_2: "10.0.0.2", force_allowed: true };
    const { values } = parametersOf(template, given);
    const parameters = { ...values, plant: "home", actuator: "pump" };
    const pump = new DeviceCommands({ template, transport, control: "sg_ready", parameters });
    const seconds = pump.requests(wantedState("force")).map(({ url = "", body = "" }) => {
      const [, host] = /10\.0\.0\.(\d)/.exec(url)!;
      return [host, Number(/(?:toggle_after":|timer=)(\d+)/.exec(url + body)![1])];
    });
    expect(seconds).toEqual([
      ["2", 1800],
      ["1", 1795],
    ]);
  },
);
