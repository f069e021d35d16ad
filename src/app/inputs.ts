import type { Settings } from "../config/settings.js";
import { VERSION } from "../core/version.js";
import { PriceService } from "../forecast/market/price-service.js";
import { createPriceSources } from "../forecast/market/sources/create.js";
import { PvService } from "../forecast/pv/service.js";
import { createMarketWeather } from "../forecast/weather/market/market-weather.js";
import { createWeatherSources } from "../forecast/weather/sources/create.js";
import { WeatherService } from "../forecast/weather/weather-service.js";
import { LoadLearner } from "../telemetry/load-learner.js";
import { TelemetryService } from "../telemetry/service.js";
import type { Foundation } from "./foundation.js";
import type { Running } from "./running.js";

export type Inputs = Awaited<ReturnType<typeof startInputs>>;

/** Starts the services for prices, telemetry, weather and PV yield. */
export async function startInputs(settings: Settings, foundation: Foundation, running: Running) {
  const { clock, bus, components, store, registry, log } = foundation;
  const { documents } = store;
  const sites = registry.list();
  const priceSources = createPriceSources(settings.market.sources);
  const prices = await running.begin(
    new PriceService({
      clock,
      bus,
      components,
      archive: store.prices,
      sources: priceSources,
      publishAt: settings.clock.publish_at,
      log,
    }),
  );
  const telemetry = await running.begin(
    new TelemetryService({
      clock,
      bus,
      samples: store.samples,
      sites,
      batteries: (siteId) => registry.get(siteId)?.plant.batteries ?? [],
      freshness: {
        staleMinutes: settings.telemetry.stale_minutes,
        lostMinutes: settings.telemetry.lost_minutes,
      },
      log,
    }),
  );
  const loads = await running.begin(
    new LoadLearner({
      clock,
      bus,
      sites,
      telemetry: {
        readings: (...range) => telemetry.readings(...range),
        live: (siteId) => telemetry.live(siteId),
        metered: store.meter,
      },
      documents,
      log,
    }),
  );
  const weatherSources = createWeatherSources(
    settings.weather.sources,
    `hourgate/${VERSION} ${settings.owner.email}`,
  );
  const weather = await running.begin(
    new WeatherService({ clock, bus, components, documents, sources: weatherSources, sites, log }),
  );
  const pv = await running.begin(new PvService({ clock, bus, sites, weather, telemetry, documents, log }));
  const marketWeather = await running.begin(
    createMarketWeather(settings.weather.sources, { clock, documents, log }),
  );
  return { priceSources, prices, telemetry, loads, weather, pv, marketWeather };
}
