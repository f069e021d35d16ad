import type { DeviceRequest, DeviceSource } from "../command.js";

/** A value of the device; `isNew` unless it was known before the command. */
export interface Evidence {
  value: string;
  /** Arrived, or was requested, after the command. */
  isNew: boolean;
}

/** Sends commands to one device and reads its state. Methods throw DeviceError. The presets are those of a device that only answers. */
export abstract class Transport {
  async start(): Promise<void> {}

  abstract stop(): Promise<void>;

  /** Resolves when the device or the broker has accepted the request. */
  abstract send(request: DeviceRequest, signal: AbortSignal): Promise<void>;

  /** Marks the time of a command for `isNew`. */
  mark(): number {
    return 0;
  }

  /** The value; undefined while there is no evidence. */
  abstract read(source: DeviceSource, since: number, signal: AbortSignal): Promise<Evidence | undefined>;

  /** The values of all topics that match the filter, by the text in place of `+`; undefined where there are no topics. */
  values(_source: DeviceSource): ReadonlyMap<string, string> | undefined {
    return undefined;
  }

  /** False while no command can be sent. */
  get isConnected(): boolean {
    return true;
  }

  /** Counts the changes of the value, which may return to the one before between two readings; undefined where it does not arrive by itself. */
  changes(_source: DeviceSource): number | undefined {
    return undefined;
  }

  /** Whether the value is newer than the last change of the other one, unless that one was there before the connection. */
  isNewer(_source: DeviceSource, _than: DeviceSource): boolean {
    return true;
  }

  /** Reads what commands are computed from and compared with; left out where values arrive by themselves, or are read one by one. */
  refresh?(signal: AbortSignal, options?: { isCommand?: boolean }): Promise<void>;
  /** The registers of the device by name, for expressions; undefined before the first reading. */
  device?(): Readonly<Record<string, number>> | undefined;

  /** Called when a message arrives that may be evidence, and when the connection begins or ends. */
  onChange(_listener: () => void): void {}
}
