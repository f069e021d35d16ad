import { forecastDocument } from "./documents/forecast.js";
import { ForecastKeys, forecastView, type Zoned } from "./horizon.js";
import type { Operation } from "./operation.js";
import { forecastResponse, resolutionSchema, timezoneSchema } from "./schemas.js";
import type { Services } from "./services.js";

type ForecastInput = Zoned & { resolution_minutes?: 15 | 60 };

/** GET /v1/forecast (docs/spec/http-api.md section 5). */
export function forecastOperation(services: Services): Operation<ForecastInput> {
  const keys = new ForecastKeys();
  return {
    method: "GET",
    path: "/v1/forecast",
    purpose: "Hourly price forecast: 48 hours without a key, 168 hours with one.",
    schema: {
      type: "object",
      properties: { timezone: timezoneSchema, resolution_minutes: resolutionSchema },
    },
    contract: { tag: "prices", example: { timezone: "Europe/Vienna" } },
    response: forecastResponse,
    quotaClass: () => "decision",
    run: (call) =>
      forecastDocument({
        ...forecastView(services, call),
        ...(call.input.resolution_minutes === 15 && {
          quarters: { series: services.prices.published(), priceMinutes: services.stepMinutes },
        }),
      }),
    cacheKey: (call) => `${keys.of(services, call)}|${call.input.resolution_minutes ?? 60}`,
  };
}
