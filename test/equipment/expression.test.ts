import { afterEach, describe, expect, it, vi } from "vitest";
import { DeviceCommands } from "../../src/equipment/device-commands.js";
import { render } from "../../src/equipment/expression.js";
import { parseTemplate } from "../../src/equipment/template.js";
import { wantedState } from "../../src/equipment/wanted.js";

afterEach(() => vi.restoreAllMocks());

describe("expressions", () => {
  it("are computed however long the computer was busy or asleep meanwhile", () => {
    let ms = 0;
    vi.spyOn(performance, "now").mockImplementation(() => (ms += 60_000));
    expect(render("{{ power_kw | times: 1000 }}{% if power_kw > 1 %} W{% endif %}", { power_kw: 2 })).toBe(
      "2000 W",
    );
  });

  it("that cannot be computed yet are a fault of their command, not of who asks for the state", () => {
    const template = parseTemplate(
      `
id: relay
name: { en: Relay, de: Relais }
controls: [slot]
parameters: {}
transports:
  http:
    found:
      mode: { url: "http://192.168.1.2/mode" }
    commands:
      on: [{ url: "http://192.168.1.2/on" }]
      off: [{ url: "http://192.168.1.2/{{ found.mode }}" }]
    exit: off
`,
      "relay.yaml",
    );
    const device = new DeviceCommands({ template, transport: "http", control: "slot", parameters: {} });
    const off = wantedState("off", { isByHand: true });
    expect(device.possible(off)).toEqual(off);
    expect(() => device.requests(off)).toThrow("found.mode");
  });
});
