import type { TextRequest } from "./compile.js";
import type { SunSpecMap } from "./sunspec-walk.js";

/** The ways to one device that its readings need. Requests throw DeviceError, and ModbusException where the device refuses. */
export interface ReadChannels {
  modbus:
    | {
        /** Connections so far. */
        readonly epoch: number;
        /** How often the device has closed the connection lately. */
        readonly cuts: number;
        /** The models of each unit, kept for all who read there. */
        readonly sunSpec: Map<number, SunSpecMap>;
        read(
          unit: number,
          fc: 3 | 4,
          address: number,
          count: number,
          options?: { isCommand?: boolean },
        ): Promise<number[]>;
        /** Before every waiting reading. */
        write(unit: number, fc: 6 | 16, address: number, words: readonly number[]): Promise<void>;
      }
    | undefined;
  request?: ((request: TextRequest) => Promise<string>) | undefined;
  mqtt:
    | {
        readonly isConnected: boolean;
        last(topic: string): { text: string; atMs: number } | undefined;
        ask(topic: string, payload: string): Promise<void>;
      }
    | undefined;
  /** The data of an object of an inverter of RCT Power. */
  rct?: ((id: number) => Promise<Buffer>) | undefined;
  askUdp?: (text: string) => Promise<string>;
  /** The last value of a meter that sends by itself. */
  obis?: ((code: string) => { value: number; atMs: number } | undefined) | undefined;
  /** Bytes sent and received so far. */
  readonly bytes: number;
  start(): void;
  stop(): Promise<void>;
}
