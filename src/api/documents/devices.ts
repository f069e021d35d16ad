import { formatIso } from "../../core/time/zone.js";
import type { DeviceFaultNote } from "../../equipment/reading/device.js";
import type { ShownReading } from "../../equipment/reading/kept-reading.js";
import type { DeviceView, ShownCommand } from "../../equipment/reading/view.js";

export interface DevicesView {
  now: Date;
  /** Zone of the times in the document. */
  zone: string;
}

/** `devices_v1`: the devices of a plant. */
export function devicesDocument(devices: readonly DeviceView[], view: DevicesView): Record<string, unknown> {
  return {
    schema: "devices_v1",
    time: formatIso(view.now, view.zone),
    devices: devices.map((one) => deviceDocument(one, view)),
  };
}

/** One device, as in `devices_v1`. */
export function deviceDocument(device: DeviceView, view: DevicesView) {
  const time = timeIn(view);
  return {
    id: device.id,
    name: device.name,
    template: device.template,
    experimental: device.isExperimental,
    state: device.state,
    reason: device.reason,
    address: device.address,
    reads: device.reads,
    controls: device.controls,
    dry_run: device.dryRun,
    fallback: device.isFallback,
    poll_s: device.pollS,
    read_at: time(device.readAt),
    age_s: ageS(device.readAt, view.now),
    identity: device.identity,
    facts: device.facts,
    readings: Object.fromEntries(
      Object.entries(device.readings).map(([name, reading]) => [name, readingDocument(reading, view)]),
    ),
    command: device.command === null ? null : deviceCommandDocument(device.command, view),
    counts: device.counts,
    last_error: faultDocument(device.lastError, view),
  };
}

function readingDocument({ value, unit, quality, at, raw }: ShownReading, view: DevicesView) {
  return { value, unit, quality, at: timeIn(view)(at), age_s: ageS(at, view.now), raw };
}

/** What a device does for the plan. */
export function deviceCommandDocument(command: ShownCommand, view: DevicesView) {
  return {
    planned: command.planned,
    power_kw: command.powerKw,
    confirmed: command.confirmed,
    state: command.state,
    since: timeIn(view)(command.since),
    writes_today: command.writesToday,
    last_error: faultDocument(command.lastError, view),
  };
}

function faultDocument(fault: DeviceFaultNote | null, view: DevicesView) {
  return fault && { code: fault.code, message: fault.message, at: timeIn(view)(fault.at) };
}

function timeIn({ zone }: DevicesView) {
  return (at: Date | null) => (at === null ? null : formatIso(at, zone));
}

/** Age with one decimal. */
export function ageS(at: Date | null, now: Date): number | null {
  return at === null ? null : Math.max(0, Math.round((now.getTime() - at.getTime()) / 100) / 10);
}
