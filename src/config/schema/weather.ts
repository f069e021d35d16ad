import { noUrl, sourceCommon } from "./market.js";

const openMeteoSource = {
  type: "object",
  description: "Open-Meteo; free of charge for non-commercial use, with a key otherwise.",
  additionalProperties: false,
  required: ["type"],
  properties: {
    type: { type: "string", const: "open_meteo", description: "Kind of the source." },
    key: { type: ["string", "null"], writeOnly: true, default: null, description: "API key of a paid plan." },
    past_runs_url: {
      type: ["string", "null"],
      format: "http-url",
      default: null,
      description:
        "Address of the archive of past forecasts for the price model; null: the public address, or none if url names another address.",
    },
    ...sourceCommon,
  },
} as const;

const metNoSource = {
  type: "object",
  description: "The Norwegian Meteorological Institute.",
  additionalProperties: false,
  required: ["type"],
  properties: {
    type: { type: "string", const: "met_no", description: "Kind of the source." },
    ...sourceCommon,
  },
} as const;

const fileSource = {
  type: "object",
  description: "A file with recorded weather.",
  additionalProperties: false,
  required: ["type", "path"],
  properties: {
    type: { type: "string", const: "file", description: "Kind of the source." },
    path: { type: "string", format: "path", description: "The file, relative to the working directory." },
    ...sourceCommon,
    url: noUrl,
  },
} as const;

export const weatherSchema = {
  type: "object",
  description: "Weather for the price forecast, the PV yield and the outlook.",
  additionalProperties: false,
  default: {},
  properties: {
    sources: {
      type: "array",
      maxItems: 20,
      default: [{ type: "open_meteo" }, { type: "met_no" }],
      description: "Sources of weather forecasts in order of preference.",
      items: {
        type: "object",
        description: "One weather source.",
        required: ["type"],
        discriminator: { propertyName: "type" },
        oneOf: [openMeteoSource, metNoSource, fileSource],
      },
    },
  },
} as const;
