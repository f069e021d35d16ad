import type { DeviceSettings } from "../../config/settings.js";
import type { Role } from "./names.js";

/** A device with the roles that its template offers. */
export interface OfferingDevice {
  settings: Pick<DeviceSettings, "id" | "reads" | "controls" | "fallback">;
  offers: readonly Role[];
}

export interface AssignedRoles {
  /** Such as `grid` or `slot 1`. */
  reads: string[];
  /** Roles of the settings that the template does not offer. */
  unknown: string[];
}

/**
 * What each device reads, by id: as its settings say, otherwise all that its template offers and that no other device gives. A
 * device that is a fallback gives what others may give too; PV adds up.
 */
export function assignRoles(devices: readonly OfferingDevice[]): Map<string, AssignedRoles> {
  const isOffered = (offers: readonly Role[], role: string) =>
    offers.some((one) => one === role.replace(/ \d$/, ""));
  const given = new Set<string>(
    devices.flatMap(({ settings: { reads, fallback }, offers }) =>
      fallback ? [] : (reads ?? []).filter((role) => isOffered(offers, role)),
    ),
  );
  const assigned = new Map<string, AssignedRoles>();
  for (const { settings, offers } of devices) {
    const { id, reads, controls, fallback } = settings;
    const offered = offers.flatMap((role) => (role === "slot" ? slotsOf(controls) : [role]));
    if (reads !== null) {
      const [known, unknown] = [true, false].map((is) =>
        reads.filter((role) => isOffered(offers, role) === is),
      );
      assigned.set(id, { reads: known!, unknown: unknown! });
      continue;
    }
    const own = offered.filter((role) => fallback || role === "pv" || !given.has(role));
    if (!fallback) for (const role of own) given.add(role);
    assigned.set(id, { reads: own, unknown: [] });
  }
  return assigned;
}

/** A device that drives a slot is the one that reads it. */
function slotsOf(controls: string | null): string[] {
  return controls !== null && /^slot \d$/.test(controls) ? [controls] : [];
}
