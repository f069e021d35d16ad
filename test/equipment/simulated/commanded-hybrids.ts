import { type CommandedFamily, MOST_W } from "./commanded-device.js";
import type { Row } from "./registers.js";

export const HUAWEI: CommandedFamily = {
  template: "huawei-sun2000",
  title: "with LUNA2000",
  unit: 1,
  rows: [
    [37_046, "u32", MOST_W],
    [37_048, "u32", MOST_W],
    [47_075, "u32", MOST_W],
    [47_077, "u32", 4_500],
    [47_083, "u16", 60],
    [47_087, "u16", 0],
    [47_100, "u16", 0],
    [47_246, "u16", 0],
    [47_247, "u32", 0],
    [47_249, "u32", 0],
  ],
  writable: [47_075, 47_076, 47_077, 47_078, 47_083, 47_087, 47_100, 47_246, 47_247, 47_248, 47_249, 47_250],
  only: { 47075: 16, 47077: 16, 47083: 6, 47087: 6, 47100: 6, 47246: 6, 47247: 16, 47249: 16 },
  left: [47_083, 47_246, 47_247, 47_248, 47_249, 47_250],
  refuses: (_, address, value) => [47_076, 47_078, 47_248, 47_250].includes(address) && value > MOST_W,
  obey: (device) => {
    const limits = { mostChargeW: device.u32(47_075), mostDischargeW: device.u32(47_077) };
    const force = device.u16(47_100);
    if (force === 1) {
      const wanted = device.u32(47_247);
      return { ...limits, forceW: device.u16(47_087) === 1 ? wanted : Math.min(wanted, device.home.pvW) };
    }
    return force === 2 ? { ...limits, forceW: -device.u32(47_249) } : limits;
  },
  disturb: (device) => device.set(47_077, 0, 777),
  lease: (device) => (device.u16(47_100) === 0 ? 0 : device.u16(47_083) * 60),
  forget: (device) => device.set(47_100, 0),
};

/** Modes: 0 own control within the limits, 2 forced, also within them. */
export const SUNGROW: CommandedFamily = {
  template: "sungrow-sh",
  title: "LAN port",
  unit: 1,
  rows: [
    [13_049, "u16", 0],
    [13_050, "u16", 204],
    [13_051, "u16", 0],
    [33_046, "u16", 500],
    [33_047, "u16", 480],
  ],
  input: [[5_627, "u16", 50]],
  writable: [13_049, 13_050, 13_051, 33_046, 33_047],
  left: [13_051],
  refuses: (_, address, value) => address >= 33_046 && value < 1,
  obey: (device) => {
    const limits = { mostChargeW: device.u16(33_046) * 10, mostDischargeW: device.u16(33_047) * 10 };
    if (device.u16(13_049) !== 2) return limits;
    const sign = { 170: 1, 187: -1 }[device.u16(13_050)] ?? 0;
    return { ...limits, forceW: sign * device.u16(13_051) };
  },
  disturb: (device) => device.set(13_049, 3),
};

export const GOODWE: CommandedFamily = {
  template: "goodwe-et",
  title: "modes of the energy management",
  unit: 247,
  rows: [
    [47_511, "u16", 1],
    [47_512, "u16", 0],
  ],
  writable: [47_511, 47_512],
  obey: (device) => {
    const power = device.u16(47_512);
    switch (device.u16(47_511)) {
      case 2:
        return power > 0 ? { forceW: device.home.pvW + power } : { mostDischargeW: 0 };
      case 3:
        return { forceW: -power };
      case 8:
        return { forceW: 0 };
      case 11:
        return { forceW: power };
      default:
        return {};
    }
  },
  disturb: (device) => device.set(47_511, 9),
};

export const SIGENERGY: CommandedFamily = {
  template: "sigenergy",
  title: "remote control",
  unit: 247,
  rows: [
    [40_029, "u16", 0],
    [40_031, "u16", 0],
    [40_032, "u32", MOST_W],
    [40_034, "u32", 4_700],
  ],
  input: [
    [30_068, "u32", MOST_W],
    [30_070, "u32", MOST_W],
  ],
  writable: [40_029, 40_031, 40_032, 40_033, 40_034, 40_035],
  left: [40_031],
  obey: (device) => {
    if (device.u16(40_029) !== 1) return {};
    const [charge, discharge] = [device.u32(40_032), device.u32(40_034)];
    switch (device.u16(40_031)) {
      case 2:
        return { mostChargeW: charge, mostDischargeW: discharge };
      case 4:
        return { forceW: charge };
      case 6:
        return { forceW: -discharge };
      default:
        return { forceW: 0 };
    }
  },
  disturb: (device) => device.set(40_031, 5),
};

/** The power at the grid side, + out. Enable and time-out are written alone. */
export const fox = (model: string, at: number): CommandedFamily => ({
  template: "fox-ess",
  title: model,
  with: { model },
  unit: 247,
  rows: [
    [at, "u16", 0],
    [at + 1, "u16", 600],
    [at + 2, model === "h1" ? "i16" : "i32", 0],
  ],
  writable: [at, at + 1, at + 2, at + 3],
  only: { [at]: 6, [at + 1]: 6, [at + 2]: 16 },
  left: [at + 1, at + 2, at + 3],
  obey: (device) =>
    device.u16(at) === 1 ? { acW: model === "h1" ? device.i16(at + 2) : device.i32(at + 2) } : {},
  disturb: (device) => device.set(at + 2, 0x7fff, 0),
  lease: (device) => (device.u16(at) === 1 ? device.u16(at + 1) : 0),
  forget: (device) => device.set(at, 0),
});

/** Currents of a battery with 50 V; it charges from the grid below the SOC of the setting while the time table is off. */
export const DEYE: CommandedFamily = {
  template: "deye",
  title: "three phases",
  with: { battery_v: 50 },
  unit: 1,
  rows: [
    [108, "u16", 100],
    [109, "u16", 95],
    [127, "u16", 20],
    [128, "u16", 40],
    [130, "u16", 0],
    [146, "u16", 255],
  ],
  writable: [108, 109, 127, 128, 130, 146],
  only: { 108: 16, 109: 16, 127: 16, 128: 16, 130: 16, 146: 16 },
  obey: (device) => {
    const limits = { mostChargeW: device.u16(108) * 50, mostDischargeW: device.u16(109) * 50 };
    const isCharging =
      device.u16(130) === 1 && (device.u16(146) & 1) === 0 && device.home.socPct < device.u16(127);
    return isCharging ? { ...limits, forceW: device.u16(128) * 50 } : limits;
  },
  disturb: (device) => device.set(109, 33),
};

/** A block that is written as a whole; the power at the grid side, + from the grid, for the duration. */
export const SOLAX: CommandedFamily = {
  template: "solax",
  title: "remote control, mode 1",
  unit: 1,
  rows: Array.from({ length: 13 }, (_, index): Row => [124 + index, "u16", 0]),
  writable: Array.from({ length: 13 }, (_, index) => 124 + index),
  left: Array.from({ length: 12 }, (_, index) => 125 + index),
  obey: (device) => (device.u16(124) === 1 ? { acW: -device.i32(126, true) } : {}),
  lease: (device) => (device.u16(124) === 1 ? device.u16(130) : 0),
  forget: (device) => device.set(124, 0),
};

/** A slot in which the battery comes first; its end alone is refused. It charges with the power of its settings. */
export const growatt = (model: string, slot: number, ac: number): CommandedFamily => ({
  template: "growatt",
  title: model,
  with: { model },
  unit: 1,
  rows: [
    [slot, "u16", model === "sph" ? 0 : 8_192],
    [slot + 1, "u16", 5_947],
    ...(model === "sph" ? [[slot + 2, "u16", 0] as const] : []),
    [ac, "u16", 0],
  ],
  writable: [slot, slot + 1, slot + 2, ac],
  only: { [slot]: 16, [slot + 1]: 16, [ac]: 16 },
  obey: (device) => {
    const isOn = model === "sph" ? device.u16(slot + 2) === 1 : (device.u16(slot) & 0x8000) !== 0;
    if (!isOn) return {};
    return device.u16(ac) === 1 ? { forceW: 3_000 } : { mostDischargeW: 0 };
  },
  disturb: (device) => device.set(ac, 1),
});

export const SOLIS: CommandedFamily = {
  template: "solis",
  title: "remote control",
  unit: 1,
  rows: [
    [43_129, "u16", 0],
    [43_135, "u16", 0],
    [43_136, "u16", 0],
  ],
  writable: [43_129, 43_135, 43_136],
  left: [43_129, 43_136],
  obey: (device) => {
    const force = device.u16(43_135);
    if (force === 1) return { forceW: device.u16(43_136) * 10 };
    return force === 2 ? { forceW: -device.u16(43_129) * 10 } : {};
  },
  disturb: (device) => device.set(43_135, 2),
  lease: () => 120,
  forget: (device) => device.set(43_135, 0),
};
