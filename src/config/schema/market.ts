/** Common keys of all sources of prices and weather. */
export const sourceCommon = {
  url: {
    type: ["string", "null"],
    format: "http-url",
    default: null,
    description: "Address of a mirror or a recorded answer; null: the public address.",
  },
  timeout_seconds: {
    type: "number",
    minimum: 1,
    maximum: 300,
    unit: "seconds",
    default: 10,
    description: "Time limit of one request.",
  },
  enabled: { type: "boolean", default: true, description: "Use this source." },
} as const;

/** For sources without an address: the key exists in every source, but must be null here. */
export const noUrl = {
  ...sourceCommon.url,
  description: "Not used by this kind of source; always null.",
} as const;

const awattarSource = {
  type: "object",
  description: "aWATTar Austria: hourly prices, no account needed.",
  additionalProperties: false,
  required: ["type"],
  properties: {
    type: { type: "string", const: "awattar", description: "Kind of the source." },
    ...sourceCommon,
  },
} as const;

const energyChartsSource = {
  type: "object",
  description: "Energy-Charts (Fraunhofer ISE): quarter-hourly prices, no account needed.",
  additionalProperties: false,
  required: ["type"],
  properties: {
    type: { type: "string", const: "energy_charts", description: "Kind of the source." },
    ...sourceCommon,
  },
} as const;

const entsoeSource = {
  type: "object",
  description: "ENTSO-E Transparency Platform; needs a security token.",
  additionalProperties: false,
  required: ["type"],
  properties: {
    type: { type: "string", const: "entsoe", description: "Kind of the source." },
    token: { type: ["string", "null"], writeOnly: true, default: null, description: "Security token." },
    token_file: {
      type: ["string", "null"],
      format: "path",
      default: null,
      description: "File that contains the security token, instead of token.",
    },
    ...sourceCommon,
  },
} as const;

const fileSource = {
  type: "object",
  description:
    "A CSV file with the columns start_utc and eur_per_mwh, hourly or quarter-hourly, read again when it changes.",
  additionalProperties: false,
  required: ["type", "path"],
  properties: {
    type: { type: "string", const: "file", description: "Kind of the source." },
    path: { type: "string", format: "path", description: "The file, relative to the working directory." },
    ...sourceCommon,
    url: noUrl,
  },
} as const;

const mqttSource = {
  type: "object",
  description: "Prices from an MQTT topic.",
  additionalProperties: false,
  required: ["type", "topic"],
  properties: {
    type: { type: "string", const: "mqtt", description: "Kind of the source." },
    topic: { type: "string", format: "mqtt-topic", description: "Topic that carries the prices." },
    ...sourceCommon,
    url: noUrl,
  },
} as const;

const hourgateSource = {
  type: "object",
  description: "Another hourgate.",
  additionalProperties: false,
  required: ["type", "url"],
  properties: {
    type: { type: "string", const: "hourgate", description: "Kind of the source." },
    key: {
      type: ["string", "null"],
      format: "api-key",
      writeOnly: true,
      default: null,
      description: "API key of a site on that gateway; null: basic tier.",
    },
    ...sourceCommon,
    url: { type: "string", format: "http-url", description: "Base address of that gateway." },
  },
} as const;

export const marketSchema = {
  type: "object",
  description: "Prices.",
  additionalProperties: false,
  default: {},
  properties: {
    resolution_minutes: {
      type: ["integer", "null"],
      enum: [60, 15, null],
      minimum: 15,
      maximum: 60,
      unit: "minutes",
      default: null,
      description:
        "Step of the prices in windows and of the plan; null: 15 where the first source delivers quarter-hours (energy_charts, entsoe), else 60.",
    },
    break_penalty_ct_kwh: {
      type: "number",
      minimum: 0,
      maximum: 1000,
      unit: "ct/kWh",
      default: 1,
      description:
        "Penalty of segment_consecutive soft, for one hour of each run beyond the number of segments.",
    },
    sources: {
      type: "array",
      maxItems: 20,
      default: [{ type: "awattar" }],
      description:
        "Sources of day-ahead prices in order of preference; while the first fails the next one serves. Empty: only the built-in climatology.",
      items: {
        type: "object",
        description: "One price source.",
        required: ["type"],
        discriminator: { propertyName: "type" },
        oneOf: [awattarSource, energyChartsSource, entsoeSource, fileSource, mqttSource, hourgateSource],
      },
    },
  },
} as const;
