import type { ActuatorSettings } from "../config/settings.js";
import type { Actuator } from "./actuator.js";
import type { DeviceCommands } from "./device-commands.js";
import type { ActuatorStatus, OwnStatus } from "./status.js";

/** An actuator with its settings, and why it does not run. */
export interface Held {
  settings: ActuatorSettings;
  status: Omit<ActuatorStatus, keyof OwnStatus>;
  /** As its owner calls it. */
  name: string;
  /** Undefined: it cannot run, for the reason in `fault`. */
  actuator: Actuator | undefined;
  device?: DeviceCommands;
  fault: { kind: "misconfigured" | "conflict" | "standby"; message: string; at: Date } | undefined;
  targets: readonly string[];
  /** The status that was reported last, as JSON. */
  reported?: string;
}

/** The actuators of all sites by site and id, and which of two that are for the same device has it. */
export class HeldActuators extends Map<string, Held> {
  readonly #isUnrestricted: (siteId: string) => boolean;

  /** `isUnrestricted`: whether a site belongs to an administrator. */
  constructor(isUnrestricted: (siteId: string) => boolean) {
    super();
    this.#isUnrestricted = isUnrestricted;
  }

  /** The other actuators that are for one of these targets. */
  others(siteId: string, id: string, targets: readonly string[]): Held[] {
    return [...this.values()].filter(
      (one) =>
        keyOf(one.status.siteId, one.status.id) !== keyOf(siteId, id) &&
        one.targets.some((target) => targets.includes(target)),
    );
  }

  /** Whether an actuator of an account leaves its device to one of an administrator's site. */
  yields({ status }: Held, toSiteId: string): boolean {
    return this.#isUnrestricted(toSiteId) && !this.#isUnrestricted(status.siteId);
  }

  /** An account learns nothing about actuators of other sites. */
  isShown({ status }: Held, forSiteId: string): boolean {
    return status.siteId === forSiteId || this.#isUnrestricted(forSiteId);
  }

  nameOf(held: Held, forSiteId: string): string {
    return this.isShown(held, forSiteId) ? held.name : "Another device";
  }
}

export function heldStatus({ status, actuator, fault, settings }: Held): ActuatorStatus {
  if (actuator !== undefined) return { ...status, ...actuator.status() };
  return {
    ...status,
    phase: fault?.kind ?? "misconfigured",
    enabled: settings.enabled,
    dryRun: settings.dry_run,
    wanted: null,
    accepted: null,
    confirmed: null,
    shown: null,
    wait: null,
    neighbours: [],
    lastError: fault === undefined ? null : { fault: fault.kind, message: fault.message, at: fault.at },
    writesToday: 0,
    maxWritesPerDay: settings.max_writes_per_day ?? 0,
    externalUntil: null,
    retryAt: null,
  };
}

export function keyOf(siteId: string, id: string): string {
  return `${siteId}/${id}`;
}

export function actuatorComponentName(siteId: string, id: string): string {
  return `actuator/${siteId}/${id}`;
}
