import type { Settings } from "../config/settings.js";
import { VERSION } from "../core/version.js";
import { PriceService } from "../forecast/market/price-service.js";
import { createPriceSources } from "../forecast/market/sources/create.js";
import { PvService } from "../forecast/pv/service.js";
import { createMarketWeather } from "../forecast/weather/market/market-weather.js";
import { createWeatherSources } from "../forecast/weather/sources/create.js";
import { WeatherService } from "../forecast/weather/weather-service.js";
import { CalendarService } from "../telemetry/calendar/calendar-service.js";
import { LoadCorrections } from "../telemetry/load-corrections.js";
import { LoadLearner } from "../telemetry/load-learner.js";
import { PresenceService } from "../telemetry/presence-service.js";
import { TelemetryService } from "../telemetry/service.js";
import type { Foundation } from "./foundation.js";
import type { Running } from "./running.js";

export type Inputs = Awaited<ReturnType<typeof startInputs>>;

/** Starts the services for prices, telemetry, weather and PV yield. */
export async function startInputs(settings: Settings, foundation: Foundation, running: Running) {
  const priceSources = createPriceSources(settings.market.sources);
  const prices = await running.begin(
    new PriceService({
      ...foundation,
      archive: foundation.store.prices,
      sources: priceSources,
      publishAt: settings.clock.publish_at,
    }),
  );
  const telemetry = await running.begin(new TelemetryService(foundation));
  const calendars = await running.begin(new CalendarService(foundation));
  const presence = await running.begin(new PresenceService({ ...foundation, calendars }));
  const corrections = await running.begin(new LoadCorrections(foundation));
  const loads = await running.begin(new LoadLearner({ ...foundation, telemetry, presence, corrections }));
  const agent = `hourgate/${VERSION} ${settings.owner.email}`;
  const weather = await running.begin(
    new WeatherService({ ...foundation, sources: createWeatherSources(settings.weather.sources, agent) }),
  );
  const pv = await running.begin(new PvService({ ...foundation, weather, telemetry }));
  const marketWeather = await running.begin(createMarketWeather(settings.weather.sources, foundation));
  return {
    priceSources,
    prices,
    telemetry,
    calendars,
    presence,
    corrections,
    loads,
    weather,
    pv,
    marketWeather,
  };
}
