import { entry, flag, integer, nullableInteger, nullableText, number, section, text } from "./kinds.js";

/** Topic filters of a broker user. */
const userFilters = <Description extends string>(description: Description) =>
  ({
    type: "array",
    maxItems: 100,
    default: [],
    description,
    items: text({ format: "mqtt-filter" }, "Topic, with wildcards + and #."),
  }) as const;

const brokerTlsSchema = {
  type: ["object", "null"],
  description: "Listeners with TLS besides the plain ones.",
  additionalProperties: false,
  default: null,
  required: ["cert_file", "key_file"],
  properties: {
    cert_file: text({ format: "path" }, "File with the certificate and its chain (PEM)."),
    key_file: text({ format: "path" }, "File with the private key (PEM)."),
    port: integer(
      { minimum: 0, maximum: 65535, unit: "TCP port", default: 8883 },
      "Port for MQTT with TLS; 0 takes any free one.",
    ),
    ws_port: nullableInteger(
      { minimum: 0, maximum: 65535, unit: "TCP port" },
      "Port for MQTT over WebSocket with TLS; null: none.",
    ),
  },
} as const;

const brokerSchema = section("The embedded broker.", {
  enabled: flag(true, "Run the embedded broker."),
  host: text({ format: "host", default: "0.0.0.0" }, "Address the broker listens on."),
  port: integer(
    { minimum: 0, maximum: 65535, unit: "TCP port", default: 1883 },
    "Port the broker listens on; 0: any free port.",
  ),
  ws_port: nullableInteger(
    { minimum: 0, maximum: 65535, unit: "TCP port" },
    "Port for MQTT over WebSocket; null: none.",
  ),
  anonymous: flag(false, "Admit clients without sign-in, to telemetry and output topics only."),
  tls: brokerTlsSchema,
  users: {
    type: "array",
    maxItems: 1000,
    default: [],
    description: "Users besides the sites' API keys, which are always valid passwords.",
    items: entry("One user.", ["username", "password"], {
      username: text({ minLength: 1, maxLength: 200 }, "User name."),
      password: text({ minLength: 1, maxLength: 1024, writeOnly: true }, "Password."),
      plant: nullableText({ format: "plant-id" }, "Plant of the user; null: the first."),
      publish: userFilters("Further topics that the user may publish to."),
      subscribe: userFilters("Further topics that the user may subscribe to."),
    }),
  },
});

const externalSchema = section(
  "An external broker; when its url is set, the gateway joins it and runs no broker.",
  {
    url: nullableText(
      { format: "mqtt-url" },
      "Address of the broker, such as mqtt://192.168.1.10:1883; null: the embedded one.",
    ),
    ca_file: nullableText(
      { format: "path" },
      "File with the certificates (PEM) to trust; null: the public ones.",
    ),
    username: { type: ["string", "null"], default: null, description: "User name; null: no sign-in." },
    password: nullableText({ writeOnly: true }, "Password of that user."),
  },
);

const telemetryMapSchema = {
  type: "array",
  maxItems: 1000,
  default: [],
  description: "Telemetry from topics of other devices.",
  items: entry("One mapped topic.", ["topic", "field"], {
    topic: text({ format: "mqtt-filter" }, "Topic, with wildcards + and #."),
    path: text(
      { maxLength: 500, default: "" },
      "Position of the number in JSON, with dots and [n]; empty: the payload is the number.",
    ),
    field: text(
      {
        enum: [
          "soc_pct",
          "import_kwh",
          "export_kwh",
          "pv_kwh",
          "charge_kwh",
          "discharge_kwh",
          "pv_power_kw",
          "grid_power_kw",
          "load_power_kw",
          "battery_power_kw",
          "ev_power_kw",
          "ev_connected",
          "power_kw",
          "temperature_c",
          "energy_kwh",
        ],
      },
      "Reading of the topic. With slot: power_kw, soc_pct, temperature_c or energy_kwh of the device.",
    ),
    slot: nullableInteger(
      { minimum: 1, maximum: 8, unit: "slot number" },
      "Slot of the reading; null: the plant.",
    ),
    battery: nullableText({ format: "plant-id" }, "Id of one of several batteries, for soc_pct or power_kw."),
    scale: number(
      { minimum: -1_000_000, maximum: 1_000_000, unit: "factor", default: 1 },
      "Factor: 0.001 converts W to kW.",
    ),
    offset: number(
      { minimum: -1_000_000_000, maximum: 1_000_000_000, unit: "the reading's unit", default: 0 },
      "Added after scaling.",
    ),
    sum: flag(
      false,
      "Add up the values of all topics that match; of ev_connected: whether one is connected.",
    ),
    plant: nullableText({ format: "plant-id" }, "Plant of the reading; null: the first."),
  }),
} as const;

export const mqttSchema = section("MQTT.", {
  broker: brokerSchema,
  external: externalSchema,
  prefix: text(
    { format: "mqtt-prefix", default: "hourgate" },
    "First level of all topics; evcc deletes topics below its own at its start.",
  ),
  homeassistant: section("Home Assistant device discovery.", {
    enabled: flag(true, "Announce the plants to Home Assistant."),
    prefix: text(
      { format: "mqtt-prefix", default: "homeassistant" },
      "Discovery prefix set in Home Assistant.",
    ),
    language: {
      enum: ["auto", "en", "de"],
      default: "auto",
      description: "Language of the entities; auto: that of the plant's user.",
    },
  }),
  heartbeat_seconds: integer(
    { minimum: 0, maximum: 3600, unit: "seconds", default: 30 },
    "Interval of the heartbeat topics; 0: none.",
  ),
  telemetry: telemetryMapSchema,
});
