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
  /** Called when a message arrives that may be evidence. */
  onChange(listener: () => void): void;
}
