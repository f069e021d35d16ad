import { entry, nullableText, section, text } from "./kinds.js";
import { noUrl, sourceCommon } from "./market.js";

const openMeteoSource = entry("Open-Meteo; free for non-commercial use, with a key otherwise.", ["type"], {
  type: { type: "string", const: "open_meteo", description: "Kind of the source." },
  key: nullableText({ writeOnly: true }, "API key of a paid plan."),
  past_runs_url: nullableText(
    { format: "http-url" },
    "Address of the archive of past forecasts; null: the public one, or none with another url.",
  ),
  ...sourceCommon,
});

const metNoSource = entry("The Norwegian Meteorological Institute.", ["type"], {
  type: { type: "string", const: "met_no", description: "Kind of the source." },
  ...sourceCommon,
});

const fileSource = entry("A file with recorded weather.", ["type", "path"], {
  type: { type: "string", const: "file", description: "Kind of the source." },
  path: text({ format: "path" }, "The file, relative to the working directory."),
  ...sourceCommon,
  url: noUrl,
});

export const weatherSchema = section("Weather for the price forecast, the PV yield and the outlook.", {
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
});
