import type { CommandedFamily } from "./commanded-device.js";

/** Limits of charging and discharging that must be renewed. */
export const SMA_LIMITS: CommandedFamily = {
  template: "sma-hybrid",
  title: "limits",
  unit: 3,
  rows: [
    [40_236, "u32", 2_424],
    [40_793, "u32", 0],
    [40_795, "u32", 20_000],
    [40_797, "u32", 0],
    [40_799, "u32", 20_000],
    [40_801, "u32", 0],
  ],
  writable: Array.from({ length: 10 }, (_, index) => 40_793 + index).concat(40_236, 40_237),
  only: { 40236: 16, 40793: 16, 40795: 16, 40797: 16, 40799: 16, 40801: 16 },
  obey: (device) => {
    const mode = device.u32(40_236);
    if (mode === 2_289) return { forceW: Math.max(device.u32(40_793), device.u32(40_795)) };
    if (mode === 2_290) return { forceW: -Math.max(device.u32(40_797), device.u32(40_799)) };
    return { mostChargeW: device.u32(40_795), mostDischargeW: device.u32(40_799) };
  },
  lease: () => 300,
  forget: (device) => {
    device.set(40_236, 0, 2_424);
    device.set(40_795, 0, 20_000);
    device.set(40_799, 0, 20_000);
  },
};

/** The power at the inverter's output, with its PV in it. */
export const SMA_SETPOINT: CommandedFamily = {
  template: "sma-hybrid",
  title: "set-point",
  with: { transport: "setpoint" },
  unit: 3,
  rows: [
    [40_149, "i32", 0],
    [40_151, "u32", 803],
  ],
  writable: [40_149, 40_150, 40_151, 40_152],
  left: [40_149, 40_150],
  only: { 40149: 16, 40151: 16 },
  obey: (device) => (device.u32(40_151) === 802 ? { acW: device.i32(40_149) } : {}),
  lease: () => 600,
  forget: (device) => device.set(40_151, 0, 803),
};

/** Regulates the grid to a set-point, within limits for charging (A) and discharging (W); -1: none. */
export const VICTRON: CommandedFamily = {
  template: "victron-gx",
  title: "Modbus",
  with: { transport: "modbus" },
  unit: 100,
  rows: [
    [2_705, "i16", -1],
    [2_716, "i32", 0],
    [2_720, "i32", -1],
  ],
  writable: [2_705, 2_716, 2_717, 2_720, 2_721],
  only: { 2705: 6, 2716: 16, 2720: 16 },
  obey: (device) => {
    const [amperes, watts] = [device.i16(2_705), device.i32(2_720)];
    return {
      gridW: device.i32(2_716),
      ...(amperes >= 0 && { mostChargeW: amperes * 52 }),
      ...(watts >= 0 && { mostDischargeW: watts }),
    };
  },
  disturb: (device) => device.set(2_720, 0, 333),
  lease: () => 60,
  forget: (device) => device.set(2_716, 0, 0),
};

/** The power of the battery at DC, + discharging; in force until the time-out of the inverter. */
export const KOSTAL: CommandedFamily = {
  template: "kostal-plenticore",
  title: "set-point of the battery",
  unit: 71,
  rows: [[1034, "f32le", 0]],
  writable: [1034, 1035],
  only: { 1034: 16 },
  left: [1034, 1035],
  settlesS: 40,
  obey: (device) => (device.sinceWriteS < 30 ? { forceW: -device.f32(1034, true) } : {}),
  lease: () => 30,
};

export const MARSTEK: CommandedFamily = {
  template: "marstek",
  title: "Venus",
  unit: 1,
  rows: [
    [42_000, "u16", 21_947],
    [42_010, "u16", 0],
    [42_020, "u16", 0],
    [42_021, "u16", 0],
    [43_000, "u16", 1],
  ],
  writable: [42_000, 42_010, 42_020, 42_021, 43_000],
  left: [42_020, 42_021],
  mostW: 2_500,
  obey: (device) => {
    if (device.u16(42_000) !== 21_930) return {};
    const force = device.u16(42_010);
    return { forceW: force === 1 ? device.u16(42_020) : force === 2 ? -device.u16(42_021) : 0 };
  },
  disturb: (device) => device.set(42_000, 21_947),
};

/** The allowed discharge as a negative number, for two minutes. */
export const VARTA: CommandedFamily = {
  template: "varta",
  title: "pulse",
  unit: 255,
  rows: [[1074, "i16", -5_000]],
  writable: [1074],
  left: [1074],
  obey: (device) => ({ mostDischargeW: -device.i16(1074) }),
  lease: () => 120,
  forget: (device) => device.set(1074, -5_000),
};
