import type { UnitTable } from "./family.js";
import { CAPACITY_WH, type Home, MAX_CHARGE_W, MAX_DISCHARGE_W, MIN_SOC_PCT } from "./home.js";
import type { Row } from "./registers.js";

/** A SunSpec model: number, length, and points by their offset from the model's number. */
type Model = readonly [id: number, length: number, points: readonly Row[]];

const MARKER: Row[] = [
  [0, "u16", 0x5375],
  [1, "u16", 0x6e53],
];

/** Models one after the other from `base` on. Registers without a point say "not implemented". */
export function sunspecTable(base: number, models: readonly Model[]): UnitTable {
  const rows: Row[] = MARKER.map(([at, type, value]) => [base + at, type, value] as const);
  let start = base + 2;
  for (const [id, length, points] of models) {
    for (let offset = 2; offset < length + 2; offset += 1) rows.push([start + offset, "u16", null]);
    rows.push([start, "u16", id], [start + 1, "u16", length]);
    for (const [offset, type, value, missing] of points) rows.push([start + offset, type, value, missing]);
    start += length + 2;
  }
  rows.push([start, "u16", 0xffff], [start + 1, "u16", 0]);
  return { holding: rows };
}

const NO_SF = 0x8000n;

export function common(manufacturer: string, model: string, serial: string, length = 65): Model {
  return [
    1,
    length,
    [
      [2, "text16", manufacturer],
      [18, "text16", model],
      [34, "text8", ""],
      [42, "text8", "1.38.6-1"],
      [50, "text16", serial],
    ],
  ];
}

/** The finest scale factor with which all values fit into 16 bits: it changes while the device runs. */
function finestScale(values: readonly (number | null)[], most: number): number {
  const largest = Math.max(...values.map((value) => Math.abs(value ?? 0)));
  return largest * 100 < most ? -2 : largest * 10 < most ? -1 : 0;
}

export const scaled = (value: number | null, factor: number) =>
  value === null ? null : value / 10 ** factor;
export const pvMinusBattery = ({ pvW, batteryW }: Home) =>
  pvW === null || batteryW === null ? null : pvW - batteryW;

export function inverter(
  id: 101 | 102 | 103,
  acW: number | null,
  wh: number,
  dcW: number | null = null,
): Model {
  const factor = finestScale([acW], 32_767);
  return [
    id,
    50,
    [
      [14, "i16", scaled(acW, factor)],
      [15, "i16", factor],
      [24, "u32", wh],
      [26, "i16", 0],
      [31, "i16", scaled(dcW, 0)],
      [32, "i16", dcW === null ? null : 0],
      [33, "i16", null],
      [38, "u16", acW === null ? 2 : 4],
    ],
  ];
}

export function floatInverter(
  id: 111 | 112 | 113,
  acW: number | null,
  wh: number,
  dcW: number | null = null,
): Model {
  const points: Row[] = [
    [22, "f32", acW],
    [32, "f32", wh],
    [38, "f32", dcW],
    [48, "u16", acW === null ? 2 : 4],
  ];
  const all: Row[] = Array.from({ length: 23 }, (_, index) => [2 + index * 2, "f32", null]);
  return [id, 60, [...all, ...points]];
}

export function meter(id: 201 | 202 | 203 | 204, gridW: number, home: Home): Model {
  const factor = finestScale([gridW], 32_767);
  return [
    id,
    105,
    [
      [18, "i16", scaled(gridW, factor)],
      [19, "i16", scaled(gridW * 0.5, factor)],
      [20, "i16", scaled(gridW * 0.3, factor)],
      [21, "i16", scaled(gridW * 0.2, factor)],
      [22, "i16", factor],
      [38, "u32", home.exportWh / 10],
      [46, "u32", home.importWh / 10],
      [54, "i16", 1],
    ],
  ];
}

export function floatMeter(id: 211 | 212 | 213 | 214, gridW: number, home: Home): Model {
  const all: Row[] = Array.from({ length: 61 }, (_, index) => [2 + index * 2, "f32", null]);
  return [
    id,
    124,
    [...all, [28, "f32", gridW], [30, "f32", gridW], [60, "f32", home.exportWh], [68, "f32", home.importWh]],
  ];
}

export const NAMEPLATE: Model = [
  120,
  26,
  [
    [2, "u16", 82],
    [3, "u16", 1000],
    [4, "i16", 1],
    [19, "u16", CAPACITY_WH],
    [20, "i16", 0],
    [23, "u16", MAX_CHARGE_W / 10],
    [24, "i16", 1],
    [25, "u16", MAX_DISCHARGE_W / 10],
    [26, "i16", 1],
  ],
];

/** Two strings of PV, then charging and discharging of the battery, as in a Fronius GEN24. */
export function modules({ pvW, pvWh, batteryW, chargeWh, dischargeWh }: Home): Model {
  const charge = batteryW === null ? null : Math.max(0, batteryW);
  const discharge = batteryW === null ? null : Math.max(0, -batteryW);
  const first = pvW === null ? null : pvW * 0.55;
  const second = pvW === null ? null : pvW * 0.45;
  const factor = finestScale([first, second, charge, discharge], 65_535);
  const module = (number: number, name: string, w: number | null, wh: number): Row[] => {
    const at = 10 + (number - 1) * 20;
    return [
      [at, "u16", number],
      [at + 1, "text8", name],
      [at + 11, "u16", scaled(w, factor)],
      [at + 12, "u32", wh],
      [at + 16, "i16", null],
    ];
  };
  return [
    160,
    88,
    [
      [2, "i16", -2],
      [3, "i16", -1],
      [4, "i16", factor],
      [5, "i16", 0],
      [8, "u16", 4],
      ...module(1, "MPPT 1", first, pvWh * 0.55),
      ...module(2, "MPPT 2", second, pvWh * 0.45),
      ...module(3, "StCha 3", charge, chargeWh),
      ...module(4, "StDisCha 4", discharge, dischargeWh),
    ],
  ];
}

export const storage = ({ socPct, batteryW }: Home): Model => [
  124,
  24,
  [
    [2, "u16", MAX_CHARGE_W],
    [5, "u16", 0],
    [7, "u16", MIN_SOC_PCT * 100],
    [8, "u16", scaled(socPct, -2)],
    [11, "u16", batteryW === null ? 6 : batteryW > 0 ? 4 : 3],
    [12, "i16", 10_000],
    [13, "i16", 10_000],
    [15, "u16", 0],
    [17, "u16", 1],
    [18, "i16", 0],
    [20, "i16", null, NO_SF],
    [21, "i16", -2],
    [22, "i16", -2],
    [23, "i16", null, NO_SF],
    [24, "i16", null, NO_SF],
    [25, "i16", -2],
  ],
];

export const BETWEEN: Model[] = [
  [121, 30, []],
  [122, 44, []],
  [
    123,
    24,
    [
      [5, "u16", 10_000],
      [9, "u16", 0],
      [23, "i16", -2],
    ],
  ],
];
