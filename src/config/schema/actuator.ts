/** Actuators: devices that the gateway switches itself. */

import { entry, flag, nullableInteger, nullableNumber, number, section, text } from "./kinds.js";

export const actuatorSchema = entry(
  "One device that the gateway switches itself.",
  ["id", "controls", "template"],
  {
    id: text({ format: "plant-id" }, "Identifier in topics and on the command line."),
    controls: text(
      {
        enum: [
          "battery",
          "feed_in",
          "sg_ready",
          ...([1, 2, 3, 4, 5, 6, 7, 8] as const).flatMap(
            (slot) => [`slot ${slot}`, `sg_ready ${slot}`] as const,
          ),
        ],
      },
      "What it drives; sg_ready without a number: the slot of the heat pump.",
    ),
    template: text(
      { minLength: 1, maxLength: 40 },
      "Template with the commands of the device, such as shelly-gen2, mqtt or http.",
    ),
    with: {
      type: "object",
      default: {},
      description:
        "Parameters of the template, and transport where it has several; <name>_file reads a secret from a file.",
      additionalProperties: {
        type: ["string", "number", "boolean", "object", "null"],
        writeOnly: true,
        description: "Value of a parameter.",
      },
    },
    enabled: flag(true, "False: nothing is sent."),
    dry_run: flag(true, "Only show what would be sent; false: send it."),
    min_dwell_s: nullableNumber(
      { minimum: 0, maximum: 86_400, unit: "s" },
      "Shortest time between two changes; null: that of the template.",
    ),
    max_writes_per_day: nullableInteger(
      { minimum: 3, maximum: 100_000, unit: "commands" },
      "Most commands per local day without repetitions; null: that of the template.",
    ),
    external_minutes: number(
      { minimum: 0, maximum: 1440, unit: "minutes", default: 30 },
      "A device that somebody else has changed is left alone for this time.",
    ),
  },
);

export const actuatorsSchema = section("Rules for all actuators.", {
  allow_public: flag(false, "Actuators may use hosts outside of private networks."),
  tenant_templates: {
    type: "array",
    maxItems: 100,
    default: [],
    description: "Templates that accounts without administrator rights may use.",
    items: text({ maxLength: 40 }, "Id of a template."),
  },
  tenant_hosts: {
    type: "array",
    maxItems: 1000,
    default: [],
    description: "Hosts that their actuators may use, such as 192.168.1.40:80; without a port every port.",
    items: text({ format: "host-port" }, "Host name or address, with or without a port."),
  },
});
