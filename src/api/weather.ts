import type { FromSchema } from "json-schema-to-ts";
import { accessDocument } from "../accounts/access.js";
import { outlook } from "../forecast/weather/outlook.js";
import { locationOf } from "../forecast/weather/place.js";
import { weatherDocument } from "./documents/weather.js";
import { ApiError } from "./errors.js";
import { localZone } from "./horizon.js";
import { localeLanguage } from "./language.js";
import { notAvailable } from "./not-available.js";
import type { Operation } from "./operation.js";
import { plantReduced, weatherRequest, weatherResponse } from "./plant-schema.js";
import type { Services } from "./services.js";

/** GET /v1/plant/weather (docs/spec/http-api.md section 10). */
export function weatherOperation(services: Services): Operation<FromSchema<typeof weatherRequest>> {
  return {
    method: "GET",
    path: "/v1/plant/weather",
    purpose: "Weather at the plant now and for up to seven days.",
    schema: weatherRequest,
    contract: { tag: "plant", example: { days: 3, timezone: "Europe/Vienna", locale: "en" } },
    response: weatherResponse,
    reduced: plantReduced,
    quotaClass: () => "weather",
    run: ({ access, input, now }) => {
      if (access.site === undefined) throw notAvailable("The weather");
      const { id, plant } = access.site;
      const place = locationOf(plant);
      if (place === undefined) {
        const message =
          "The weather needs the plant's location: set latitude and longitude in the plant's settings.";
        throw new ApiError("plant_not_configured", message);
      }
      const view = { place, zone: plant.timezone, now, count: input.days ?? 3 };
      return weatherDocument(outlook(services.weather.series(id), view), {
        issuedAt: services.weather.issuedAt(id) ?? now,
        zone: input.timezone ?? localZone(services, access),
        language: localeLanguage(input.locale),
        access: accessDocument(access),
      });
    },
  };
}
