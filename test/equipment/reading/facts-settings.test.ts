import { describe, expect, it } from "vitest";
import { batteryDevice, batteryModes } from "../../../src/equipment/battery-modes.js";
import { settingsOfFacts } from "../../../src/equipment/reading/facts-settings.js";
import { parseTemplate } from "../../../src/equipment/template.js";
import { TemplateLibrary } from "../../../src/equipment/template-library.js";

const FACTS = { capacity_kwh: 11, max_charge_power_kw: 5, max_discharge_power_kw: 5, min_soc_pct: 7 };
const EMPTY = { battery: null, batteries: [], pv: [] };

describe("what a device says about itself", () => {
  it("fills what the settings do not have, and nothing else", () => {
    expect(settingsOfFacts({ facts: { ...FACTS, pv_peak_kw: 9.9 } }, EMPTY, {})).toEqual({
      plant: { battery: FACTS, pv: [{ peak_kw: 9.9 }] },
      taken: [...Object.keys(FACTS), "pv_peak_kw"],
    });
    expect(settingsOfFacts({ facts: { max_charge_power_kw: 5 } }, EMPTY, {}).plant).toEqual({});
    const set = { capacity_kwh: 9, min_soc_pct: 20 };
    const own = settingsOfFacts({ facts: FACTS }, { ...EMPTY, battery: {} as never }, { battery: set });
    expect(own.plant.battery).toEqual({ ...set, max_charge_power_kw: 5, max_discharge_power_kw: 5 });
  });

  it("sets what the battery can do, of what was chosen", () => {
    const filled = (controls?: string[]) =>
      settingsOfFacts(
        { facts: FACTS, modes: ["charge", "standby"] },
        { ...EMPTY, battery: {} as never },
        { battery: { ...FACTS, ...(controls && { controls }) } },
      );
    expect(filled().plant.battery).toEqual({ ...FACTS, controls: ["charge", "standby"] });
    expect(filled(["charge", "hold"]).plant.battery).toEqual({ ...FACTS, controls: ["charge"] });
    expect(filled(["block"]).modes).toEqual(["charge", "standby"]);
    expect(filled(["standby"]).plant).toEqual({});
  });
});

describe("the modes of a template", () => {
  const template = (effect: string) =>
    parseTemplate(
      `id: mine
name: { en: Mine, de: Meins }
controls: [battery]
parameters: { host: { type: string, title: { en: Host, de: Host } } }
transports:
  http:
    commands:
      free: [{ method: POST, url: "http://{{ host }}/free" }]
      charge: [{ method: POST, url: "http://{{ host }}/charge" }]
      hold: [{ method: POST, url: "http://{{ host }}/hold" }]
${effect}`,
      "mine.yaml",
    );

  it("are its states; a hold that stores no PV is a standby", () => {
    expect(batteryModes(template(""), { host: "h" })).toEqual(["charge", "hold"]);
    const rests = template("effect: { hold: { stores_pv: false } }");
    expect(batteryModes(rests, { host: "h" })).toEqual(["charge", "standby"]);
  });

  it("depend on what the owner has set where that defines the commands", async () => {
    const library = await TemplateLibrary.open("/nowhere");
    const homeAssistant = library.get("home-assistant")!;
    const actions = { charge: "script.charge", free: "script.free" };
    expect(batteryModes(homeAssistant, { url: "http://h:8123", actions })).toEqual(["charge"]);
    const plant = {
      actuators: [],
      devices: [
        {
          id: "ha",
          template: "home-assistant",
          controls: "battery",
          with: { url: "http://h:8123", actions },
        },
      ],
    };
    expect(batteryDevice(plant as never, (id) => library.get(id))?.modes).toEqual(["charge"]);
    expect(batteryDevice({ devices: [] }, (id) => library.get(id))).toBeUndefined();
  });
});
