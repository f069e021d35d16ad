import type { ActuatorState } from "../../../src/equipment/states.js";
import type { Unit } from "./modbus-server.js";
import { type Row, registersOf } from "./registers.js";

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
