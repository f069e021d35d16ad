import type { ActuatorState } from "../../../src/equipment/states.js";
import type { Unit } from "./modbus-server.js";
import { type Row, registersOf } from "./registers.js";
import { sunspecTable } from "./sunspec.js";

/** The home behind a battery that is commanded. Powers in W; battery + charging, grid + import. */
export interface SimulatedHome {
  loadW: number;
  pvW: number;
  /** The battery is neither full nor empty. */
  socPct: number;
}

/** What a device makes of its registers. */
export interface Obeyed {
  mostChargeW?: number;
  mostDischargeW?: number;
  /** Charges with this power whatever the home does; discharges when negative. */
  forceW?: number;
  /** Regulates the grid to this power. */
  gridW?: number;
  /** Regulates its own output to this power: what PV does not give, the battery does. */
  acW?: number;
}

export const MOST_W = 5_000;

export interface CommandedFamily {
  template: string;
  title: string;
  /** Parameters besides the address. */
  with?: Record<string, unknown>;
  unit: number;
  /** What the device has when it is found. */
  rows: readonly Row[];
  input?: readonly Row[];
  writable: readonly number[];
  /** The states that it has of those of its template. */
  states?: readonly ActuatorState[];
  /** Registers that have no effect without a command: a command may leave its values there. */
  left?: readonly number[];
  /** Registers that only one of the two functions writes. */
  only?: Readonly<Record<number, 6 | 16>>;
  obey(device: CommandedDevice): Obeyed;
  /** Seconds after the last write of these registers until the device forgets them; 0: never. */
  lease?(device: CommandedDevice): number;
  forget?(device: CommandedDevice): void;
  /** Another controller changes the device. */
  disturb?(device: CommandedDevice): void;
  /** Its largest power. */
  mostW?: number;
  /** It needs this time after a command. */
  settlesS?: number;
  /** Writes that the device refuses. */
  refuses?(device: CommandedDevice, address: number, value: number): boolean;
}

/** A device with a battery in a home; it obeys its registers as its maker says, or as was seen by others. */
export class CommandedDevice {
  readonly family: CommandedFamily;
  readonly home: SimulatedHome = { loadW: 1_000, pvW: 0, socPct: 50 };
  readonly writes: { address: number; values: number[]; functionCode: number; at: number }[] = [];
  isGone = false;
  #registers: Map<number, number>;
  readonly #input: ReadonlyMap<number, number>;
  #writtenAtS = -Infinity;
  #nowS = 0;

  constructor(family: CommandedFamily) {
    this.family = family;
    this.#registers = registersOf(family.rows);
    this.#input = registersOf(family.input ?? []);
  }

  /** Seconds since its start. */
  set nowS(value: number) {
    this.#nowS = value;
    const leaseS = this.family.lease?.(this) ?? 0;
    if (leaseS > 0 && value - this.#writtenAtS >= leaseS) this.family.forget?.(this);
  }

  get sinceWriteS(): number {
    return this.#nowS - this.#writtenAtS;
  }

  get nowS(): number {
    return this.#nowS;
  }

  u16(address: number): number {
    return this.#registers.get(address) ?? 0;
  }

  i16(address: number): number {
    return (this.u16(address) << 16) >> 16;
  }

  u32(address: number, isLowFirst = false): number {
    const [one, other] = [this.u16(address), this.u16(address + 1)];
    return isLowFirst ? other * 0x1_0000 + one : one * 0x1_0000 + other;
  }

  i32(address: number, isLowFirst = false): number {
    return this.u32(address, isLowFirst) | 0;
  }

  f32(address: number, isLowFirst = false): number {
    const bytes = new DataView(new ArrayBuffer(4));
    bytes.setUint32(0, this.u32(address, isLowFirst));
    return bytes.getFloat32(0);
  }

  /** By another controller, or by the device itself. */
  set(address: number, ...values: number[]): void {
    for (const [index, value] of values.entries()) this.#registers.set(address + index, value & 0xffff);
  }

  registers(): Record<number, number> {
    return Object.fromEntries(this.#registers);
  }

  get batteryW(): number {
    const { loadW, pvW, socPct } = this.home;
    const { mostW = MOST_W } = this.family;
    const { mostChargeW = mostW, mostDischargeW = mostW, forceW, gridW, acW } = this.family.obey(this);
    const wanted = forceW ?? (acW !== undefined ? pvW - acW : pvW - loadW + (gridW ?? 0));
    const most = socPct >= 100 ? 0 : Math.min(mostW, mostChargeW);
    const least = socPct <= 5 ? 0 : Math.min(mostW, mostDischargeW);
    return Math.max(-least, Math.min(most, wanted)) + 0;
  }

  get gridW(): number {
    return this.home.loadW - this.home.pvW + this.batteryW;
  }

  /** Its registers for a server. */
  unit(): Unit {
    return {
      holding: this.#registers,
      input: this.#input,
      write: (address, values, functionCode) => {
        const { writable, only = {}, refuses } = this.family;
        const isRefused = values.some(
          (value, index) =>
            !writable.includes(address + index) ||
            (only[address + index] ?? functionCode) !== functionCode ||
            refuses?.(this, address + index, value) === true,
        );
        if (isRefused) return false;
        this.set(address, ...values);
        this.writes.push({ address, values: [...values], functionCode, at: this.#nowS });
        this.#writtenAtS = this.#nowS;
        return true;
      },
    };
  }
}

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

const HUAWEI: CommandedFamily = {
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
const SUNGROW: CommandedFamily = {
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

const GOODWE: CommandedFamily = {
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

/** Limits of charging and discharging that must be renewed. */
const SMA_LIMITS: CommandedFamily = {
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
const SMA_SETPOINT: CommandedFamily = {
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
const VICTRON: CommandedFamily = {
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

/** Model 124 of another maker: at another base, percents without decimals, 4 kW. */
const STORAGE: CommandedFamily = {
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
const RESERVE: CommandedFamily = {
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

/** The power of the battery at DC, + discharging; in force until the time-out of the inverter. */
const KOSTAL: CommandedFamily = {
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

/** Storage control: by remote only in mode 4; after the time-out the default mode follows. */
const SOLAREDGE: CommandedFamily = {
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

const SIGENERGY: CommandedFamily = {
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
const fox = (model: string, at: number): CommandedFamily => ({
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
const DEYE: CommandedFamily = {
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
const SOLAX: CommandedFamily = {
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
const growatt = (model: string, slot: number, ac: number): CommandedFamily => ({
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

const SOLIS: CommandedFamily = {
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

const MARSTEK: CommandedFamily = {
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
const VARTA: CommandedFamily = {
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
