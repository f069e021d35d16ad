import { silentLog } from "../../core/log.js";
import type { Clock } from "../../core/time/clock.js";
import { ExpressionError } from "../expression.js";
import { ActuatorInputError } from "../input-error.js";
import { createReadPlan } from "../reading/create-device.js";
import { ReadDevice } from "../reading/device.js";
import type { Quality } from "../reading/kept-reading.js";
import type { ActuatorTemplate } from "../template.js";
import type { TransportSources } from "../transport/create.js";
import { pause } from "./network/pause.js";

/** A reading of a found device, as `GET /v1/plant/devices` gives it. */
export interface FoundReading {
  value: number | null;
  unit: string;
  quality: Quality;
  at: string | null;
  age_s: number | null;
  raw: number | string | null;
}

/** What a device shows at a first look. */
export interface FirstLook {
  identity: Readonly<Record<string, string>>;
  facts: Readonly<Record<string, number>>;
  readings: Readonly<Record<string, FoundReading>>;
}

export interface LookOptions {
  sources: TransportSources;
  siteId: string;
  template: ActuatorTemplate;
  with: Readonly<Record<string, string | number>>;
  clock: Clock;
  signal: AbortSignal;
}

const NOTHING: FirstLook = { identity: {}, facts: {}, readings: {} };
/** A device that sends by itself takes a moment. */
const POLLS = 3;
const BETWEEN_MS = 1_000;
const ONE_SITE_POLL_MS = 10_000;

/** Reads a device that is not configured. Nothing is known of one whose template needs more, such as a password. */
export async function lookAt({
  sources,
  siteId,
  template,
  with: parameters,
  clock,
  signal,
}: LookOptions): Promise<FirstLook> {
  let device: ReadDevice;
  try {
    const plan = createReadPlan(sources, {
      site: { id: siteId },
      settings: { id: template.id, with: parameters, controls: null, reversed: [] },
      template,
      now: () => clock.now().getTime(),
    });
    device = new ReadDevice({
      ...plan,
      id: template.id,
      serial: null,
      pollMs: ONE_SITE_POLL_MS,
      clock,
      isDark: () => false,
      limits: () => undefined,
      frozenSince: () => undefined,
      onPolled: () => {},
      log: silentLog,
    });
  } catch (error) {
    if (error instanceof ActuatorInputError || error instanceof ExpressionError) return NOTHING;
    throw error;
  }
  device.options.channels.start();
  try {
    for (let poll = 0; poll < POLLS && !signal.aborted; poll += 1) {
      if (poll > 0) await pause(BETWEEN_MS, signal);
      await device.read();
      if (device.readAt !== undefined) break;
    }
    return shownBy(device);
  } finally {
    await device.stop();
  }
}

function shownBy(device: ReadDevice): FirstLook {
  const now = device.options.clock.now();
  const readings = [...device.readings.keys()].map((name): [string, FoundReading] => {
    const { value, unit, quality, at, raw } = device.shown(name, now);
    const ageS = at === null ? null : Math.max(0, (now.getTime() - at.getTime()) / 1000);
    return [name, { value, unit, quality, at: at?.toISOString() ?? null, age_s: ageS, raw }];
  });
  return {
    identity: { ...device.identity },
    facts: { ...device.facts },
    readings: Object.fromEntries(readings),
  };
}
