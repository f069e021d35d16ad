import { floorTo, QUARTER_MS } from "../core/domain/interval.js";
import { presentOf } from "../plan/site-facts.js";
import { type RankedHour, storedHoursBefore } from "../plan/windows/quartiles.js";
import { decisionDocument } from "./documents/decision.js";
import { forecastDocument } from "./documents/forecast.js";
import { ForecastKeys, forecastView, localZone, type Zoned } from "./horizon.js";
import { notAvailable } from "./not-available.js";
import type { Call, Operation } from "./operation.js";
import { decisionReduced, decisionResponse, timezoneSchema } from "./schemas.js";
import type { Services } from "./services.js";

/** GET /v1/decision (docs/spec/http-api.md section 6). */
export function decisionOperation(services: Services): Operation<Zoned> {
  const keys = new ForecastKeys();
  const pastHours = ({ access, now }: Call<Zoned>): RankedHour[] =>
    storedHoursBefore(services.prices.published(), now, localZone(services, access));
  /** The same as O7, which may belong to a quarter-hour. */
  const currentQuartile = ({ access, now }: Call<Zoned>) =>
    access.site && presentOf(access.site, services, now)?.currentQuartile;
  return {
    method: "GET",
    path: "/v1/decision",
    purpose: "Quartile and signal of each hour, within its day and over the horizon.",
    schema: { type: "object", properties: { timezone: timezoneSchema } },
    contract: { tag: "prices", example: { timezone: "Europe/Vienna" } },
    response: decisionResponse,
    reduced: decisionReduced,
    quotaClass: () => "decision",
    run: (call) => {
      const view = forecastView(services, call);
      if (call.access.tier === "basic") {
        const { access: _, ...reduced } = forecastDocument(view, "decision_v1");
        throw notAvailable("The decision for each hour", reduced);
      }
      return decisionDocument({
        ...view,
        localZone: localZone(services, call.access),
        past: pastHours(call),
        currentQuartile: currentQuartile(call),
      });
    },
    // Past hours and the quartile follow from the published prices and the quarter-hour.
    cacheKey: (call) =>
      [
        keys.of(services, call),
        keys.number(services.prices.published()),
        floorTo(call.now.getTime(), QUARTER_MS),
      ].join("|"),
  };
}
