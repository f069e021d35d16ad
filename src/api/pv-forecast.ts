import type { FromSchema } from "json-schema-to-ts";
import { accessDocument } from "../accounts/access.js";
import { pvForecastDocument } from "./documents/pv-forecast.js";
import { ApiError } from "./errors.js";
import { localZone } from "./horizon.js";
import { localeLanguage } from "./language.js";
import { notAvailable } from "./not-available.js";
import type { Operation } from "./operation.js";
import { plantReduced, pvForecastRequest, pvForecastResponse } from "./plant-schema.js";
import type { Services } from "./services.js";

/** GET /v1/plant/pv-forecast (docs/spec/http-api.md section 10). */
export function pvForecastOperation(services: Services): Operation<FromSchema<typeof pvForecastRequest>> {
  return {
    method: "GET",
    path: "/v1/plant/pv-forecast",
    purpose: "PV yield of the plant for up to seven days, by day and by hour.",
    schema: pvForecastRequest,
    contract: {
      tag: "plant",
      example: { granularity: "both", days: 2, timezone: "Europe/Vienna", locale: "en" },
    },
    response: pvForecastResponse,
    reduced: plantReduced,
    quotaClass: () => "pv",
    run: ({ access, input }) => {
      if (access.site === undefined) throw notAvailable("The PV forecast");
      const forecast = services.pv.forecast(access.site.id);
      if (forecast === undefined) {
        const message =
          "The PV forecast needs the plant's location and PV arrays: set latitude, longitude and at least one array under pv in the plant's settings.";
        throw new ApiError("plant_not_configured", message);
      }
      return pvForecastDocument(forecast, {
        zone: input.timezone ?? localZone(services, access),
        language: localeLanguage(input.locale),
        granularity: input.granularity ?? "daily",
        days: input.days ?? 7,
        access: accessDocument(access),
      });
    },
  };
}
