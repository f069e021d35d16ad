/** Devices that the gateway reads, and commands if their settings say so. */

import { actuatorSchema } from "./actuator.js";
import { entry, flag, integer, nullableText, text } from "./kinds.js";

const { enabled, min_dwell_s, max_writes_per_day, external_minutes, ...command } = actuatorSchema.properties;
const SLOT_ROLES = ["slot 1", "slot 2", "slot 3", "slot 4", "slot 5", "slot 6", "slot 7", "slot 8"] as const;

export const deviceSchema = entry("One device at one address.", ["id", "template"], {
  id: text(
    { format: "plant-id" },
    "Identifier in topics and on the command line; no actuator has the same one.",
  ),
  template: text({ minLength: 1, maxLength: 40 }, "Template of the device, such as fronius-gen24."),
  name: nullableText({ maxLength: 60 }, "Shown name; null: that of the template."),
  serial: nullableText(
    { maxLength: 64 },
    "Serial number: values of another device are not used; null: the one seen first after a start.",
  ),
  with: command.with,
  reads: {
    type: ["array", "null"],
    default: null,
    maxItems: 12,
    description: "What it gives readings of; null: all that the template offers and no other device gives.",
    items: text({ enum: ["grid", "pv", "battery", "load", ...SLOT_ROLES] }, "A role."),
  },
  controls: {
    type: ["string", "null"],
    default: null,
    enum: [...command.controls.enum, null],
    description: "What the gateway drives by the device; null: it is only read.",
  },
  dry_run: {
    type: ["boolean", "null"],
    default: null,
    description: "True: only show what would be sent; null: for experimental templates.",
  },
  enabled,
  min_dwell_s,
  max_writes_per_day,
  external_minutes,
  poll_s: integer(
    { minimum: 1, maximum: 3600, unit: "s", default: 10 },
    "Time from one reading to the next.",
  ),
  fallback: flag(false, "Its readings are used while the other device for them has none."),
  reversed: {
    type: "array",
    maxItems: 12,
    default: [],
    description: "Roles whose meter is mounted the other way: their power changes its sign.",
    items: text({ enum: ["grid", "pv", "battery", "load", ...SLOT_ROLES] }, "A role."),
  },
});
