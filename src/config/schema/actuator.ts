/** Actuators: devices that the gateway switches itself. */

export const actuatorSchema = {
  type: "object",
  description: "One device that the gateway switches itself.",
  additionalProperties: false,
  required: ["id", "controls", "template"],
  properties: {
    id: { type: "string", format: "plant-id", description: "Identifier in topics and on the command line." },
    controls: {
      type: "string",
      enum: [
        "battery",
        "feed_in",
        "sg_ready",
        ...([1, 2, 3, 4, 5, 6, 7, 8] as const).flatMap(
          (slot) => [`slot ${slot}`, `sg_ready ${slot}`] as const,
        ),
      ],
      description: "What it drives; sg_ready without a number: the slot of the heat pump.",
    },
    template: {
      type: "string",
      minLength: 1,
      maxLength: 40,
      description: "Template with the commands of the device, such as shelly-gen2, mqtt or http.",
    },
    with: {
      type: "object",
      default: {},
      description:
        "Parameters of the template, and transport where it has several. <name>_file reads a secret from a file.",
      additionalProperties: {
        type: ["string", "number", "boolean", "object", "null"],
        writeOnly: true,
        description: "Value of a parameter.",
      },
    },
    enabled: { type: "boolean", default: true, description: "False: nothing is sent." },
    dry_run: {
      type: "boolean",
      default: true,
      description: "Only show what would be sent; false: send it.",
    },
    min_dwell_s: {
      type: ["number", "null"],
      minimum: 0,
      maximum: 86_400,
      unit: "s",
      default: null,
      description: "Shortest time between two changes; null: that of the template.",
    },
    max_writes_per_day: {
      type: ["integer", "null"],
      minimum: 3,
      maximum: 100_000,
      unit: "commands",
      default: null,
      description:
        "Largest number of commands per local day, repetitions not counted; null: that of the template.",
    },
    external_minutes: {
      type: "number",
      minimum: 0,
      maximum: 1440,
      unit: "minutes",
      default: 30,
      description: "Time for which a device is left alone after somebody else has changed it.",
    },
  },
} as const;

export const actuatorsSchema = {
  type: "object",
  description: "Rules for all actuators.",
  additionalProperties: false,
  default: {},
  properties: {
    allow_public: {
      type: "boolean",
      default: false,
      description: "Actuators may use hosts outside of private networks.",
    },
    tenant_templates: {
      type: "array",
      maxItems: 100,
      default: [],
      description: "Templates that accounts without administrator rights may use.",
      items: { type: "string", maxLength: 40, description: "Id of a template." },
    },
    tenant_hosts: {
      type: "array",
      maxItems: 1000,
      default: [],
      description: "Hosts that actuators of these accounts may use.",
      items: { type: "string", format: "host", description: "Host name or address." },
    },
  },
} as const;
