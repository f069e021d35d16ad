import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { pathSteps, readMapped, type TopicMapEntry } from "../../src/telemetry/topic-map.js";
import { runs } from "../support/runs.js";

const entry = (changes: Partial<TopicMapEntry>): TopicMapEntry => ({
  topic: "t",
  path: "",
  field: "soc_pct",
  scale: 1,
  offset: 0,
  ...changes,
});

/** An nrg array of a go-e charger: volts, amperes, watts by phase, the total at index 11. */
const NRG = "[230,231,229,2,15.9,15.8,15.9,3657,3650,3641,0,10948,100,100,100,0]";

describe("payloads of other devices", () => {
  it.each<[device: string, payload: string, map: Partial<TopicMapEntry>, reading: number]>([
    ["Victron SOC", '{"value": 56}', { path: "value" }, 56],
    ["Victron SOC, exact topic", '{"max":100,"min":0,"value":56.20000076}', { path: "value" }, 56.20000076],
    [
      "Victron battery power in W",
      '{"value":-1234}',
      { path: "value", field: "battery_power_kw", scale: 0.001 },
      -1.234,
    ],
    ["evcc battery SOC", "63", {}, 63],
    ["empty battery", "0", {}, 0],
    ["evcc grid power in W", "-2345.6", { field: "load_power_kw", scale: -0.001 }, 2.3456],
    [
      "evcc optimizer request, battery of 10 kWh",
      '{"updated":"2026-01-15T09:20:00Z","req":{"batteries":[{"s_capacity":10000,"s_initial":5620}]},"res":{}}',
      { path: "req.batteries[0].s_initial", scale: 0.01 },
      56.2,
    ],
    ["evcc connected", "true", { field: "ev_connected" }, 1],
    ["evcc not connected", "false", { field: "ev_connected" }, 0],
    ["solar-assistant SOC", "87", {}, 87],
    [
      "Fronius site, nested",
      '{"Body":{"Data":{"Inverters":{"1":{"SOC":44.5}}}}}',
      { path: "Body.Data.Inverters.1.SOC" },
      44.5,
    ],
    ["statestream sensor", "12.5", {}, 12.5],
    ["statestream sensor with decimal comma", " 12,5\n", {}, 12.5],
    ["statestream binary sensor on", "on", { field: "ev_connected" }, 1],
    ["statestream binary sensor off", "OFF", { field: "ev_connected" }, 0],
    ["statestream in quotes", '"12.5"', {}, 12.5],
    ["go-e total power", NRG, { path: "[11]", field: "ev_power_kw", scale: 0.001 }, 10.948],
    ["go-e car idle", "1", { field: "ev_connected", offset: -1 }, 0],
    ["go-e car charging", "2", { field: "ev_connected", offset: -1 }, 1],
    ["go-e car complete", "4", { field: "ev_connected", offset: -1 }, 1],
    ["nested items", '{"a":[[1,{"b":"7,5"}]]}', { path: "a[0][1].b" }, 7.5],
    ["230 W are 0.23 kW without noise", "230", { field: "pv_power_kw", scale: 0.001 }, 0.23],
    ["scale before offset", "10", { scale: 2, offset: 5 }, 25],
  ])("%s", (_device, payload, map, reading) => expect(readMapped(payload, entry(map))).toBe(reading));

  it.each<[payload: string, map: Partial<TopicMapEntry>, sentence: string]>([
    ["unavailable", {}, 'soc_pct needs a number; found "unavailable".'],
    // evcc 0.313.2, core/loadpoint_vehicle.go: a vehicle that left, or that evcc does not know.
    ["0", { slot: 1 }, "0 % counts as unknown: other systems send it for a vehicle that does not report."],
    ["", {}, 'soc_pct needs a number; found "".'],
    ["true", {}, 'soc_pct needs a number; found "true".'],
    ['{"value":null}', { path: "value" }, "soc_pct needs a number at value; found null."],
    ['{"value":[]}', { path: "value" }, "soc_pct needs a number at value; found []."],
    ["{", { path: "value" }, "The payload is not valid JSON, so there is nothing at value."],
    ["{}", { path: "value" }, "The payload has nothing at value."],
    ["{}", { path: "__proto__.x" }, "The payload has nothing at __proto__.x."],
    ["[1]", { path: "length" }, "The payload has nothing at length."],
    ["[1]", { path: "[1]" }, "The payload has nothing at [1]."],
    ['"ab"', { path: "[0]" }, "The payload has nothing at [0]."],
    [
      "{}",
      { path: "a..b" },
      'The path "a..b" of the map cannot be read; write it like battery.soc or [0].value.',
    ],
    ["perhaps", { field: "ev_connected" }, 'ev_connected needs a number; found "perhaps".'],
    ["1e308", { scale: 1e6 }, "soc_pct is too large a number."],
  ])("rejects %j with %j", (payload, map, sentence) =>
    expect(() => readMapped(payload, entry(map))).toThrow(sentence),
  );

  it("finds the value at each path of a random document, and throws TopicMapError for other paths", () => {
    const name = fc.stringMatching(/^[a-zA-Z_][a-zA-Z0-9_-]{0,8}$/).filter((text) => text !== "__proto__");
    const step = fc.oneof(name, fc.nat({ max: 4 }));
    fc.assert(
      fc.property(
        fc.array(step, { minLength: 1, maxLength: 6 }),
        fc.integer(),
        fc.jsonValue(),
        (steps, value, other) => {
          const path = steps
            .map((one, index) => (typeof one === "number" ? `[${one}]` : `${index === 0 ? "" : "."}${one}`))
            .join("");
          expect(pathSteps(path)).toEqual(steps);
          const document = steps.reduceRight<unknown>(
            (inner, one) => (typeof one === "number" ? [...Array(one).fill(null), inner] : { [one]: inner }),
            value,
          );
          expect(readMapped(JSON.stringify(document), entry({ path }))).toBe(value);
          try {
            expect(Number.isFinite(readMapped(JSON.stringify(other), entry({ path })))).toBe(true);
          } catch (error) {
            expect((error as Error).message).toMatch(/^.{10,}\.$/s);
          }
        },
      ),
      { seed: 8, numRuns: runs(200) },
    );
  });
});
