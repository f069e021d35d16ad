import type { DeviceFault } from "../core/domain/actuator.js";
import type { RegisterWrite } from "./registers/render.js";
import type { Tolerance } from "./values.js";

/** What is asked of a device over HTTP; the URL is complete. */
export interface HttpParts {
  url?: string | undefined;
  method?: string | undefined;
  headers?: Readonly<Record<string, string>> | undefined;
  body?: string | undefined;
}

/** A value of the device: where to read it. Topics are complete. */
export interface DeviceSource extends HttpParts {
  topic?: string | undefined;
  /** The device may report on this topic instead; the newer value counts. */
  orTopic?: string | undefined;
  ask?: { topic: string; payload: string } | undefined;
  /** Name of a register; `follows`: whether it is as written last. */
  register?: string | undefined;
  follows?: boolean | undefined;
  pointer?: string | undefined;
  regex?: string | undefined;
  /** The device may not have it. */
  isOptional?: boolean | undefined;
  /** Values that are no evidence. */
  ignore: readonly string[];
  /** Whether a retained message is evidence for a command. */
  retained: boolean;
}

/** A source with the values that it must have, or must not have. */
export interface DeviceCondition {
  source: DeviceSource;
  expected: readonly string[];
  isNegated: boolean;
  /** The value must be a number below this one, instead. */
  below?: number | undefined;
  tolerance: Tolerance;
}

/** A check of the device's state: the source, and what it must have. */
export interface Check extends DeviceCondition {
  isNegated: false;
}

/** One message or request to the device. */
export interface DeviceRequest extends HttpParts {
  topic?: string | undefined;
  payload?: string | undefined;
  /** Registers that are written together. */
  set?: readonly RegisterWrite[] | undefined;
  answer?:
    | { pointer?: string | undefined; regex?: string | undefined; expected: readonly string[] }
    | undefined;
  pauseMs: number;
  until?: { condition: DeviceCondition; deadlineMs: number } | undefined;
}

/** A request as one line, for the log. */
export function requestText({ url, method, body, topic, payload, set }: DeviceRequest): string {
  if (set !== undefined)
    return set
      .map(({ register, value }) => `${register} = ${Number.isNaN(value) ? "(not known yet)" : value}`)
      .join(", ");
  if (topic !== undefined) return `${topic} ${payload ?? ""}`.trim();
  return [method ?? "GET", url, ...(body === undefined || body === "" ? [] : [body])].join(" ");
}

/** Why a command had no effect; the message names the host or topic, never a secret. */
export class DeviceError extends Error {
  override readonly name = "DeviceError";

  constructor(
    readonly fault: DeviceFault,
    message: string,
  ) {
    super(message);
  }
}

/** Where a value is read, for messages. */
export function sourcePlace({ topic, url, register }: DeviceSource): string {
  return topic ?? url ?? register ?? "";
}
