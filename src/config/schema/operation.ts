/** Operation of the gateway: clock, owner, log and limits. */

export const clockSchema = {
  type: "object",
  description: "A replay clock for timestamps, quotas and plans. The defaults are real time.",
  additionalProperties: false,
  default: {},
  properties: {
    start: {
      type: ["string", "null"],
      format: "time",
      default: null,
      description:
        "Time at which the clock starts, ISO 8601 (without offset: Vienna time); null: it starts now.",
    },
    speed: {
      type: "number",
      minimum: 0,
      maximum: 100000,
      unit: "times real time",
      default: 1,
      description: "Speed of the clock relative to real time; 0: the clock does not advance.",
    },
    publish_at: {
      type: ["string", "null"],
      format: "hour-minute",
      default: null,
      description:
        "Vienna time of day at which a replay makes tomorrow's prices public; null: all of a file's prices count as published.",
    },
  },
} as const;

export const ownerSchema = {
  type: "object",
  description:
    "The account created at the first start, administrator of the gateway. Null values are generated and printed once.",
  additionalProperties: false,
  default: {},
  properties: {
    email: {
      type: "string",
      format: "email",
      default: "owner@localhost",
      description: "E-mail address of the owner, the user name in the portal.",
    },
    password: {
      type: ["string", "null"],
      minLength: 1,
      maxLength: 1024,
      writeOnly: true,
      default: null,
      description: "Password of the owner.",
    },
    key: {
      type: ["string", "null"],
      format: "api-key",
      writeOnly: true,
      default: null,
      description:
        "API key of the owner for the first plant: hg_live_ and 43 characters of A-Z, a-z, 0-9, - and _.",
    },
  },
} as const;

export const logSchema = {
  type: "object",
  description: "The log.",
  additionalProperties: false,
  default: {},
  properties: {
    level: {
      type: "string",
      enum: ["fatal", "error", "warn", "info", "debug", "trace", "silent"],
      default: "info",
      description: "Lowest level that is logged.",
    },
    format: {
      type: "string",
      enum: ["auto", "json", "text"],
      default: "auto",
      description:
        "json: one JSON object per line; text: readable lines; auto: text if standard output is a terminal, else json.",
    },
  },
} as const;

export const metricsSchema = {
  type: "object",
  description: "Metrics for Prometheus.",
  additionalProperties: false,
  default: {},
  properties: {
    enabled: {
      type: "boolean",
      default: false,
      description:
        "Serve GET /metrics on the HTTP server without sign-in; contains plant ids, but no secrets.",
    },
  },
} as const;

export const forecastSchema = {
  type: "object",
  description: "The price forecast.",
  additionalProperties: false,
  default: {},
  properties: {
    schedule: {
      type: "string",
      format: "cron",
      default: "5 */6 * * *",
      description:
        "Schedule of forecast runs in addition to runs on new prices; a cron pattern in Vienna time.",
    },
  },
} as const;

export const telemetrySchema = {
  type: "object",
  description: "Maximum age of the battery's state of charge.",
  additionalProperties: false,
  default: {},
  properties: {
    stale_minutes: {
      type: "number",
      minimum: 1,
      maximum: 10080,
      unit: "minutes",
      default: 15,
      description: "An older state of charge is carried forward by the plan and marked stale.",
    },
    lost_minutes: {
      type: "number",
      minimum: 1,
      maximum: 10080,
      unit: "minutes",
      default: 120,
      description: "An older state of charge activates the fail-safe: no charging, full discharge cap.",
    },
  },
} as const;

export const webhooksSchema = {
  type: "object",
  description: "Webhooks.",
  additionalProperties: false,
  default: {},
  properties: {
    allow_private_hosts: {
      type: "boolean",
      default: false,
      description:
        "Also deliver to private and loopback addresses; opens the LAN to every account that can register a webhook.",
    },
  },
} as const;

export const nodeRedSchema = {
  type: "object",
  description: "The embedded Node-RED editor.",
  additionalProperties: false,
  default: {},
  properties: {
    enabled: { type: "boolean", default: true, description: "Run the editor." },
    path: {
      type: "string",
      format: "url-path",
      default: "/node-red",
      description: "Path of the editor and of the flows' pages.",
    },
    port: {
      type: "integer",
      minimum: 0,
      maximum: 65535,
      unit: "TCP port",
      default: 1880,
      description:
        "Port of the editor and of the flows' pages, apart from the portal's; 0 takes any free one. The path on http.port redirects here.",
    },
    base_url: {
      type: ["string", "null"],
      format: "http-url",
      default: null,
      description:
        "Address of the editor behind a reverse proxy, without the path; null: the host of the request and the port.",
    },
    uid: {
      type: "integer",
      minimum: 1,
      maximum: 4_294_967_294,
      unit: "user id",
      default: 60_880,
      description:
        "User and group id of the editor's process where the gateway runs as root. It needs no entry in /etc/passwd; its folder in the data folder belongs to it.",
    },
  },
} as const;
