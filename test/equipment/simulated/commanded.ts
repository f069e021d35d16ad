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
  /** Registers that only one of the two functions writes. */
  only?: Readonly<Record<number, 6 | 16>>;
  obey(device: CommandedDevice): Obeyed;
  /** Seconds after the last write of these registers until the device forgets them; 0: never. */
  lease?(device: CommandedDevice): number;
  forget?(device: CommandedDevice): void;
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
  #writtenAtS = 0;
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
    const { mostChargeW = MOST_W, mostDischargeW = MOST_W, forceW, gridW, acW } = this.family.obey(this);
    const wanted = forceW ?? (acW !== undefined ? pvW - acW : pvW - loadW + (gridW ?? 0));
    const most = socPct >= 100 ? 0 : Math.min(MOST_W, mostChargeW);
    const least = socPct <= 5 ? 0 : Math.min(MOST_W, mostDischargeW);
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
  forget: (device) => device.set(40_348, 0),
};

export const COMMANDED: readonly CommandedFamily[] = [GEN24];
