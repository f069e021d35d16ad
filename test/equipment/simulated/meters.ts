import { type Family, httpFamily, modbusFamily, only } from "./family.js";
import type { Home } from "./home.js";
import type { Row } from "./registers.js";

const grid = only(["grid_power_kw", "import_kwh", "export_kwh"]);
const gridPower = only(["grid_power_kw"]);
const PHASES = [0.5, 0.3, 0.2] as const;

const shellyEm = (home: Home) =>
  ({
    a_act_power: home.gridW * 0.5,
    b_act_power: home.gridW * 0.3,
    c_act_power: home.gridW * 0.2,
    a_voltage: 231.2,
    total_act_power: home.gridW,
  }) as const;

/** The phases are counted each for itself, so the sums are more than what the meter of the grid counts. */
const notNetted = (wattHours: number) => wattHours + 812_340;

const gen2 = (app: string, results: Record<string, unknown>) => {
  const all: Record<string, unknown> = {
    "Shelly.ListMethods": { methods: ["Shelly.GetStatus", ...Object.keys(results)] },
    ...results,
  };
  const info = {
    id: `shelly${app.toLowerCase()}-34987a45ef01`,
    mac: "34987A45EF01",
    model: "SPEM-003CEBEU",
    gen: 2,
    ver: "1.6.2",
    app,
    auth_en: false,
  };
  return {
    "/shelly": () => info,
    "/rpc": ({ body }: { body: string }) => {
      const { id, method } = JSON.parse(body) as { id: number; method: string };
      return all[method] && { id, src: info.id, result: all[method] };
    },
    "/rpc/Shelly.GetDeviceInfo": () => info,
    ...Object.fromEntries(Object.entries(all).map(([method, result]) => [`/rpc/${method}`, () => result])),
  };
};

const em24 = (home: Home): Row[] => [
  ...[0, 1, 2].map((phase): Row => [phase * 2, "i32le", 2_312 - phase]),
  ...[0, 1, 2].map((phase): Row => [12 + phase * 2, "i32le", 4_120]),
  ...PHASES.map((part, phase): Row => [18 + phase * 2, "i32le", home.gridW * part * 10]),
  [40, "i32le", home.gridW * 10],
  [51, "i16", 500],
  [52, "i32le", home.importWh / 100],
  [78, "i32le", home.exportWh / 100],
];

const sdm630 = (home: Home): Row[] => [
  ...[0, 1, 2].map((phase): Row => [phase * 2, "f32", 231.2 - phase]),
  ...PHASES.map((part, phase): Row => [12 + phase * 2, "f32", home.gridW * part]),
  [52, "f32", home.gridW],
  [70, "f32", 50.01],
  [72, "f32", home.importWh / 1000],
  [74, "f32", home.exportWh / 1000],
];

const phases = (home: Home) => PHASES.map((part) => home.gridW * part);

const sml = (home: Home) => ({
  Time: "2026-11-26T12:00:00",
  SML: {
    Total_in: home.importWh / 1000,
    Total_out: home.exportWh / 1000,
    Power_curr: home.gridW,
    Meter_Id: "0a01454d480000123456",
  },
});

const taken = (home: Home) => Math.max(0, home.gridW);
const put = (home: Home) => Math.max(0, -home.gridW);

export const METER_FAMILIES: readonly Family[] = [
  httpFamily({
    template: "shelly-em",
    title: "3EM",
    routes: (home) => ({
      "/shelly": () => ({
        type: "SHEM-3",
        mac: "34945472A5B1",
        auth: false,
        fw: "20230913-114244/v1.14.0",
        num_emeters: 3,
      }),
      "/status": () => ({
        uptime: 86_400,
        emeters: phases(home).map((power) => ({
          power,
          pf: 0.98,
          current: 4.2,
          voltage: 231.2,
          is_valid: true,
          total: notNetted(home.importWh) / 3,
          total_returned: notNetted(home.exportWh) / 3,
        })),
        total_power: home.gridW,
      }),
    }),
    expected: gridPower,
  }),
  httpFamily({
    template: "shelly-em",
    title: "EM with a clamp at the grid and one at PV",
    routes: (home) => ({
      "/shelly": () => ({
        type: "SHEM",
        mac: "34945472A5B2",
        auth: false,
        fw: "20230913-114244/v1.14.0",
        num_emeters: 2,
      }),
      "/status": () => ({
        uptime: 86_400,
        emeters: [
          {
            power: home.gridW,
            voltage: 231.2,
            is_valid: true,
            total: home.importWh,
            total_returned: home.exportWh,
          },
          { power: home.pvW ?? 0, voltage: 231.2, is_valid: true, total: home.pvWh, total_returned: 0 },
        ],
      }),
    }),
    expected: gridPower,
  }),
  httpFamily({
    template: "shelly-pro-3em",
    title: "Pro 3EM",
    routes: (home) =>
      gen2("Pro3EM", {
        "EM.GetStatus": { id: 0, ...shellyEm(home) },
        "EM.GetConfig": { id: 0, reverse: {} },
        "EMData.GetStatus": {
          id: 0,
          total_act: notNetted(home.importWh),
          total_act_ret: notNetted(home.exportWh),
        },
        "Shelly.GetStatus": {
          "em:0": { id: 0, ...shellyEm(home) },
          "emdata:0": { id: 0, total_act: notNetted(home.importWh), total_act_ret: notNetted(home.exportWh) },
        },
      }),
    expected: gridPower,
  }),
  httpFamily({
    template: "shelly-pro-em",
    title: "Pro EM",
    routes: (home) =>
      gen2("ProEM", {
        "EM1.GetStatus": { id: 0, act_power: home.gridW, voltage: 231.2 },
        "EM1Data.GetStatus": { id: 0, total_act_energy: home.importWh, total_act_ret_energy: home.exportWh },
        "Shelly.GetStatus": {
          "em1:0": { id: 0, act_power: home.gridW, voltage: 231.2 },
          "em1data:0": { id: 0, total_act_energy: home.importWh, total_act_ret_energy: home.exportWh },
        },
      }),
    expected: grid,
  }),
  httpFamily({
    template: "tasmota-sml",
    title: "HTTP",
    routes: (home) => ({
      "/cm": ({ url }) =>
        url.searchParams.get("cmnd") === "Status 8"
          ? { StatusSNS: sml(home) }
          : url.searchParams.get("cmnd") === "Status 2"
            ? { StatusFWR: { Version: "14.2.0" } }
            : { Command: "Unknown" },
    }),
    expected: grid,
  }),
  httpFamily({
    template: "esphome-dlms",
    title: "object ids",
    routes: (home) => ({
      "/sensor/active_power_taken_from_grid": () => ({
        id: "sensor-active_power_taken_from_grid",
        state: `${taken(home)} W`,
        value: taken(home),
      }),
      "/sensor/active_power_put_into_grid": () => ({
        id: "sensor-active_power_put_into_grid",
        state: `${put(home)} W`,
        value: put(home),
      }),
      "/sensor/active_energy_taken_from_grid": () => ({ id: "sensor-x", state: "", value: home.importWh }),
      "/sensor/active_energy_put_into_grid": () => ({ id: "sensor-y", state: "", value: home.exportWh }),
    }),
    expected: grid,
  }),
  httpFamily({
    template: "esphome-dlms",
    title: "names, as from 2026.7 on",
    routes: (home) => ({
      "/sensor/Active power taken from grid": () => ({
        id: "sensor/Active power taken from grid",
        value: taken(home),
      }),
      "/sensor/Active power put into grid": () => ({
        id: "sensor/Active power put into grid",
        value: put(home),
      }),
      "/sensor/Active energy taken from grid": () => ({ id: "a", value: home.importWh }),
      "/sensor/Active energy put into grid": () => ({ id: "b", value: home.exportWh }),
    }),
    expected: grid,
  }),
  httpFamily({
    template: "amsleser",
    title: "Pow-K",
    routes: (home) => ({
      "/data.json": () => ({
        im: 17_000,
        w: taken(home),
        p: taken(home),
        i: taken(home),
        e: put(home),
        ic: home.importWh / 1000,
        ec: home.exportWh / 1000,
        l1: { u: 231.2, i: 4.1, p: 900 },
      }),
    }),
    expected: grid,
  }),
  httpFamily({
    template: "homewizard",
    title: "P1",
    routes: (home) => ({
      "/api": () => ({
        product_type: "HWE-P1",
        product_name: "P1 Meter",
        serial: "3c39e7aabbcc",
        firmware_version: "5.18",
        api_version: "v1",
      }),
      "/api/v1/data": () => ({
        active_power_w: home.gridW,
        total_power_import_kwh: home.importWh / 1000,
        total_power_export_kwh: home.exportWh / 1000,
      }),
    }),
    expected: grid,
  }),
  httpFamily({
    template: "iammeter",
    title: "WEM3080T with NEM",
    routes: (home) => ({
      "/api/monitorjson": () => ({
        method: "uploadsn",
        mac: "849DC2123456",
        version: "i.75.98.71",
        SN: "DD0E4B12",
        Datas: [
          ...phases(home).map((power) => [
            231.2,
            4.1,
            power,
            home.importWh / 1000,
            home.exportWh / 1000,
            50,
            0.98,
          ]),
          [231, 0, home.gridW, home.importWh / 1000, home.exportWh / 1000, 50, 0.99],
        ],
      }),
    }),
    expected: grid,
  }),
  httpFamily({
    template: "smartfox",
    title: "Pro",
    routes: (home) => ({
      "/all": () => ({
        power_io: home.gridW,
        PvPower: [home.pvW ?? 0, 0, 0, 0, 0],
        power_sf: home.heatW,
        energy_in: home.importWh,
        energy_out: home.exportWh,
        voltages: [231, 230, 229],
      }),
    }),
    expected: only(["grid_power_kw"], (home) => ({ pv_power_kw: (home.pvW ?? 0) / 1000 })),
  }),
  modbusFamily({
    template: "sdm630",
    title: "RTU over TCP",
    framing: "rtu",
    units: (home) => ({ 1: { input: sdm630(home) } }),
    expected: grid,
  }),
  modbusFamily({
    template: "em24",
    title: "EM24 E1",
    units: (home) => ({ 1: { input: em24(home) } }),
    expected: grid,
  }),
  modbusFamily({
    template: "ksem",
    title: "native map and SunSpec",
    units: (home) => ({
      1: {
        holding: [
          [0, "u32", taken(home) * 10],
          [2, "u32", put(home) * 10],
          [512, "u64", home.importWh * 10],
          [516, "u64", home.exportWh * 10],
        ],
      },
    }),
    expected: gridPower,
  }),
  modbusFamily({
    template: "solarlog",
    title: "production and consumption",
    units: (home) => ({
      1: {
        input: [
          [3_502, "u32le", home.pvW ?? 0],
          [3_516, "u32le", home.pvWh],
          [3_518, "u32le", home.loadW],
        ],
      },
    }),
    expected: (home) => ({
      pv_power_kw: (home.pvW ?? 0) / 1000,
      pv_kwh: home.pvWh / 1000,
      load_power_kw: home.loadW / 1000,
    }),
  }),
];
