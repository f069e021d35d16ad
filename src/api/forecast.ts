import { forecastDocument } from "./documents/forecast.js";
import { ForecastKeys, forecastView, type Zoned } from "./horizon.js";
import type { Operation } from "./operation.js";
import { forecastResponse, timezoneSchema } from "./schemas.js";
import type { Services } from "./services.js";

/** GET /v1/forecast (docs/spec/http-api.md section 5). */
export function forecastOperation(services: Services): Operation<Zoned> {
  const keys = new ForecastKeys();
  return {
    method: "GET",
    path: "/v1/forecast",
    purpose: "Hourly price forecast: 48 hours without a key, 168 hours with one.",
    schema: { type: "object", properties: { timezone: timezoneSchema } },
    contract: { tag: "prices", example: { timezone: "Europe/Vienna" } },
    response: forecastResponse,
    quotaClass: () => "decision",
    run: (call) => forecastDocument(forecastView(services, call)),
    cacheKey: (call) => keys.of(services, call),
  };
}
