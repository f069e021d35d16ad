import { type CommandedFamily, MOST_W } from "./commanded-device.js";
import { sunspecTable } from "./sunspec.js";

/** Percent of the rated power with two decimals. */
const gen24Watts = (rate: number) => (rate / 10_000) * MOST_W;

/** Model 124 of a GEN24 that starts at 40343: bit 0 limits charging, bit 1 discharging; a negative limit forces the opposite. */
export const GEN24: CommandedFamily = {
  template: "fronius-gen24",
  title: "model 124",
  unit: 1,
  rows: sunspecTable(40_000, [
    [
      1,
      65,
      [
        [2, "text16", "Fronius"],
        [18, "text16", "Symo GEN24 10.0 Plus"],
        [50, "text16", "34119102"],
      ],
    ],
    [103, 50, []],
    [120, 26, []],
    [121, 30, []],
    [122, 44, []],
    [123, 24, []],
    [160, 88, [[8, "u16", 4]]],
    [
      124,
      24,
      [
        [2, "u16", MOST_W],
        [5, "u16", 0],
        [8, "u16", 5_000],
        [12, "i16", 10_000],
        [13, "i16", 10_000],
        [15, "u16", 0],
        [17, "u16", 0],
        [18, "i16", 0],
        [22, "i16", -2],
        [25, "i16", -2],
      ],
    ],
  ]).holding!,
  writable: [40_348, 40_355, 40_356, 40_358, 40_360],
  obey: (device) => {
    const [mode, out, into] = [device.u16(40_348), device.i16(40_355), device.i16(40_356)];
    if (mode & 2 && out < 0) {
      const wanted = -gen24Watts(out);
      return { forceW: device.u16(40_360) === 1 ? wanted : Math.min(wanted, device.home.pvW) };
    }
    if (mode & 1 && into < 0) return { forceW: gen24Watts(into) };
    return {
      ...(mode & 1 && { mostChargeW: gen24Watts(into) }),
      ...(mode & 2 && { mostDischargeW: gen24Watts(out) }),
    };
  },
  lease: (device) => device.u16(40_358),
  disturb: (device) => device.set(40_355, 2_300),
  forget: (device) => device.set(40_348, 0),
};

/** Model 124 of another maker: at another base, percents without decimals, 4 kW. */
export const STORAGE: CommandedFamily = {
  template: "sunspec-storage",
  title: "model 124",
  unit: 1,
  rows: sunspecTable(50_000, [
    [1, 66, [[2, "text16", "Maker"]]],
    [
      124,
      24,
      [
        [2, "u16", 40],
        [5, "u16", 0],
        [12, "i16", 1_000],
        [13, "i16", 1_000],
        [15, "u16", 300],
        [17, "u16", 0],
        [18, "i16", 2],
        [25, "i16", -1],
      ],
    ],
  ]).holding!,
  writable: [50_075, 50_082, 50_083, 50_085, 50_087],
  obey: (device) => {
    const [mode, out, into] = [device.u16(50_075), device.i16(50_082) * 4, device.i16(50_083) * 4];
    if (mode & 2 && out < 0) return { forceW: device.u16(50_087) === 1 ? -out : 0 };
    if (mode & 1 && into < 0) return { forceW: into };
    return { ...(mode & 1 && { mostChargeW: into }), ...(mode & 2 && { mostDischargeW: out }) };
  },
  lease: (device) => device.u16(50_085),
  disturb: (device) => device.set(50_083, 111),
  forget: (device) => device.set(50_075, 0),
};

/** Model 802 only: no discharge below the reserve. */
export const RESERVE: CommandedFamily = {
  template: "sunspec-storage",
  title: "model 802",
  unit: 1,
  rows: sunspecTable(40_000, [
    [1, 65, [[2, "text16", "Maker"]]],
    [
      802,
      62,
      [
        [10, "u16", 100],
        [11, "u16", 500],
        [56, "i16", -1],
      ],
    ],
  ]).holding!,
  writable: [40_079],
  states: ["free", "hold"],
  obey: (device) => (device.home.socPct * 10 <= device.u16(40_079) ? { mostDischargeW: 0 } : {}),
};

/** Storage control: by remote only in mode 4; after the time-out the default mode follows. */
export const SOLAREDGE: CommandedFamily = {
  template: "solaredge-storedge",
  title: "storage control",
  unit: 1,
  rows: [
    [57_348, "u16", 1],
    [57_349, "u16", 0],
    [57_354, "u16", 0],
    [57_355, "u32le", 3_600],
    [57_357, "u16", 7],
    [57_358, "f32le", MOST_W],
    [57_360, "f32le", 4_600],
    [57_668, "f32le", MOST_W],
    [57_670, "f32le", MOST_W],
  ],
  writable: [57_348, 57_349, 57_354, 57_355, 57_356, 57_357, 57_358, 57_359, 57_360, 57_361],
  obey: (device) => {
    if (device.u16(57_348) !== 4) return {};
    const [charge, discharge] = [device.f32(57_358, true), device.f32(57_360, true)];
    switch (device.u16(57_357)) {
      case 3:
        return { forceW: device.u16(57_349) === 1 ? charge : Math.min(charge, device.home.pvW) };
      case 4:
        return { forceW: -discharge };
      case 7:
        return { mostChargeW: charge, mostDischargeW: discharge };
      default:
        return { forceW: 0 };
    }
  },
  disturb: (device) => device.set(57_357, 3),
  lease: (device) => (device.u16(57_348) === 4 ? device.u32(57_355, true) : 0),
  forget: (device) => {
    device.set(57_357, device.u16(57_354));
    device.set(57_358, 0x4000, 0x459c);
    device.set(57_360, 0x4000, 0x459c);
  },
};
