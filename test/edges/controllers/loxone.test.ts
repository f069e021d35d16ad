import { expect, it } from "vitest";
import { type LoxoneFileOptions, loxoneFile } from "../../../src/edges/controllers/loxone.js";

const options: LoxoneFileOptions = {
  kind: "http-input",
  siteId: "home",
  siteName: 'Haus "Süd" <1>',
  baseUrl: "http://192.168.1.20:8080",
  token: "abcdefghijklmnopqrstuvwxyz012345",
  slots: [
    { slot: 1, label: "", enabled: true },
    { slot: 3, label: `Wallbox & ${"Garage ".repeat(10)}`, enabled: true },
  ],
};

/** A line of the gateway with keys that could be confused. */
const LINE =
  "HG;OK=1;AGE=12;O1=1;O2=4.6;O3=2.25;O4=1.5;O5=10.3;O6=-1;O7=4;O8=21.37;O9=87.12;O10=0;O11=10;O12=3.5;O13=1;O14=5;O15=-1;O16=0;" +
  "PRICE=-1.37;SOC=55.5;SOC_AGE=3;HOURS=2.25;HOURS_TODAY=1.5;NEXT=-1;CAP=3.5;" +
  "S1=0;S2=0;S3=1;S4=0;S5=0;S6=0;S7=0;S8=0;N1=-1;N2=-1;N3=95;N4=-1;N5=-1;N6=-1;N7=-1;N8=-1\n";

/** Search in text by Loxone's rules: `\i…\i` skips to the end of the match, `\v` reads a decimal number. */
function search(text: string, check: string): number | undefined {
  let at = 0;
  for (const [, jump, value, literal] of check.matchAll(/\\i(.*?)\\i|(\\v)|([^\\]+)/g)) {
    if (jump !== undefined) {
      const found = text.indexOf(jump, at);
      if (found < 0) return undefined;
      at = found + jump.length;
    } else if (value !== undefined) {
      const number = /^\s*[-+]?\d+(?:\.\d+)?/.exec(text.slice(at))?.[0];
      return number === undefined ? undefined : Number(number);
    } else if (literal !== undefined) {
      if (!text.startsWith(literal, at)) return undefined;
      at += literal.length;
    }
  }
  return undefined;
}

/** The elements of a template with their attributes unescaped; throws for anything else than tags with attributes. */
function elements(content: string): { name: string; attributes: Record<string, string> }[] {
  const entities: Record<string, string> = { lt: "<", gt: ">", amp: "&", quot: '"' };
  return content
    .split("\r\n")
    .slice(1, -1)
    .filter((line) => !line.startsWith("</"))
    .map((line) => {
      const tag = /^\t?<(\w+)((?: \w+="[^"<>]*")*)\/?>$/.exec(line);
      if (tag === null) throw new Error(`This is no element: ${line}`);
      const attributes = [...tag[2]!.matchAll(/ (\w+)="([^"]*)"/g)].map(([, name, value]) => [
        name,
        value!.replace(/&(\w+);/g, (_, entity: string) => entities[entity]!),
      ]);
      return { name: tag[1]!, attributes: Object.fromEntries(attributes) };
    });
}

it("creates a template of inputs that find each value of the line", () => {
  const { filename, content } = loxoneFile(options);
  expect(filename).toBe("VI_hourgate_home.xml");
  expect(content.startsWith('\uFEFF<?xml version="1.0" encoding="utf-8"?>\r\n')).toBe(true);
  expect(content.replaceAll("\r\n", "")).not.toMatch(/[\r\n]/);
  const [root, info, ...commands] = elements(content);
  expect(root).toMatchObject({
    name: "VirtualInHttp",
    attributes: {
      Title: 'hourgate Haus "Süd" <1>',
      Address: `http://192.168.1.20:8080/c/${options.token}/line`,
      PollingTime: "10",
    },
  });
  expect(info).toEqual({ name: "Info", attributes: { templateType: "2", minVersion: "17010727" } });

  const found = Object.fromEntries(
    commands.map(({ name, attributes }) => {
      expect(name).toBe("VirtualInHttpCmd");
      expect(attributes.Comment!.length).toBeLessThan(40);
      expect(attributes.Analog).toBe("true");
      const value = search(LINE, attributes.Check!);
      expect(value, attributes.Check).toBeGreaterThanOrEqual(Number(attributes.MinVal));
      expect(value, attributes.Check).toBeLessThanOrEqual(Number(attributes.MaxVal));
      const fallback = Number(attributes.DefVal);
      expect(fallback, attributes.Title).toBeGreaterThanOrEqual(Number(attributes.MinVal));
      expect(fallback, attributes.Title).toBeLessThanOrEqual(Number(attributes.MaxVal));
      expect(attributes.Signed).toBe(String(Number(attributes.MinVal) < 0));
      return [attributes.Title, value];
    }),
  );
  expect(found).toEqual({
    OK: 1,
    AGE: 12,
    O1: 1,
    O2: 4.6,
    O3: 2.25,
    O4: 1.5,
    O5: 10.3,
    O6: -1,
    O7: 4,
    O9: 87.12,
    O10: 0,
    O11: 10,
    O12: 3.5,
    O13: 1,
    O14: 5,
    O15: -1,
    O16: 0,
    PRICE: -1.37,
    SOC: 55.5,
    SOC_AGE: 3,
    S1: 0,
    N1: -1,
    S3: 1,
    N3: 95,
  });
});

it("creates a template of outputs that send readings and flex_pack", () => {
  const { filename, content } = loxoneFile({
    ...options,
    kind: "http-output",
    baseUrl: "http://192.168.1.20:8080/energy/",
  });
  expect(filename).toBe("VO_hourgate_home.xml");
  const [root, info, ...commands] = elements(content);
  expect(root).toMatchObject({ name: "VirtualOut", attributes: { Address: "http://192.168.1.20:8080" } });
  expect(info!.attributes.templateType).toBe("3");
  const on = Object.fromEntries(commands.map(({ attributes }) => [attributes.Title, attributes]));
  const path = `/energy/c/${options.token}`;
  expect(on.soc_pct).toMatchObject({
    CmdOnMethod: "GET",
    CmdOn: `${path}/telemetry?soc_pct=<v.1>`,
    RepeatRate: "60",
    MaxVal: "100",
  });
  expect(on.import_kwh!.CmdOn).toBe(`${path}/telemetry?import_kwh=<v.3>`);
  // The largest flex_pack of 23 bits must not be cut.
  expect(on.flex_pack_3).toMatchObject({
    CmdOn: `${path}/flex?flex_pack=<v>&slot_id=3`,
    MaxVal: "8388607",
    Repeat: "0",
  });
  for (const { attributes } of commands) expect([...attributes.Comment!].length).toBeLessThan(40);
  expect(content).not.toMatch(/="[^"]*<v/);
});

it("lists at most 16 topics, device control first", () => {
  const { filename, content } = loxoneFile({
    ...options,
    kind: "mqtt",
    mqttPrefix: "energy",
    slots: Array.from({ length: 8 }, (_, index) => ({
      slot: index + 1,
      label: 'Auto <1> & "2"',
      enabled: true,
    })),
  });
  expect(filename).toBe("MQTT_hourgate_home.xml");
  expect(content.startsWith('\uFEFF<?xml version="1.0" encoding="utf-8"?>\r\n')).toBe(true);
  expect(content.replaceAll("\r\n", "")).not.toMatch(/[\r\n]/);
  const [root, ...entries] = elements(content);
  expect(root).toMatchObject({ name: "Mqtt", attributes: { Title: 'hourgate Haus "Süd" <1>' } });
  const topicsOf = (wanted: string) =>
    entries.filter(({ name }) => name === wanted).map(({ attributes }) => attributes.Topic);
  expect(topicsOf("MqttSubscribe")).toHaveLength(16);
  expect(topicsOf("MqttSubscribe")).toEqual(
    expect.arrayContaining(
      ["outputs/O1", "outputs/O12", "price/now_ct_kwh", "slots/8/charge_now"].map(
        (rest) => `energy/home/${rest}`,
      ),
    ),
  );
  expect(topicsOf("MqttPublish")).toHaveLength(16);
  expect(topicsOf("MqttPublish")).toContain("energy/home/telemetry/soc_pct");
  expect(entries.at(-1)!.attributes).toEqual({
    Title: "slots/8/plugged/set",
    Comment: 'Auto <1> & "2"',
    Topic: "energy/home/slots/8/plugged/set",
    Analog: "true",
    Unit: "<v>",
    MinVal: "0",
    MaxVal: "1",
  });
  expect(content).not.toContain(options.token);
});
