import type { DeviceRequest, DeviceSource } from "../command.js";

/** A value of the device; `isNew` unless it was known before the command. */
export interface Evidence {
  value: string;
  /** Arrived, or was requested, after the command. */
  isNew: boolean;
}

/** Sends commands to one device and reads its state. Methods throw DeviceError. */
export interface Transport {
  start(): Promise<void>;
  stop(): Promise<void>;
  /** Resolves when the device or the broker has accepted the request. */
  send(request: DeviceRequest, signal: AbortSignal): Promise<void>;
  /** Marks the time of a command for `isNew`. */
  mark(): number;
  /** The value; undefined while there is no evidence. */
  read(source: DeviceSource, since: number, signal: AbortSignal): Promise<Evidence | undefined>;
  /** The values of all topics that match the filter, by the text in place of `+`; undefined over HTTP. */
  values(source: DeviceSource): ReadonlyMap<string, string> | undefined;
  /** False while no command can be sent. */
  readonly isConnected: boolean;
  /** Counts the changes of the value, which may return to the one before between two readings; undefined over HTTP. */
  changes(source: DeviceSource): number | undefined;
  /** Whether the value is newer than the last change of the other one, unless that one was there before the connection. */
  isNewer(source: DeviceSource, than: DeviceSource): boolean;
  /** Reads what commands are computed from and compared with; left out where values arrive by themselves, or are read one by one. */
  refresh?(signal: AbortSignal, options?: { isCommand?: boolean }): Promise<void>;
  /** The registers of the device by name, for expressions; undefined before the first reading. */
  device?(): Readonly<Record<string, number>> | undefined;
  /** Called when a message arrives that may be evidence, and when the connection begins or ends. */
  onChange(listener: () => void): void;
}
