import { type Family, modbusFamily, wallbox } from "./family.js";
import type { Home } from "./home.js";
import type { Row } from "./registers.js";

const inputs = (rows: (home: Home) => readonly Row[]) => (home: Home) => ({ 1: { input: rows(home) } });
const holdings =
  (rows: (home: Home) => readonly Row[], unit = 1) =>
  (home: Home) => ({ [unit]: { holding: rows(home) } });

/** Heat pumps and wallboxes that are read over Modbus. */
export const CONSUMER_FAMILIES: readonly Family[] = [
  modbusFamily({
    template: "idm",
    title: "Navigator 2.0",
    units: holdings((home) => [
      [1_000, "f32le", 3.4],
      [1_008, "f32le", 38.2],
      [1_014, "f32le", home.heatC],
      [4_122, "f32le", home.heatW / 1000],
    ]),
    expected: (home) => ({ power_kw: home.heatW / 1000, temperature_c: home.heatC }),
  }),
  modbusFamily({
    template: "lambda",
    title: "firmware 1.1.3 and later",
    units: holdings((home) => [
      [103, "i16", home.heatW],
      [1_012, "i16", home.heatW],
      [1_020, "i32", 1_234_000],
      [2_002, "i16", home.heatC * 10],
    ]),
    expected: (home) => ({ power_kw: home.heatW / 1000, temperature_c: home.heatC }),
  }),
  modbusFamily({
    template: "stiebel-isg",
    title: "WPM",
    units: inputs((home) => [
      [517, "i16", 382],
      [521, "i16", home.heatC * 10],
      [5_000, "u16", 2],
    ]),
    expected: (home) => ({ temperature_c: home.heatC }),
  }),
  modbusFamily({
    template: "keba",
    title: "Modbus TCP",
    units: holdings(
      ({ carW, carWh }) => [
        [1_000, "u32", carW ? 3 : 2],
        [1_004, "u32", carW === null ? 3 : 7],
        [1_014, "u32", 18_651_234],
        [1_016, "u32", 311_224],
        [1_020, "u32", (carW ?? 0) * 1000],
        [1_036, "u32", carWh * 10],
      ],
      255,
    ),
    expected: wallbox,
  }),
];
