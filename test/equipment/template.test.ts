import { readdirSync } from "node:fs";
import { mkdir, mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ConfigError } from "../../src/config/error.js";
import { DeviceCommands } from "../../src/equipment/device-commands.js";
import { parametersOf } from "../../src/equipment/parameters.js";
import { parseTemplate } from "../../src/equipment/template.js";
import { TemplateLibrary, unknownTemplate } from "../../src/equipment/template-library.js";

const TEMPLATE = `
id: relay
name: { en: Relay, de: Relais }
controls: [slot]
parameters:
  host: { type: string, title: { en: Address, de: Adresse } }
  amps: { type: integer, title: { en: Amperes, de: Ampere }, minimum: 6, maximum: 32, default: 16 }
transports:
  http:
    commands:
      on: [{ url: "http://{{ host }}/on?a={{ amps }}" }]
      off: [{ url: "http://{{ host }}/off" }]
    exit: off
`;

const library = TemplateLibrary.open();

function faultsOf(text: string): string[] {
  try {
    parseTemplate(text, "relay.yaml");
  } catch (error) {
    if (error instanceof ConfigError) return error.message.split("\n");
    throw error;
  }
  return [];
}

describe("actuator templates", () => {
  it.each([
    // Three phases of 16 A at 230 V; the planned power is less than 2 % below.
    ["go-e", { host: "10.0.0.4" }, 11, 11.04],
    ["warp", { prefix: "warp/x" }, 11, 11.04],
    ["openwb2", { chargepoint: 5 }, 11, 11.04],
    ["evcc-loadpoint", { transport: "mqtt" }, 11, 11.04],
    ["evcc-loadpoint", { transport: "mqtt" }, 22, 11.04],
    ["evcc-loadpoint", { transport: "mqtt", max_amps: 32 }, 22, 22.08],
    // 8 kW are 11.6 A: the next smaller ampere.
    ["go-e", { host: "10.0.0.4" }, 8, 7.59],
    ["go-e", { host: "10.0.0.4", phases: 1 }, 3.7, 3.68],
    ["zigbee2mqtt", { topic: "zigbee2mqtt/boiler" }, 2, 2],
  ])("%s takes of a power what it can: %j, %f → %f kW", async (id, given, askedKw, takenKw) => {
    const template = (await library).get(id)!;
    const { transport, values, faults } = parametersOf(template, given);
    expect(faults).toEqual([]);
    const parameters = { ...values, plant: "home", actuator: "one" };
    const device = new DeviceCommands({ template, transport, control: "slot", parameters });
    expect(device.takenKw(askedKw)).toBe(takenKw);
  });

  it("are all read in turns of the event loop of their own", async () => {
    const library = await TemplateLibrary.open();
    let turns = 0;
    let isOver = false;
    const count = () => {
      turns++;
      if (!isOver) setImmediate(count);
    };
    setImmediate(count);
    await library.readAll();
    isOver = true;
    expect(turns).toBeGreaterThanOrEqual(library.ids().length - 1);
  });

  it("reads every shipped template", async () => {
    const library = await TemplateLibrary.open();
    const templates = library.all();
    expect(library.problems).toEqual([]);
    // As the build writes them.
    expect(JSON.parse(JSON.stringify(templates))).toStrictEqual(templates);
    expect(templates.map(({ id }) => `${id}.yaml`).sort()).toEqual(
      readdirSync(join(import.meta.dirname, "../../config/devices")).sort(),
    );
    // An unquoted comma in a YAML list would cut a sentence in two.
    const sentences = templates.flatMap(({ requirements, hazards }) =>
      [requirements, hazards].flatMap((texts) => [...(texts?.de ?? []), ...(texts?.en ?? [])]),
    );
    expect(sentences.filter((text) => !text.endsWith("."))).toEqual([]);
  });

  it.each([
    [
      "{{ host }}/off",
      "{{ hots }}/off",
      /relay.yaml:12: transports.http.commands.off.0.url: .*unknown value "hots".*Did you mean "host"/,
    ],
    [
      "{{ host }}/off",
      "{{ host | frobnicate }}/off",
      /commands.off.0.url: is not a valid expression: .*frobnicate/,
    ],
    ["exit: off", "exit: normal", /transports.http.exit: is not a state; known here are off, on, none/],
    ["exit: off", "exti: off", /transports.http.exti: is not a known key/],
    ["controls: [slot]", "controls: [slots]", /controls.0: must be one of battery, slot/],
    [
      "exit: off",
      "read: [{ topic: x, expect: { on: 1 } }]",
      /needs the key url, since its transport is http/,
    ],
    [
      "exit: off",
      "read: [{ url: x, regex: '(', expect: { on: 1 } }]",
      /regex: is not a valid regular expression/,
    ],
  ])("names the fault of %s → %s", (from, to, sentence) => {
    expect(faultsOf(TEMPLATE)).toEqual([]);
    expect(faultsOf(TEMPLATE.replace(from, to)).join("\n")).toMatch(sentence);
  });

  it("fills in defaults and names wrong parameters", () => {
    const template = parseTemplate(TEMPLATE, "relay.yaml");
    expect(parametersOf(template, { host: "10.0.0.4" })).toEqual({
      transport: "http",
      values: { host: "10.0.0.4", amps: 16 },
      faults: [],
    });
    const { faults } = parametersOf(template, { amps: 5, hots: "x", transport: "mqtt" });
    expect(faults.map(({ name }) => name).sort()).toEqual(["amps", "host", "hots", "transport"]);
  });

  it.each([
    ["http://10.0.0.4/", "10.0.0.4"],
    [" 10.0.0.4:8080 ", "10.0.0.4:8080"],
    ["shelly-1.local", "shelly-1.local"],
    ["[fe80::1]:80", "[fe80::1]:80"],
    ["https://10.0.0.4", undefined],
    ["10.0.0.4/status", undefined],
    ["10.0.0.4:99999", undefined],
    ["10.0.0.4:0", undefined],
    ["boiler room", undefined],
  ])("takes the address %j of a browser's address bar as %j", (host, used) => {
    const { values, faults } = parametersOf(parseTemplate(TEMPLATE, "relay.yaml"), { host });
    if (used === undefined)
      expect(faults).toMatchObject([{ name: "host", message: /such as 192\.168\.1\.80/ }]);
    else expect([values.host, faults]).toEqual([used, []]);
  });

  it("suggests the template that a device may mean", () => {
    expect(unknownTemplate("fronius-gen42", ["evcc", "fronius-gen24"]).message).toBe(
      'There is no template "fronius-gen42". Did you mean "fronius-gen24"? Known are evcc, fronius-gen24.',
    );
  });

  it("leaves a host alone that is a part of a template's own address", () => {
    const template = parseTemplate(TEMPLATE.replaceAll("http://{{ host }}", "{{ host }}"), "relay.yaml");
    const { values, faults } = parametersOf(template, { host: "http://10.0.0.4/relay" });
    expect([values.host, faults]).toEqual(["http://10.0.0.4/relay", []]);
  });

  it("needs the parameters of commands only of a device that takes commands", () => {
    const needed =
      'serial: { type: string, pattern: "^[0-9]+$", commands_only: true, title: { en: S, de: S } }';
    const template = parseTemplate(TEMPLATE.replace("  amps:", `  ${needed}\n  amps:`), "relay.yaml");
    const faultsWith = (given: Record<string, unknown>, isReadOnly: boolean) =>
      parametersOf(template, { host: "10.0.0.4", ...given }, { isReadOnly }).faults.map(({ name }) => name);
    expect(faultsWith({}, false)).toEqual(["serial"]);
    expect(faultsWith({}, true)).toEqual([]);
    expect(faultsWith({ serial: "x" }, true)).toEqual(["serial"]);
  });

  it("prefers a user's template and reports a damaged one without losing the others", async () => {
    const folder = join(await mkdtemp(join(tmpdir(), "templates-")), "actuators");
    await mkdir(folder);
    await writeFile(join(folder, "relay.yaml"), TEMPLATE);
    await writeFile(join(folder, "http.yaml"), "id: [");
    const library = await TemplateLibrary.open(folder);
    const { problems } = library;
    expect(library.get("relay")?.id).toBe("relay");
    // The shipped one of the damaged file's name.
    expect(library.get("http")?.id).toBe("http");
    expect(problems.every(({ file }) => file === join(folder, "http.yaml"))).toBe(true);
    expect(problems.length).toBeGreaterThan(0);
  });
});
