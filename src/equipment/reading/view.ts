import type { DeviceSettings } from "../../config/settings.js";
import type { ActuatorPhase } from "../../core/domain/actuator.js";
import type { ShownDeviceState } from "../../core/domain/device-state.js";
import type { ActuatorStatus } from "../status.js";
import type { DeviceFaultNote, ReadDevice, ReadDeviceState } from "./device.js";
import type { ShownReading } from "./kept-reading.js";
import { DEVICE_READINGS } from "./names.js";

export const COMMAND_STATES = [
  "dry_run",
  "sending",
  "confirmed",
  "declined",
  "failed",
  "external",
  "released",
] as const;

/** What a device does for the plan. */
export interface ShownCommand {
  planned: string | null;
  powerKw: number | null;
  confirmed: string | null;
  state: (typeof COMMAND_STATES)[number];
  since: Date | null;
  writesToday: number;
  lastError: DeviceFaultNote | null;
}

/** A device as all surfaces show it. */
export interface DeviceView {
  siteId: string;
  id: string;
  name: string;
  template: string;
  isExperimental: boolean;
  state: ShownDeviceState;
  reason: string | null;
  /** What is to be known, though it is read. */
  notes: readonly string[];
  address: string;
  reads: readonly string[];
  controls: string | null;
  dryRun: boolean;
  isFallback: boolean;
  pollS: number;
  readAt: Date | null;
  identity: Readonly<Record<string, string>>;
  facts: Readonly<Record<string, number>>;
  readings: Readonly<Record<string, ShownReading>>;
  command: ShownCommand | null;
  counts: { reads: number; failures: number; implausible: number; writes: number };
  lastError: DeviceFaultNote | null;
  /** Of the last poll, ms and bytes. */
  durationMs: number;
  bytes: number;
}

/** A configured device, and what was made of it. */
export interface HeldDevice {
  siteId: string;
  settings: DeviceSettings;
  templateName: string;
  isExperimental: boolean;
  address: string;
  reads: readonly string[];
  /** Undefined: it reads nothing, for the reason in `fault`, or since it has nothing to read. */
  device: ReadDevice | undefined;
  fault: { state: "misconfigured" | "conflict"; message: string; at: Date } | undefined;
}

export function deviceView(held: HeldDevice, command: ActuatorStatus | undefined, now: Date): DeviceView {
  const { settings, device, fault, siteId } = held;
  const { state, reason } = stateOf(held, command);
  const { model, manufacturer } = device?.identity ?? {};
  return {
    siteId,
    id: settings.id,
    name: settings.name ?? model ?? (manufacturer === undefined ? held.templateName : manufacturer),
    template: settings.template,
    isExperimental: held.isExperimental,
    state,
    reason,
    notes: device?.notes ?? [],
    address: held.address,
    reads: held.reads,
    controls: settings.controls,
    dryRun: command?.dryRun ?? false,
    isFallback: settings.fallback,
    pollS: settings.poll_s,
    readAt: device?.readAt ?? null,
    identity: device?.identity ?? {},
    facts: device?.facts ?? {},
    readings: device === undefined ? {} : readingsOf(device, now),
    command: command === undefined ? null : commandOf(command),
    counts: {
      ...(device?.counts ?? { reads: 0, failures: 0, implausible: 0 }),
      writes: command?.writesToday ?? 0,
    },
    lastError:
      device?.lastError ?? (fault ? { code: fault.state, message: fault.message, at: fault.at } : null),
    durationMs: device?.durationMs ?? 0,
    bytes: device?.bytes ?? 0,
  };
}

function readingsOf(device: ReadDevice, now: Date): Record<string, ShownReading> {
  return Object.fromEntries(
    [...device.readings].map(([name]) => [DEVICE_READINGS[name]?.shown ?? name, device.shown(name, now)]),
  );
}

function stateOf(
  { device, fault }: HeldDevice,
  command: ActuatorStatus | undefined,
): { state: ShownDeviceState; reason: string | null } {
  if (fault !== undefined) return { state: fault.state, reason: fault.message };
  const phase = command?.phase;
  if (phase === "external")
    return { state: "external", reason: "Somebody else has changed the device; it is left alone." };
  if (phase === "conflict")
    return { state: "conflict", reason: command?.lastError?.message ?? "Another device drives it." };
  if (device !== undefined) return { state: device.state satisfies ReadDeviceState, reason: device.reason };
  if (phase === "misconfigured")
    return { state: "misconfigured", reason: command?.lastError?.message ?? null };
  if (phase === "disabled") return { state: "disabled", reason: "It is switched off." };
  if (phase === "offline") return { state: "unreachable", reason: "The device does not answer." };
  return { state: command === undefined || phase === "waiting" ? "waiting" : "ok", reason: null };
}

const STATES: Readonly<Record<ActuatorPhase, ShownCommand["state"]>> = {
  disabled: "released",
  dry_run: "dry_run",
  waiting: "released",
  idle: "released",
  sending: "sending",
  accepted: "sending",
  confirmed: "confirmed",
  declined: "declined",
  failed: "failed",
  offline: "failed",
  external: "external",
  released: "released",
  testing: "sending",
  conflict: "failed",
  standby: "released",
  misconfigured: "failed",
};

function commandOf({
  phase,
  wanted,
  accepted,
  confirmed,
  writesToday,
  lastError,
}: ActuatorStatus): ShownCommand {
  return {
    planned: wanted?.state ?? null,
    powerKw: wanted?.powerKw ?? null,
    confirmed: confirmed?.state ?? null,
    state: STATES[phase],
    since: confirmed?.at ?? accepted?.at ?? null,
    writesToday,
    lastError: lastError && { code: lastError.fault, message: lastError.message, at: lastError.at },
  };
}
