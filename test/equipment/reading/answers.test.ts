import { afterEach, describe, expect, it } from "vitest";
import { TemplateLibrary } from "../../../src/equipment/template-library.js";
import { httpFamily, type Running } from "../simulated/family.js";
import { NOON } from "../simulated/home.js";
import { readDevice } from "../simulated/read.js";

const library = await TemplateLibrary.open();
let running: Running | undefined;
afterEach(() => running?.stop());

/** What a template reads of answers by path: values of now only. */
async function readOf(
  template: string,
  answers: Readonly<Record<string, unknown>>,
  parameters?: (host: string) => Record<string, unknown>,
): Promise<Record<string, number | null>> {
  running = await httpFamily({
    template,
    title: "",
    ...(parameters && { with: parameters }),
    routes: () => Object.fromEntries(Object.entries(answers).map(([path, answer]) => [path, () => answer])),
    expected: () => ({}),
  }).start(() => NOON);
  const device = readDevice(library, { template, with: running.with });
  try {
    await device.read();
    const now = device.options.clock.now();
    return Object.fromEntries(
      [...device.readings.keys()].map((name) => {
        const { value, quality } = device.shown(name, now);
        return [name, quality === "good" ? value : null];
      }),
    );
  } finally {
    await device.stop();
  }
}

describe("a Fronius inverter over HTTP whose battery power is null", () => {
  const flow = (inverters: object) => ({
    "/solar_api/v1/GetPowerFlowRealtimeData.fcgi": {
      Body: { Data: { Inverters: inverters, Site: { P_Akku: null, P_PV: null } } },
    },
  });

  it("has a battery at rest where it gives its state of charge", async () => {
    expect(await readOf("fronius-solarapi", flow({ 1: { DT: 1, SOC: 7 } }))).toMatchObject({
      battery_power_kw: 0,
      soc_pct: 7,
      pv_power_kw: 0,
    });
  });

  it("has none without it, and does not know while it sleeps", async () => {
    const none = await readOf("fronius-solarapi", flow({ 1: { DT: 1 } }));
    expect(none.battery_power_kw).toBeNull();
    await running?.stop();
    expect((await readOf("fronius-solarapi", flow({}))).battery_power_kw).toBeNull();
  });
});

describe("a Shelly of the first generation", () => {
  const phase = (power: number, is_valid = true) => ({ power: is_valid ? power : 0, is_valid, voltage: 230 });

  it.each([
    ["all phases of a 3EM", [phase(1000), phase(-400), phase(250)], 0.85],
    ["a 3EM with a phase that is not measured", [phase(1000), phase(-400, false), phase(250)], null],
    ["a 3EM with a phase that is null", [phase(1000), phase(-400), { power: null, is_valid: true }], null],
    ["the clamp of an EM", [phase(1500), phase(200)], 1.5],
    ["an EM whose clamp is not measured", [phase(1500, false), phase(200)], null],
  ])("%s", async (_, emeters, kw) => {
    expect((await readOf("shelly-em", { "/status": { emeters } })).grid_power_kw).toBe(kw);
  });
});

describe("a DTU of several inverters", () => {
  const total = { Power: { v: 800, u: "W" }, YieldTotal: { v: 1234.5, u: "kWh" } };

  it.each([
    ["counts while all answer", [true, true], 1234.5],
    ["does not count while one of them does not answer", [true, false], null],
    ["does not count while none answers", [false, false], null],
  ])("%s", async (_, reachable, kwh) => {
    const inverters = reachable.map((one) => ({ reachable: one }));
    const read = await readOf("opendtu", { "/api/livedata/status": { inverters, total } }, (host) => ({
      transport: "http",
      host,
    }));
    expect(read).toMatchObject({ pv_power_kw: 0.8, pv_kwh: kwh });
  });

  it.each([
    [20, 0.4],
    [3_600, null],
  ])("gives a value of %i s ago as %j", async (ageS, kw) => {
    const ts_last_success = Math.floor(Date.now() / 1000) - ageS;
    const answer = { ts_last_success, ch: [[231, 2, 400, 50, 1, 30, 12.5]] };
    expect((await readOf("ahoydtu", { "/api/inverter/id/0": answer })).pv_power_kw).toBe(kw);
  });
});

describe("counters of neighbours", () => {
  it.each([
    [
      "of both directions of evcc",
      { grid: { power: 1, energy: 1235.665, returnEnergy: 567.25 } },
      1235.665,
      567.25,
    ],
    ["of evcc's meter that counts imports only", { grid: { power: 1, energy: 12 } }, 12, null],
  ])("%s", async (_, state, imported, exported) => {
    const read = await readOf("evcc", { "/api/state": state }, (host) => ({
      transport: "http",
      url: `http://${host}`,
    }));
    expect(read).toMatchObject({ import_kwh: imported, export_kwh: exported });
  });

  it.each([
    [
      "in total",
      { total_power_import_kwh: 30, total_power_import_t1_kwh: 10, total_power_import_t2_kwh: 20.5 },
      30,
    ],
    ["by tariff only", { total_power_import_t1_kwh: 10, total_power_import_t2_kwh: 20.5 }, 30.5],
    ["by one tariff of two", { total_power_import_t1_kwh: 10 }, null],
  ])("of HomeWizard %s", async (_, data, kwh) => {
    expect((await readOf("homewizard", { "/api/v1/data": data })).import_kwh).toBe(kwh);
  });

  it.each([
    ["GWh", 1e6],
    ["MJ", 1 / 3.6],
    ["GJ", 1000 / 3.6],
  ])("of an entity in %s", async (unit, factor) => {
    const entity = { state: "3.6", attributes: { unit_of_measurement: unit } };
    const read = await readOf("home-assistant", { "/api/states/sensor.heat": entity }, (host) => ({
      url: `http://${host}`,
      token: "t",
      entities: { import_kwh: "sensor.heat" },
    }));
    expect(read.import_kwh).toBeCloseTo(3.6 * factor, 6);
  });
});

it.each([
  ["a number", 1500, 1.5],
  ["a list of phases", [500, 400.5, 600], 1.5005],
  ["a list with an unknown phase", [500, null, 600], null],
])("reads the power of a Tasmota meter that is %s", async (_, Power, kw) => {
  const answers = { "/cm?cmnd=Status%208": { StatusSNS: { ENERGY: { Power, Total: [1, 2, 3.5] } } } };
  const read = await readOf("tasmota-sml", answers, (host) => ({
    transport: "http",
    host,
    group: "ENERGY",
    power_key: "Power",
    import_key: "Total",
  }));
  expect(read).toMatchObject({ grid_power_kw: kw, import_kwh: 6.5 });
});

describe("an address that a device does not have", () => {
  const names = {
    "/sensor/active_power_taken_from_grid": { value: 700 },
    "/sensor/active_power_put_into_grid": { value: 0 },
    "/sensor/active_energy_taken_from_grid": { value: 5000 },
    "/sensor/active_energy_put_into_grid": { value: 6000 },
  };
  const open = async (answers: Record<string, unknown>) => {
    const asked: string[] = [];
    running = await httpFamily({
      template: "esphome-dlms",
      title: "",
      with: (host) => ({ transport: "http", host }),
      routes: () =>
        new Proxy(
          {},
          {
            get: (_, path) => {
              asked.push(String(path));
              const answer = answers[String(path)];
              return answer === undefined ? undefined : () => answer;
            },
          },
        ),
      expected: () => ({}),
    }).start(() => NOON);
    return { asked, device: readDevice(library, { template: "esphome-dlms", with: running.with }) };
  };

  it("is no fault, and is not asked for again, while others give the readings", async () => {
    const { asked, device } = await open(names);
    await device.read();
    expect(device.lastError).toBeUndefined();
    asked.length = 0;
    await device.read();
    expect([...new Set(asked)].sort()).toEqual(Object.keys(names).sort());
    await device.stop();
  });

  it("is asked for again at once where they do not any more, and is a fault where nothing does", async () => {
    const answers: Record<string, unknown> = { ...names };
    const { device } = await open(answers);
    await device.read();
    for (const path of Object.keys(names)) delete answers[path];
    await device.read();
    expect(device.lastError).toMatchObject({ code: "not_found" });
    answers["/sensor/Active power taken from grid"] = { value: 900 };
    answers["/sensor/Active power put into grid"] = { value: 100 };
    await device.read();
    expect(device.shown("grid_power_kw", device.options.clock.now())).toMatchObject({
      value: 0.8,
      quality: "good",
    });
    await device.stop();
  });
});

describe("a controller between", () => {
  const openhab = (thing: string) => (host: string) => ({
    url: `http://${host}`,
    items: { grid_power_kw: "Grid", soc_pct: "SoC" },
    thing,
  });
  const items = { "/rest/items/Grid/state": "1.2 kW", "/rest/items/SoC/state": "41" };
  const status = (text: string) => ({
    ...items,
    "/rest/things/modbus%3Adata%3Ainverter/status": { status: text, statusDetail: "NONE" },
  });

  it("openHAB keeps the last values of a thing that is not online: they are not used", async () => {
    const known = { grid_power_kw: 1.2, soc_pct: 41 };
    const unknown = { grid_power_kw: null, soc_pct: null };
    const thing = openhab("modbus:data:inverter");
    for (const [answers, parameters, expected] of [
      [items, openhab(""), known],
      [status("ONLINE"), thing, known],
      [status("OFFLINE"), thing, unknown],
      [items, thing, unknown],
    ] as const) {
      expect(await readOf("openhab", answers, parameters)).toEqual(expected);
      await running?.stop();
    }
  });

  it.each([
    [0, 1.2],
    [undefined, 1.2],
    // Set by the device itself.
    [0x40, 1.2],
    [0x42, null],
    [0x12, null],
    [0x44, null],
  ])("ioBroker gives a state the quality %s", async (q, expected) => {
    const answers = {
      "/get/meter.0.power": { val: 1200, ack: true, ts: Date.now(), ...(q !== undefined && { q }) },
    };
    const parameters = (host: string) => ({
      url: `http://${host}`,
      states: { grid_power_kw: "meter.0.power" },
    });
    expect(await readOf("iobroker", answers, parameters)).toEqual({ grid_power_kw: expected });
  });
});
