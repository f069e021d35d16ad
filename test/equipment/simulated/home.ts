/** Powers in W, energies in Wh; battery + charging, grid + import. Null: the device does not know it. */
export interface Home {
  /** A name for the test's title. */
  point: string;
  pvW: number | null;
  batteryW: number | null;
  gridW: number;
  loadW: number;
  socPct: number | null;
  importWh: number;
  exportWh: number;
  pvWh: number;
  chargeWh: number;
  dischargeWh: number;
  /** The car at the wallbox; null: none is connected. */
  carW: number | null;
  carWh: number;
  /** A heater or a heat pump. */
  heatW: number;
  heatC: number;
}

/** What every home has, whatever the time. */
export const CAPACITY_WH = 10_240;
export const MAX_CHARGE_W = 5_000;
export const MAX_DISCHARGE_W = 4_800;
export const MIN_SOC_PCT = 7;

/** A sunny noon: the battery charges and the rest is exported. */
export const NOON: Home = {
  point: "noon",
  pvW: 6_400,
  batteryW: 2_100,
  gridW: -3_412,
  loadW: 888,
  socPct: 62,
  importWh: 4_321_000,
  exportWh: 2_100_400,
  pvWh: 12_345_600,
  chargeWh: 3_456_700,
  dischargeWh: 3_210_300,
  carW: null,
  carWh: 1_234_500,
  heatW: 1_480,
  heatC: 47.5,
};

/** An evening with a car: the battery discharges, and the rest is bought. */
export const EVENING: Home = {
  ...NOON,
  point: "evening",
  pvW: 140,
  batteryW: -1_850,
  gridW: 10_610,
  loadW: 12_600,
  socPct: 47,
  importWh: 4_325_600,
  exportWh: 2_117_800,
  pvWh: 12_379_400,
  chargeWh: 3_464_300,
  dischargeWh: 3_214_900,
  carW: 10_980,
  carWh: 1_239_800,
  heatW: 0,
  heatC: 58.5,
};

/** Night: the inverter sleeps, so what it measures is not known; the meter counts on. */
export const NIGHT: Home = {
  ...EVENING,
  point: "night",
  pvW: null,
  batteryW: null,
  gridW: 312,
  loadW: 312,
  socPct: null,
  importWh: 4_331_200,
  carW: 0,
  heatC: 54,
};

export const POINTS: readonly Home[] = [NOON, EVENING, NIGHT];
