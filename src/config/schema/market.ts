/** What every source of prices or weather has beside its own keys. */
export const sourceCommon = {
  url: {
    type: ["string", "null"],
    format: "http-url",
    default: null,
    description:
      "Address to ask instead of the public one: a mirror or a recorded answer; null: the public one.",
  },
  timeout_seconds: {
    type: "number",
    minimum: 1,
    maximum: 300,
    unit: "seconds",
    default: 10,
    description: "How long one request may take.",
  },
  enabled: { type: "boolean", default: true, description: "Ask this source." },
} as const;

/** For sources that ask no address: the key exists in every source, here it stays null. */
export const noUrl = {
  ...sourceCommon.url,
  description: "Not used by this kind of source; stays null.",
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
      description: "File that holds the security token, instead of token.",
    },
    ...sourceCommon,
  },
} as const;

const fileSource = {
  type: "object",
  description:
    "A CSV file with the columns start_utc and eur_per_mwh, hourly or quarter-hourly, watched for change.",
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
      description: "API key of a site there; null: its basic tier.",
    },
    ...sourceCommon,
    url: { type: "string", format: "http-url", description: "Its base address." },
  },
} as const;

export const marketSchema = {
  type: "object",
  description: "Prices.",
  additionalProperties: false,
  default: {},
  properties: {
    resolution_minutes: {
      type: "integer",
      enum: [60, 15],
      minimum: 15,
      maximum: 60,
      unit: "minutes",
      default: 60,
      description: "Step of the windows' prices and of the plan.",
    },
    break_penalty_ct_kwh: {
      type: "number",
      minimum: 0,
      maximum: 1000,
      unit: "ct/kWh",
      default: 1,
      description:
        "What segment_consecutive soft charges for one hour of each run beyond the number of segments.",
    },
    sources: {
      type: "array",
      maxItems: 20,
      default: [{ type: "awattar" }],
      description:
        "Sources of day-ahead prices in order of preference; while the first fails the next one serves. Empty: the built-in climatology alone.",
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
