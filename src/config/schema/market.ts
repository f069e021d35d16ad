import { entry, flag, nullableText, number, section, text } from "./kinds.js";

/** Common keys of all sources of prices and weather. */
export const sourceCommon = {
  url: nullableText(
    { format: "http-url" },
    "Address of a mirror or a recorded answer; null: the public address.",
  ),
  timeout_seconds: number(
    { minimum: 1, maximum: 300, unit: "seconds", default: 10 },
    "Time limit of one request.",
  ),
  enabled: flag(true, "Use this source."),
} as const;

/** For sources without an address: the key exists in every source, but must be null here. */
export const noUrl = {
  ...sourceCommon.url,
  description: "Not used by this kind of source; always null.",
} as const;

const awattarSource = entry("aWATTar Austria: hourly prices, no account needed.", ["type"], {
  type: { type: "string", const: "awattar", description: "Kind of the source." },
  ...sourceCommon,
});

const energyChartsSource = entry(
  "Energy-Charts (Fraunhofer ISE): quarter-hourly prices, no account needed.",
  ["type"],
  {
    type: { type: "string", const: "energy_charts", description: "Kind of the source." },
    ...sourceCommon,
  },
);

const entsoeSource = entry("ENTSO-E Transparency Platform; needs a security token.", ["type"], {
  type: { type: "string", const: "entsoe", description: "Kind of the source." },
  token: nullableText({ writeOnly: true }, "Security token."),
  token_file: nullableText({ format: "path" }, "File that contains the security token, instead of token."),
  ...sourceCommon,
});

const fileSource = entry(
  "A CSV file with the columns start_utc (or start: Vienna time) and eur_per_mwh, read again when it changes.",
  ["type", "path"],
  {
    type: { type: "string", const: "file", description: "Kind of the source." },
    path: text({ format: "path" }, "The file, relative to the working directory."),
    ...sourceCommon,
    url: noUrl,
  },
);

const mqttSource = entry("Prices from an MQTT topic.", ["type", "topic"], {
  type: { type: "string", const: "mqtt", description: "Kind of the source." },
  topic: text({ format: "mqtt-topic" }, "Topic of the prices; a time without offset is Vienna time."),
  ...sourceCommon,
  url: noUrl,
});

const hourgateSource = entry("Another hourgate.", ["type", "url"], {
  type: { type: "string", const: "hourgate", description: "Kind of the source." },
  key: nullableText(
    { format: "api-key", writeOnly: true },
    "API key of a site on that gateway; null: basic tier.",
  ),
  ...sourceCommon,
  url: text({ format: "http-url" }, "Base address of that gateway."),
});

export const marketSchema = section("Prices.", {
  resolution_minutes: {
    type: ["integer", "null"],
    enum: [60, 15, null],
    minimum: 15,
    maximum: 60,
    unit: "minutes",
    default: null,
    description: "Step of windows and plan; null: 15 where the first source delivers quarter-hours, else 60.",
  },
  break_penalty_ct_kwh: number(
    { minimum: 0, maximum: 1000, unit: "ct/kWh", default: 1 },
    "Penalty of segment_consecutive soft, for an hour of each additional run.",
  ),
  sources: {
    type: "array",
    maxItems: 20,
    default: [{ type: "awattar" }],
    description: "Sources of day-ahead prices in order of preference. Empty: only average prices.",
    items: {
      type: "object",
      description: "One price source.",
      required: ["type"],
      discriminator: { propertyName: "type" },
      oneOf: [awattarSource, energyChartsSource, entsoeSource, fileSource, mqttSource, hourgateSource],
    },
  },
});
