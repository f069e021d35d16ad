import { readsOf } from "../../equipment/reading/create-device.js";
import { type Role, rolesOf } from "../../equipment/reading/names.js";
import type { ActuatorTemplate } from "../../equipment/template.js";

/** What a template gives readings of over a transport. */
export function offeredRoles(template: ActuatorTemplate, transport: string): Role[] {
  return Object.hasOwn(template.transports, transport)
    ? rolesOf(readsOf(template, transport).readings ?? {})
    : [];
}

/** The transports over which a template gives readings. */
export function readingTransports(template: ActuatorTemplate): string[] {
  return Object.keys(template.transports).filter((name) => offeredRoles(template, name).length > 0);
}
