import { readsOf } from "../../equipment/reading/create-device.js";
import type { ActuatorTemplate } from "../../equipment/template.js";

/** The transports over which a template gives readings. */
export function readingTransports(template: ActuatorTemplate): string[] {
  return Object.keys(template.transports).filter(
    (name) => Object.keys(readsOf(template, name).readings ?? {}).length > 0,
  );
}
