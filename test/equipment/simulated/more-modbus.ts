import { type Expected, type Family, modbusFamily, only } from "./family.js";
import { CAPACITY_WH, EVENING, type Home, MAX_CHARGE_W, MAX_DISCHARGE_W, MIN_SOC_PCT } from "./home.js";
import type { Row } from "./registers.js";
import { sunspecTable } from "./sunspec.js";

const negative = (value: number | null) => (value === null ? null : -value);
const times = (value: number | null, factor: number) => (value === null ? null : value * factor);
const nothing = (value: number | null) => value ?? 0;
const charge = ({ batteryW }: Home) => Math.max(0, nothing(batteryW));
const discharge = ({ batteryW }: Home) => Math.max(0, -nothing(batteryW));
const PHASES = [0.5, 0.3, 0.2] as const;
/** The battery is known at night, too. */
const soc = ({ socPct }: Home) => socPct ?? EVENING.socPct!;

/** These families show 0 W for what they do not measure. */
const asZero = (names: Parameters<typeof only>[0], others: (home: Home) => Expected = () => ({})) =>
  only(names, (home) => ({
    ...(names.includes("pv_power_kw") && { pv_power_kw: nothing(home.pvW) / 1000 }),
    ...(names.includes("battery_power_kw") && { battery_power_kw: nothing(home.batteryW) / 1000 }),
    soc_pct: soc(home),
    ...others(home),
  }));

const BATTERY = ["pv_power_kw", "battery_power_kw", "soc_pct", "grid_power_kw"] as const;

const inputs =
  (rows: (home: Home) => readonly Row[], unit = 1) =>
  (home: Home) => ({ [unit]: { input: rows(home) } });
const holdings =
  (rows: (home: Home) => readonly Row[], unit = 1) =>
  (home: Home) => ({ [unit]: { holding: rows(home) } });

export const MORE_MODBUS_FAMILIES: readonly Family[] = [
  modbusFamily({
    template: "kostal-plenticore",
    title: "little-endian words",
    units: holdings(
      (home) => [
        [5, "u16", 0],
        [6, "text8", "10338040"],
        [14, "text8", "90342FD000123"],
        [56, "u32le", 6],
        [100, "f32le", home.pvW],
        [210, "f32le", home.socPct],
        [252, "f32le", home.gridW],
        [514, "u16", home.socPct],
        [531, "u16", 10_000],
        [582, "i16", negative(home.batteryW)],
        [1_046, "f32le", home.chargeWh],
        [1_048, "f32le", home.dischargeWh],
        [1_056, "f32le", home.pvWh],
        [1_066, "f32le", home.pvW],
        [1_068, "f32le", CAPACITY_WH],
        [1_076, "f32le", MAX_CHARGE_W],
        [1_078, "f32le", MAX_DISCHARGE_W],
      ],
      71,
    ),
    expected: only([...BATTERY, "pv_kwh"]),
  }),
  modbusFamily({
    template: "solaredge-storedge",
    title: "inverter, meter 1, battery 1",
    units: (home) => {
      const table = sunspecTable(40_000, [
        [
          1,
          65,
          [
            [2, "text16", "SolarEdge"],
            [18, "text16", "SE10K-RWS48BEN4"],
            [50, "text16", "7E123456"],
          ],
        ],
        [
          103,
          50,
          [
            [14, "i16", home.pvW === null ? null : home.pvW - nothing(home.batteryW)],
            [15, "i16", 0],
            [24, "u32", home.pvWh],
            [26, "i16", 0],
            // PV without what goes into the battery.
            [31, "i16", home.pvW === null ? null : home.pvW - nothing(home.batteryW)],
            [32, "i16", 0],
            [38, "u16", 4],
          ],
        ],
        [
          1,
          65,
          [
            [2, "text16", "WattNode"],
            [18, "text16", "WNC-3Y-400-MB"],
          ],
        ],
        // Positive into the grid.
        [
          203,
          105,
          [
            [18, "i16", negative(home.gridW / 10)],
            [22, "i16", 1],
            [38, "u32", home.exportWh],
            [46, "u32", home.importWh],
            [54, "i16", 0],
          ],
        ],
      ]);
      const battery: Row[] = [
        [57_600, "text16", "LG"],
        [57_668, "f32le", MAX_CHARGE_W],
        [57_670, "f32le", MAX_DISCHARGE_W],
        [57_716, "f32le", home.batteryW, 0xff7f_ffffn],
        [57_718, "u64le", home.dischargeWh],
        [57_722, "u64le", home.chargeWh],
        [57_726, "f32le", CAPACITY_WH],
        [57_732, "f32le", home.socPct, 0xff7f_ffffn],
      ];
      return { 1: { holding: [...table.holding!, ...battery] } };
    },
    expected: only([...BATTERY, "import_kwh", "export_kwh"]),
  }),
  modbusFamily({
    template: "sigenergy",
    title: "plant",
    units: inputs(
      (home) => [
        [30_003, "u16", 0],
        [30_005, "i32", home.gridW],
        [30_014, "u16", times(home.socPct, 10)],
        [30_035, "i32", home.pvW],
        [30_037, "i32", home.batteryW],
        [30_068, "u32", MAX_CHARGE_W],
        [30_070, "u32", MAX_DISCHARGE_W],
        [30_083, "u32", CAPACITY_WH / 10],
        [30_088, "u64", home.pvWh / 10],
        [30_200, "u64", home.chargeWh / 10],
        [30_204, "u64", home.dischargeWh / 10],
        [30_216, "u64", home.importWh / 10],
        [30_220, "u64", home.exportWh / 10],
        [30_284, "i32", home.loadW],
      ],
      247,
    ),
    expected: only([...BATTERY, "pv_kwh", "import_kwh", "export_kwh"]),
  }),
  modbusFamily({
    template: "e3dc",
    title: "simple mode",
    units: holdings((home) => [
      [40_000, "u16", 0xe3dc],
      [40_001, "u16", 0x0102],
      [40_003, "text16", "HagerEnergy GmbH"],
      [40_019, "text16", "S10 E AIO"],
      [40_035, "text16", "S10-123456789012"],
      [40_067, "i32le", nothing(home.pvW)],
      [40_069, "i32le", nothing(home.batteryW)],
      [40_071, "i32le", home.loadW],
      [40_073, "i32le", home.gridW],
      [40_075, "i32le", 0],
      [40_082, "u16", soc(home)],
    ]),
    expected: asZero([...BATTERY, "load_power_kw"]),
  }),
  modbusFamily({
    template: "fox-ess",
    title: "H3",
    units: holdings(
      (home) => [
        [31_002, "i16", nothing(times(home.pvW, 0.6))],
        [31_005, "i16", nothing(times(home.pvW, 0.4))],
        ...PHASES.map((part, phase): Row => [31_026 + phase, "i16", -home.gridW * part]),
        [31_036, "i16", nothing(negative(home.batteryW))],
        [31_038, "u16", soc(home)],
        [32_012, "u32", home.importWh / 100],
        [41_009, "u16", MIN_SOC_PCT],
      ],
      247,
    ),
    expected: asZero(BATTERY),
  }),
  modbusFamily({
    template: "fox-ess",
    title: "H3 Smart",
    with: { model: "h3-smart" },
    units: holdings(
      (home) => [
        [37_612, "u16", soc(home)],
        ...PHASES.map((part, phase): Row => [38_816 + phase * 2, "i32", -home.gridW * part * 10]),
        [39_237, "i32", nothing(negative(home.batteryW))],
        ...[0.6, 0.4, 0, 0, 0, 0].map(
          (part, string): Row => [39_279 + string * 2, "i32", nothing(times(home.pvW, part))],
        ),
        [39_617, "u32", home.importWh / 10],
      ],
      247,
    ),
    expected: asZero(BATTERY),
  }),
  modbusFamily({
    template: "deye",
    title: "three phases, low voltage",
    units: holdings((home) => [
      [0, "u16", 5],
      [516, "u32le", home.chargeWh / 100],
      [518, "u32le", home.dischargeWh / 100],
      [522, "u32le", home.importWh / 100],
      [524, "u32le", home.exportWh / 100],
      [534, "u32le", home.pvWh / 100],
      [586, "u16", 1_215],
      [588, "u16", soc(home)],
      [590, "i16", nothing(negative(home.batteryW))],
      [625, "i16", home.gridW],
      [653, "u16", home.loadW],
      ...[0.6, 0.4, 0, 0].map((part, string): Row => [672 + string, "u16", nothing(times(home.pvW, part))]),
    ]),
    expected: asZero([...BATTERY, "pv_kwh", "import_kwh", "export_kwh"]),
  }),
  modbusFamily({
    template: "solax",
    title: "X3 Hybrid G4",
    units: (home) => ({
      1: {
        holding: [[0, "text7", "H34B10H1234567"]],
        input: [
          [10, "u16", nothing(times(home.pvW, 0.6))],
          [11, "u16", nothing(times(home.pvW, 0.4))],
          [22, "i16", nothing(home.batteryW)],
          [24, "i16", 21],
          [28, "u16", soc(home)],
          [70, "i32le", -home.gridW],
          [72, "u32le", home.exportWh / 10],
          [74, "u32le", home.importWh / 10],
          [148, "u32le", home.pvWh / 100],
        ],
      },
    }),
    expected: asZero([...BATTERY, "pv_kwh", "import_kwh", "export_kwh"]),
  }),
  modbusFamily({
    template: "growatt",
    title: "SPH",
    units: inputs((home) => [
      [1, "u32", nothing(home.pvW) * 10],
      [91, "u32", home.pvWh / 100],
      [1_009, "u32", discharge(home) * 10],
      [1_011, "u32", charge(home) * 10],
      [1_014, "u16", soc(home)],
      [1_021, "u32", Math.max(0, home.gridW) * 10],
      [1_029, "u32", Math.max(0, -home.gridW) * 10],
      [1_046, "u32", home.importWh / 100],
      [1_054, "u32", home.dischargeWh / 100],
    ]),
    expected: asZero(BATTERY),
  }),
  modbusFamily({
    template: "growatt",
    title: "MIN TL-XH",
    with: { model: "tl-xh" },
    units: inputs((home) => [
      ...[0.6, 0.4, 0, 0].map(
        (part, string): Row => [3_005 + string * 4, "u32", nothing(times(home.pvW, part)) * 10],
      ),
      [3_041, "u32", Math.max(0, home.gridW) * 10],
      [3_043, "u32", Math.max(0, -home.gridW) * 10],
      [3_053, "u32", home.pvWh / 100],
      [3_069, "u32", home.importWh / 100],
      [3_171, "u16", soc(home)],
      [3_178, "u32", discharge(home) * 10],
      [3_180, "u32", charge(home) * 10],
    ]),
    expected: asZero(BATTERY),
  }),
  modbusFamily({
    template: "solis",
    title: "S series",
    units: inputs((home) => [
      [33_057, "u32", nothing(home.pvW)],
      [33_135, "u16", nothing(home.batteryW) >= 0 ? 0 : 1],
      [33_139, "u16", soc(home)],
      [33_147, "u16", home.loadW],
      [33_149, "i32", Math.abs(nothing(home.batteryW))],
      [33_263, "i32", -home.gridW],
      [33_283, "u32", home.importWh / 10],
      [33_285, "u32", home.exportWh / 10],
    ]),
    expected: asZero([...BATTERY, "import_kwh", "export_kwh"]),
  }),
  modbusFamily({
    template: "marstek",
    title: "Venus, second generation",
    framing: "rtu",
    units: holdings((home) => [
      [32_104, "u16", soc(home)],
      [32_105, "u16", 5_120],
      [32_202, "i32", nothing(negative(home.batteryW))],
    ]),
    expected: asZero(["battery_power_kw", "soc_pct"]),
  }),
  modbusFamily({
    template: "varta",
    title: "pulse neo",
    units: holdings(
      (home) => [
        [1_066, "i16", nothing(home.batteryW)],
        [1_068, "i16", soc(home)],
        [1_078, "i16", -home.gridW],
        [1_102, "u16", nothing(home.pvW)],
      ],
      255,
    ),
    expected: asZero(BATTERY),
  }),
];
