import { type Family, modbusFamily, only } from "./family.js";
import { CAPACITY_WH, MAX_CHARGE_W, MAX_DISCHARGE_W, MIN_SOC_PCT } from "./home.js";
import {
  BETWEEN,
  common,
  floatInverter,
  floatMeter,
  inverter,
  meter,
  modules,
  NAMEPLATE,
  pvMinusBattery,
  scaled,
  storage,
  sunspecTable,
} from "./sunspec.js";

const gen24Reads = only([
  "grid_power_kw",
  "import_kwh",
  "export_kwh",
  "pv_power_kw",
  "pv_kwh",
  "soc_pct",
  "battery_power_kw",
  "charge_kwh",
  "discharge_kwh",
]);

const acKwh = only([], (home) => ({
  pv_power_kw: home.pvW === null ? null : home.pvW / 1000,
  pv_kwh: home.pvWh / 1000,
}));

export const SUNSPEC_FAMILIES: readonly Family[] = [
  modbusFamily({
    template: "fronius-gen24",
    title: "integers with scale factors",
    units: (home) => ({
      1: sunspecTable(40_000, [
        common("Fronius", "Symo GEN24 10.0 Plus", "34119102"),
        inverter(103, pvMinusBattery(home), home.pvWh),
        NAMEPLATE,
        ...BETWEEN,
        modules(home),
        storage(home),
      ]),
      200: sunspecTable(40_000, [
        common("Fronius", "Smart Meter TS 65A-3", "2244066801"),
        meter(203, home.gridW, home),
      ]),
    }),
    expected: gen24Reads,
  }),
  modbusFamily({
    template: "fronius-gen24",
    title: "floating point, meter at unit 240",
    with: { meter_unit: 240 },
    units: (home) => ({
      1: sunspecTable(40_000, [
        common("Fronius", "Primo GEN24 6.0 Plus", "29301000"),
        floatInverter(113, pvMinusBattery(home), home.pvWh),
        NAMEPLATE,
        ...BETWEEN,
        modules(home),
        storage(home),
      ]),
      240: sunspecTable(40_000, [
        common("Fronius", "Smart Meter 63A", "15160189"),
        floatMeter(213, home.gridW, home),
      ]),
    }),
    expected: gen24Reads,
  }),
  modbusFamily({
    template: "sunspec-inverter",
    title: "integers at 40000",
    units: ({ pvW, pvWh }) => ({
      1: sunspecTable(40_000, [
        common("KACO new energy", "blueplanet 8.6 TL3", "8.6TL01", 66),
        inverter(103, pvW, pvWh),
      ]),
    }),
    expected: acKwh,
  }),
  modbusFamily({
    template: "sunspec-inverter",
    title: "floating point at 50000",
    units: ({ pvW, pvWh }) => ({
      1: sunspecTable(50_000, [common("ABB", "PVI-6000", "132456"), floatInverter(111, pvW, pvWh)]),
    }),
    expected: acKwh,
  }),
  modbusFamily({
    template: "sunspec-inverter",
    title: "model 701 at 0, unit 126",
    with: { unit: 126 },
    units: ({ pvW, pvWh }) => ({
      126: sunspecTable(0, [
        common("SMA", "STP 8.0-3AV-40", "3012345678"),
        [
          701,
          153,
          [
            [10, "i16", pvW],
            [19, "u64", pvWh],
            [23, "u64", 0],
            [116, "i16", 0],
            [120, "i16", 0],
          ],
        ],
      ]),
    }),
    expected: acKwh,
  }),
  modbusFamily({
    template: "sunspec-meter",
    title: "integers with scale factors",
    units: (home) => ({
      1: sunspecTable(40_000, [common("KOSTAL", "KSEM", "77123456"), meter(203, home.gridW, home)]),
    }),
    expected: only(["grid_power_kw", "import_kwh", "export_kwh"]),
  }),
  modbusFamily({
    template: "sunspec-meter",
    title: "floating point, unit 200",
    with: { unit: 200 },
    units: (home) => ({
      200: sunspecTable(40_000, [
        common("Fronius", "Smart Meter 63A", "15160189"),
        floatMeter(213, home.gridW, home),
      ]),
    }),
    expected: only(["grid_power_kw", "import_kwh", "export_kwh"]),
  }),
  modbusFamily({
    template: "sunspec-storage",
    title: "models 802 and 160",
    units: (home) => ({
      1: sunspecTable(40_000, [
        common("KOSTAL", "PLENTICORE plus", "90342FD0"),
        [
          802,
          62,
          [
            [3, "u16", CAPACITY_WH / 10],
            [4, "u16", MAX_CHARGE_W],
            [5, "u16", MAX_DISCHARGE_W],
            [10, "u16", MIN_SOC_PCT * 10],
            [11, "u16", scaled(home.socPct, -1)],
            [47, "i16", home.batteryW === null ? null : -home.batteryW],
            [53, "i16", 1],
            [54, "i16", 0],
            [56, "i16", -1],
            [63, "i16", 0],
          ],
        ],
      ]),
    }),
    expected: only(["soc_pct", "battery_power_kw"]),
  }),
  modbusFamily({
    template: "sunspec-storage",
    title: "models 713 and 714",
    units: (home) => ({
      1: sunspecTable(40_000, [
        common("Fronius", "Verto 25.0 Plus", "31234567"),
        [
          713,
          7,
          [
            [2, "u16", CAPACITY_WH / 10],
            [4, "u16", scaled(home.socPct, -1)],
            [7, "i16", 1],
            [8, "i16", -1],
          ],
        ],
        [
          714,
          68,
          [
            [4, "u16", 2],
            [6, "i16", pvMinusBattery(home)],
            [7, "u64", 0],
            [11, "u64", 0],
            [17, "i16", 0],
            [18, "i16", 1],
            // Ports: PV, then storage; injecting is positive.
            [20, "u16", 0],
            [32, "i16", home.pvW],
            [33, "u64", home.pvWh / 10],
            [37, "u64", 0],
            [45, "u16", 1],
            [57, "i16", home.batteryW === null ? null : -home.batteryW],
            [58, "u64", home.dischargeWh / 10],
            [62, "u64", home.chargeWh / 10],
          ],
        ],
      ]),
    }),
    expected: only(["soc_pct", "battery_power_kw"]),
  }),
];
