/** Topic filters of a broker user. */
const userFilters = <Description extends string>(description: Description) =>
  ({
    type: "array",
    maxItems: 100,
    default: [],
    description,
    items: { type: "string", format: "mqtt-filter", description: "Topic, with wildcards + and #." },
  }) as const;

const brokerTlsSchema = {
  type: ["object", "null"],
  description:
    "Listeners with TLS besides the plain ones; the files are read again when they change. Null: none.",
  additionalProperties: false,
  default: null,
  required: ["cert_file", "key_file"],
  properties: {
    cert_file: {
      type: "string",
      format: "path",
      description: "File with the certificate and its chain (PEM).",
    },
    key_file: { type: "string", format: "path", description: "File with the private key (PEM)." },
    port: {
      type: "integer",
      minimum: 0,
      maximum: 65535,
      unit: "TCP port",
      default: 8883,
      description: "Port for MQTT with TLS; 0 takes any free one.",
    },
    ws_port: {
      type: ["integer", "null"],
      minimum: 0,
      maximum: 65535,
      unit: "TCP port",
      default: null,
      description: "Port for MQTT over WebSocket with TLS; null: none.",
    },
  },
} as const;

const brokerSchema = {
  type: "object",
  description: "The embedded broker.",
  additionalProperties: false,
  default: {},
  properties: {
    enabled: { type: "boolean", default: true, description: "Run the embedded broker." },
    host: {
      type: "string",
      format: "host",
      default: "0.0.0.0",
      description: "Address the broker listens on.",
    },
    port: {
      type: "integer",
      minimum: 0,
      maximum: 65535,
      unit: "TCP port",
      default: 1883,
      description: "Port the broker listens on; 0: any free port.",
    },
    ws_port: {
      type: ["integer", "null"],
      minimum: 0,
      maximum: 65535,
      unit: "TCP port",
      default: null,
      description: "Port for MQTT over WebSocket; null: none.",
    },
    anonymous: {
      type: "boolean",
      default: false,
      description: "Admit clients without sign-in, only to the telemetry and output topics.",
    },
    tls: brokerTlsSchema,
    users: {
      type: "array",
      maxItems: 1000,
      default: [],
      description: "Users in addition to the sites' API keys, which are always valid passwords.",
      items: {
        type: "object",
        description: "One user.",
        additionalProperties: false,
        required: ["username", "password"],
        properties: {
          username: { type: "string", minLength: 1, maxLength: 200, description: "User name." },
          password: {
            type: "string",
            minLength: 1,
            maxLength: 1024,
            writeOnly: true,
            description: "Password.",
          },
          plant: {
            type: ["string", "null"],
            format: "plant-id",
            default: null,
            description: "Plant whose topics the user may use; null: the first plant.",
          },
          publish: userFilters("Further topics that the user may publish to."),
          subscribe: userFilters("Further topics that the user may subscribe to."),
        },
      },
    },
  },
} as const;

const externalSchema = {
  type: "object",
  description: "An external broker; when its url is set, the gateway joins it and runs no broker.",
  additionalProperties: false,
  default: {},
  properties: {
    url: {
      type: ["string", "null"],
      format: "mqtt-url",
      default: null,
      description: "Address of the broker, such as mqtt://192.168.1.10:1883; null: the embedded broker.",
    },
    ca_file: {
      type: ["string", "null"],
      format: "path",
      default: null,
      description: "File with the certificates (PEM) to trust for mqtts and wss; null: the public ones.",
    },
    username: { type: ["string", "null"], default: null, description: "User name; null: no sign-in." },
    password: {
      type: ["string", "null"],
      writeOnly: true,
      default: null,
      description: "Password of that user.",
    },
  },
} as const;

const telemetryMapSchema = {
  type: "array",
  maxItems: 1000,
  default: [],
  description: "Telemetry from topics of other devices.",
  items: {
    type: "object",
    description: "One mapped topic.",
    additionalProperties: false,
    required: ["topic", "field"],
    properties: {
      topic: { type: "string", format: "mqtt-filter", description: "Topic, with wildcards + and #." },
      path: {
        type: "string",
        maxLength: 500,
        default: "",
        description:
          "Position of the number in a JSON payload, with dots and [n]; empty: the payload is the number.",
      },
      field: {
        type: "string",
        enum: [
          "soc_pct",
          "import_kwh",
          "export_kwh",
          "pv_power_kw",
          "load_power_kw",
          "battery_power_kw",
          "ev_power_kw",
          "ev_connected",
          "power_kw",
          "temperature_c",
          "energy_kwh",
        ],
        description:
          "Reading that the topic provides. With slot: power_kw, soc_pct, temperature_c or energy_kwh of the device; without: one of the others.",
      },
      slot: {
        type: ["integer", "null"],
        minimum: 1,
        maximum: 8,
        unit: "slot number",
        default: null,
        description: "Slot of the device that the reading belongs to; null: the plant.",
      },
      battery: {
        type: ["string", "null"],
        format: "plant-id",
        default: null,
        description: "Id of the battery, of several, that soc_pct or power_kw belongs to; null: the plant.",
      },
      scale: {
        type: "number",
        minimum: -1_000_000,
        maximum: 1_000_000,
        unit: "factor",
        default: 1,
        description: "Factor for the number: 0.001 converts W to kW.",
      },
      offset: {
        type: "number",
        minimum: -1_000_000_000,
        maximum: 1_000_000_000,
        unit: "the reading's unit",
        default: 0,
        description: "Added after scaling.",
      },
      plant: {
        type: ["string", "null"],
        format: "plant-id",
        default: null,
        description: "Plant of the reading; null: the first plant.",
      },
    },
  },
} as const;

export const mqttSchema = {
  type: "object",
  description: "MQTT.",
  additionalProperties: false,
  default: {},
  properties: {
    broker: brokerSchema,
    external: externalSchema,
    prefix: {
      type: "string",
      format: "mqtt-prefix",
      default: "hourgate",
      description:
        "First level of all topics; not below evcc, because evcc deletes its topics when it starts.",
    },
    homeassistant: {
      type: "object",
      description: "Home Assistant device discovery.",
      additionalProperties: false,
      default: {},
      properties: {
        enabled: { type: "boolean", default: true, description: "Announce the plants to Home Assistant." },
        prefix: {
          type: "string",
          format: "mqtt-prefix",
          default: "homeassistant",
          description: "Discovery prefix set in Home Assistant.",
        },
        language: {
          enum: ["auto", "en", "de"],
          default: "auto",
          description:
            "Language of the names of the entities; auto: that in which the plant's user reads the portal.",
        },
      },
    },
    heartbeat_seconds: {
      type: "integer",
      minimum: 0,
      maximum: 3600,
      unit: "seconds",
      default: 30,
      description: "Interval of each plant's heartbeat topic; 0: no heartbeat.",
    },
    telemetry: telemetryMapSchema,
  },
} as const;
