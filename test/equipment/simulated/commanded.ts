import { KOSTAL, MARSTEK, SMA_LIMITS, SMA_SETPOINT, VARTA, VICTRON } from "./commanded-battery-systems.js";
import type { CommandedFamily } from "./commanded-device.js";
import { DEYE, fox, GOODWE, growatt, HUAWEI, SIGENERGY, SOLAX, SOLIS, SUNGROW } from "./commanded-hybrids.js";
import { GEN24, RESERVE, SOLAREDGE, STORAGE } from "./commanded-sunspec.js";

/** All simulated devices whose battery is commanded. */
export const COMMANDED: readonly CommandedFamily[] = [
  GEN24,
  HUAWEI,
  SUNGROW,
  GOODWE,
  SMA_LIMITS,
  SMA_SETPOINT,
  VICTRON,
  STORAGE,
  RESERVE,
  KOSTAL,
  SOLAREDGE,
  SIGENERGY,
  fox("h3", 44_000),
  fox("h3-smart", 46_001),
  fox("h1", 44_000),
  DEYE,
  SOLAX,
  growatt("sph", 1_100, 1_092),
  growatt("tl-xh", 3_038, 3_049),
  SOLIS,
  MARSTEK,
  VARTA,
];
