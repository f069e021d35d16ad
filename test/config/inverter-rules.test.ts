import { describe, expect, it } from "vitest";
import { parsePlant } from "../../src/config/plant.js";
import { plausibilityWarnings } from "../../src/config/plausibility.js";
import { checkRules } from "../../src/config/rules.js";
import { validate } from "../../src/config/validate.js";
import { textsOf } from "../../src/texts/index.js";

const roofs = (first: object, second: object = {}) => [
  { peak_kw: 6, azimuth_deg: 120, ...first },
  { peak_kw: 6, azimuth_deg: 240, ...second },
];

/** What is wrong with a plant, `path message`. */
function faults(plant: object): string[] {
  const parsed = parsePlant({ id: "home", ...plant }, []);
  return "findings" in parsed
    ? parsed.findings.map(({ path, message }) => `${path.join(".")} ${message}`)
    : [];
}

describe("arrays that share an inverter", () => {
  it("name an entry of inverters", () => {
    const both = roofs({ inverter: "roof" }, { inverter: "roof" });
    const parsed = parsePlant({ id: "home", pv: both, inverters: [{ id: "roof", kw: 5 }] }, []);
    expect(parsed).toMatchObject({
      plant: { pv: [{ inverter: "roof", inverter_kw: null }, {}], inverters: [{ id: "roof", kw: 5 }] },
    });
    expect(parsePlant({ id: "home", pv: roofs({}) }, [])).toMatchObject({
      plant: { pv: [{ inverter: null }, { inverter: null }], inverters: [] },
    });
  });

  it("get a clear sentence about an inverter that is not listed", () => {
    expect(faults({ pv: roofs({ inverter: "roof" }) })).toEqual([
      "pv.0.inverter needs an entry with its power in inverters of the plant, such as inverters: [{ id: roof, kw: 5 }].",
    ]);
    const pv = roofs({ inverter: "roof" }, { inverter: "rof" });
    expect(faults({ pv, inverters: [{ id: "roof", kw: 5 }] })).toEqual([
      'pv.1.inverter must be the id of an entry in inverters (roof). Did you mean "roof"?',
    ]);
  });

  it("get a clear sentence about an inverter that no array names, a second limit, and a name given twice", () => {
    expect(faults({ pv: roofs({}), inverters: [{ id: "roof", kw: 5 }] })).toEqual([
      "inverters.0.id is not named by any array: set inverter: roof at its arrays in pv, or remove the entry.",
    ]);
    const inverters = [{ id: "roof", kw: 5 }];
    expect(faults({ pv: roofs({ inverter: "roof", inverter_kw: 3 }), inverters })).toEqual([
      "pv.0.inverter_kw cannot be combined with inverter: the limit is kw of roof in inverters; remove one of them.",
    ]);
    expect(faults({ pv: roofs({ inverter: "roof" }), inverters: [...inverters, ...inverters] })).toEqual([
      expect.stringContaining("inverters.1.id must be unique"),
    ]);
  });

  it("get these sentences in German too", () => {
    const { settings } = validate({
      plants: [{ id: "home", pv: roofs({ inverter: "Dach" }), inverters: [{ id: "Garage", kw: 5 }] }],
    });
    expect(checkRules(settings!, textsOf("de").config).map(({ message }) => message)).toEqual([
      "muss die id eines Eintrags in inverters sein (Garage).",
      "wird von keiner PV-Fläche genannt: bitte inverter: Garage bei seinen Flächen in pv setzen, oder den Eintrag entfernen.",
    ]);
  });

  it("are compared with its power together", () => {
    const warnings = (kw: number) => {
      const pv = roofs({ inverter: "roof" }, { inverter: "roof" });
      const parsed = parsePlant({ id: "home", pv, inverters: [{ id: "roof", kw }] }, []);
      if ("findings" in parsed) throw new Error(JSON.stringify(parsed.findings));
      return plausibilityWarnings(parsed.plant);
    };
    expect(warnings(5)).toEqual([]);
    const path = ["inverters", "0", "kw"];
    expect(warnings(3.5)).toEqual([{ path, code: "inverter_small", params: { value: 3.5, limit: 12 } }]);
    expect(warnings(5000)).toEqual([{ path, code: "watt", params: { value: 5000, meant: 5 } }]);
  });
});
