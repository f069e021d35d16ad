import { type Expected, type Family, modbusFamily, only } from "./family.js";
import { CAPACITY_WH, type Home, MAX_CHARGE_W, MAX_DISCHARGE_W, MIN_SOC_PCT } from "./home.js";
import type { Row } from "./registers.js";

/** What Huawei, SMA and others send for "not available". */
const I16 = 0x7fffn;
const I32 = 0x7fff_ffffn;

const charging = (watts: number | null) => (watts === null ? null : Math.max(0, watts));
const discharging = (watts: number | null) => (watts === null ? null : Math.max(0, -watts));
const negative = (value: number | null) => (value === null ? null : -value);
const times = (value: number | null, factor: number) => (value === null ? null : value * factor);
const share = (value: number | null, part: number) => times(value, part);
const ac = ({ pvW, batteryW }: Home) => (pvW === null || batteryW === null ? null : pvW - batteryW);

const EVERYTHING = [
  "grid_power_kw",
  "import_kwh",
  "export_kwh",
  "pv_power_kw",
  "pv_kwh",
  "soc_pct",
  "battery_power_kw",
  "charge_kwh",
  "discharge_kwh",
] as const;

/** A battery that is off shows no power: hourgate must not know it, or know that it is none. */
const all = only(EVERYTHING);

function huawei(home: Home): Row[] {
  return [
    [30_000, "text15", "SUN2000-10KTL-M1"],
    [30_015, "text10", "HV2150123456"],
    [30_070, "u16", 424],
    [30_073, "u32", 10_000],
    [30_075, "u32", 11_000],
    [32_064, "i32", home.pvW, I32],
    [32_080, "i32", ac(home), I32],
    [32_089, "u16", home.pvW === null ? 0x0002 : 0x0200],
    // The energy at the AC side lacks what went into the battery.
    [32_106, "u32", home.pvWh / 10 - 34_567],
    [32_108, "u32", home.pvWh / 10],
    [37_000, "u16", home.batteryW === null ? 1 : 2],
    [37_001, "i32", home.batteryW, I32],
    [37_004, "u16", times(home.socPct, 10)],
    [37_046, "u32", MAX_CHARGE_W],
    [37_048, "u32", MAX_DISCHARGE_W],
    [37_100, "u16", 1],
    // Positive into the grid.
    [37_113, "i32", -home.gridW, I32],
    [37_119, "i32", -home.exportWh / 10, I32],
    [37_121, "i32", home.importWh / 10, I32],
    [37_758, "u32", CAPACITY_WH],
    [37_760, "u16", times(home.socPct, 10)],
    [37_762, "u16", home.batteryW === null ? 1 : 2],
    [37_765, "i32", home.batteryW, I32],
    [37_780, "u32", home.chargeWh / 10],
    [37_782, "u32", home.dischargeWh / 10],
    [47_081, "u16", 1000],
    [47_082, "u16", MIN_SOC_PCT * 10],
  ];
}

function emma(home: Home): Row[] {
  return [
    [30_222, "text20", "SmartHEMS"],
    [30_308, "u64", home.chargeWh / 10],
    [30_312, "u32", 412],
    [30_314, "u64", home.dischargeWh / 10],
    [30_348, "u64", home.pvWh / 10],
    [30_354, "u32", home.pvW],
    [30_356, "u32", home.loadW],
    [30_358, "i32", -home.gridW, I32],
    [30_360, "i32", home.batteryW, I32],
    [30_368, "u16", times(home.socPct, 100)],
    [31_657, "i32", home.gridW, I32],
    [31_679, "i64", home.importWh / 10],
    [31_687, "i64", home.exportWh / 10],
  ];
}

/** `isSigned`: firmware of 2025 and later. */
function sungrow(home: Home, isSigned: boolean): Row[] {
  const { batteryW } = home;
  const flow =
    (home.pvW ? 1 : 0) |
    (charging(batteryW) ? 2 : 0) |
    (discharging(batteryW) ? 4 : 0) |
    (home.gridW < 0 ? 16 : 32);
  return [
    [4_989, "text10", "A2290312345"],
    [4_999, "u16", 0x0e0f],
    [5_000, "u16", 100],
    [5_007, "i16", 312],
    [5_016, "u32le", home.pvW],
    ...(isSigned ? [[5_213, "i32le", negative(batteryW), I32] as const] : []),
    [5_600, "i32le", home.gridW, I32],
    [5_627, "u16", MAX_CHARGE_W / 100],
    [5_638, "u16", CAPACITY_WH / 10],
    [12_999, "u16", 0x40],
    [13_000, "u16", flow],
    [13_002, "u32le", home.pvWh / 100],
    [13_007, "i32le", home.loadW, I32],
    [13_009, "i32le", -home.gridW, I32],
    [13_020, "i16", 0],
    [13_021, "i16", isSigned ? negative(batteryW) : times(batteryW, Math.sign(batteryW ?? 0)), I16],
    [13_022, "u16", times(home.socPct, 10)],
    [13_023, "u16", 990],
    [13_024, "i16", 215],
    [13_026, "u32le", home.dischargeWh / 100],
    [13_036, "u32le", home.importWh / 100],
    [13_040, "u32le", home.chargeWh / 100],
    [13_045, "u32le", home.exportWh / 100],
  ];
}

/** Settings of a Sungrow, read with function 3. */
const SUNGROW_SETTINGS: Row[] = [
  [13_049, "u16", 0],
  [13_050, "u16", 0xcc],
  [13_051, "u16", 0],
  [13_057, "u16", 1000],
  [13_058, "u16", MIN_SOC_PCT * 10],
  [33_046, "u16", MAX_CHARGE_W / 10],
  [33_047, "u16", MAX_DISCHARGE_W / 10],
];

/** A block in which unused registers read 0, as the running data of a GoodWe. */
const zeros = (from: number, count: number): Row[] =>
  Array.from({ length: count }, (_, at) => [from + at, "u16", 0]);

function goodwe(home: Home): Row[] {
  return [
    ...zeros(35_000, 33),
    ...zeros(35_100, 125),
    ...zeros(36_000, 58),
    ...zeros(37_000, 24),
    [35_001, "u16", 10_000],
    [35_003, "text8", "9010KETU21BW0123"],
    [35_011, "text5", "GW10K-ET"],
    [35_105, "u32", share(home.pvW, 0.6)],
    [35_109, "u32", share(home.pvW, 0.4)],
    [35_117, "u32", null],
    [35_139, "i32", -home.gridW],
    [35_172, "i16", home.loadW],
    [35_182, "i32", negative(home.batteryW) ?? 0],
    [35_184, "u16", home.batteryW === null ? 1 : home.batteryW > 0 ? 3 : 2],
    [35_191, "u32", home.pvWh / 100],
    [35_206, "u32", home.chargeWh / 100],
    [35_209, "u32", home.dischargeWh / 100],
    [36_008, "i16", -home.gridW],
    [36_015, "f32", home.exportWh],
    [36_017, "f32", home.importWh],
    [36_025, "i32", -home.gridW],
    [37_003, "i16", 215],
    [37_007, "u16", home.socPct],
    [37_008, "u16", 98],
    [45_356, "u16", 100 - MIN_SOC_PCT],
    [47_511, "u16", 1],
    [47_512, "u16", 0],
  ];
}

function sma(home: Home): Row[] {
  const [import_, export_] = [Math.max(0, home.gridW), Math.max(0, -home.gridW)];
  return [
    [30_053, "u32", 19_051],
    [30_057, "u32", 3_012_345_678],
    [30_201, "u32", home.pvW === null ? 303 : 307],
    [30_513, "u64", home.pvWh],
    [30_581, "u32", home.importWh],
    [30_583, "u32", home.exportWh],
    [30_773, "i32", share(home.pvW, 0.5)],
    [30_775, "i32", ac(home)],
    [30_843, "i32", null],
    [30_845, "u32", home.socPct],
    [30_849, "i32", 215],
    [30_851, "u32", 41_234],
    [30_865, "i32", import_],
    [30_867, "i32", export_],
    [30_955, "u32", home.batteryW === null ? 303 : home.batteryW > 0 ? 2292 : 2293],
    [30_961, "i32", share(home.pvW, 0.5)],
    [31_393, "u32", charging(home.batteryW)],
    [31_395, "u32", discharging(home.batteryW)],
    [31_397, "u64", home.chargeWh],
    [31_401, "u64", home.dischargeWh],
    [40_187, "u32", CAPACITY_WH],
  ];
}

function victron(home: Home): Row[] {
  // PV on the output, on the grid side and at DC; three phases of the grid.
  const pv = (part: number) => (home.pvW ?? 0) * part;
  return [
    [800, "text6", "c0619ab12345"],
    ...[0.2, 0.2, 0.1].map((part, phase): Row => [808 + phase, "u16", pv(part)]),
    ...[0, 1, 2].map((phase): Row => [811 + phase, "u16", 0]),
    ...[0.5, 0.3, 0.2].map((part, phase): Row => [817 + phase, "u16", home.loadW * part]),
    ...[0.5, 0.3, 0.2].map((part, phase): Row => [820 + phase, "i16", home.gridW * part, I16]),
    [840, "u16", 521],
    [841, "i16", 0],
    [842, "i16", home.batteryW, I16],
    [843, "u16", home.socPct],
    [844, "u16", 1],
    [850, "u16", pv(0.5)],
    ...[0.2, 0.2, 0.1].map((part, phase): Row => [884 + phase * 2, "u32", pv(part)]),
    ...[0, 1, 2].map((phase): Row => [890 + phase * 2, "u32", 0]),
    ...[0.5, 0.3, 0.2].map((part, phase): Row => [902 + phase * 2, "u32", home.loadW * part]),
    ...[0.5, 0.3, 0.2].map((part, phase): Row => [908 + phase * 2, "i32", home.gridW * part, I32]),
  ];
}

/** Older firmware: 16 bits only, and a house with one phase. */
function victronOfOnePhase(home: Home): Row[] {
  const isOther = (address: number) => [818, 819, 821, 822].includes(address);
  return victron(home)
    .filter(([address]) => address < 884)
    .map(([address, type, value, missing]): Row => {
      if (isOther(address)) return [address, type, null, missing];
      if (address === 817) return [address, type, home.loadW];
      return address === 820 ? [address, type, home.gridW, missing] : [address, type, value, missing];
    });
}

const victronMeter = (home: Home): Row[] => [
  [2_634, "u32", home.importWh / 10],
  [2_636, "u32", home.exportWh / 10],
  ...[0.5, 0.3, 0.2].map((part, phase): Row => [2_638 + phase * 2, "i32", home.gridW * part, I32]),
];

/** While a battery is off, these families show 0 W. */
const zeroWhenOff = (home: Home): Expected => ({ battery_power_kw: (home.batteryW ?? 0) / 1000 });

export const HYBRID_FAMILIES: readonly Family[] = [
  modbusFamily({
    template: "huawei-sun2000",
    title: "behind the dongle",
    units: (home) => ({ 1: { holding: huawei(home) } }),
    expected: all,
  }),
  modbusFamily({
    template: "huawei-sun2000",
    title: "at the inverter's access point",
    with: { unit: 0 },
    units: (home) => ({ 0: { holding: huawei(home) } }),
    expected: all,
  }),
  modbusFamily({
    template: "huawei-emma",
    title: "built-in sensor",
    units: (home) => ({ 0: { holding: emma(home) } }),
    expected: only([...EVERYTHING, "load_power_kw"]),
  }),
  modbusFamily({
    template: "sungrow-sh",
    title: "firmware of 2025 and later",
    units: (home) => ({ 1: { input: sungrow(home, true), holding: SUNGROW_SETTINGS } }),
    expected: only([...EVERYTHING, "load_power_kw"]),
  }),
  modbusFamily({
    template: "sungrow-sh",
    title: "older firmware",
    units: (home) => ({ 1: { input: sungrow(home, false), holding: SUNGROW_SETTINGS } }),
    expected: only([...EVERYTHING, "load_power_kw"]),
  }),
  modbusFamily({
    template: "goodwe-et",
    title: "Modbus TCP",
    units: (home) => ({ 247: { holding: goodwe(home) } }),
    expected: only(EVERYTHING, zeroWhenOff),
  }),
  modbusFamily({
    template: "goodwe-et",
    title: "UDP",
    framing: "udp",
    with: { framing: "udp" },
    units: (home) => ({ 247: { holding: goodwe(home) } }),
    expected: only(EVERYTHING, zeroWhenOff),
  }),
  modbusFamily({
    template: "goodwe-et",
    title: "UDP, found by itself",
    framing: "udp",
    units: (home) => ({ 247: { holding: goodwe(home) } }),
    expected: only(EVERYTHING, zeroWhenOff),
  }),
  modbusFamily({
    template: "sma-hybrid",
    title: "with Home Manager",
    units: (home) => ({ 3: { holding: sma(home), input: sma(home) } }),
    expected: only(EVERYTHING.filter((name) => name !== "pv_kwh")),
  }),
  modbusFamily({
    template: "victron-gx",
    title: "Modbus TCP with grid meter",
    with: { transport: "modbus", grid_unit: 30 },
    units: (home) => ({
      100: { input: victron(home), holding: victron(home) },
      30: { input: victronMeter(home), holding: victronMeter(home) },
    }),
    expected: only(
      [
        "grid_power_kw",
        "import_kwh",
        "export_kwh",
        "pv_power_kw",
        "soc_pct",
        "battery_power_kw",
        "load_power_kw",
      ],
      (home) => ({ pv_power_kw: (home.pvW ?? 0) / 1000 }),
    ),
  }),
  modbusFamily({
    template: "victron-gx",
    title: "Modbus TCP, older firmware, one phase",
    with: { transport: "modbus" },
    units: (home) => ({ 100: { input: victronOfOnePhase(home) } }),
    expected: only(
      ["grid_power_kw", "pv_power_kw", "soc_pct", "battery_power_kw", "load_power_kw"],
      (home) => ({
        pv_power_kw: (home.pvW ?? 0) / 1000,
      }),
    ),
  }),
];
