import { resolve } from "node:path";
import { Accounts } from "./accounts/accounts.js";
import { createAccountServices } from "./accounts/create.js";
import { SiteRegistry } from "./accounts/site-registry.js";
import { AdminServer } from "./admin/server.js";
import { createOperations } from "./api/catalogue.js";
import type { Services } from "./api/services.js";
import { createBus } from "./bus.js";
import { Components } from "./components.js";
import type { PlantSettings, Settings } from "./config/settings.js";
import { createControllers } from "./controllers/router.js";
import { FlexService } from "./flex/service.js";
import { ForecastService } from "./forecast/service.js";
import { createHttpServer } from "./http/server.js";
import { createLog, type Log } from "./log.js";
import { createMailer } from "./mail/create.js";
import { PriceKeeper } from "./market/keeper.js";
import { createPriceSources } from "./market/sources/create.js";
import { MqttPriceSource } from "./market/sources/mqtt.js";
import { compileTariff, type Prices } from "./market/tariff.js";
import { createMetrics } from "./metrics/create.js";
import { baseUrlOf } from "./net/base-url.js";
import { PlanService } from "./plan/service.js";
import { PvService } from "./pv/service.js";
import { openStore } from "./store/store.js";
import { LoadLearner } from "./telemetry/load-learner.js";
import { TelemetryService } from "./telemetry/service.js";
import { configuredClock } from "./time/configured-clock.js";
import { VIENNA } from "./time/zone.js";
import { VERSION } from "./version.js";
import { WeatherKeeper } from "./weather/keeper.js";
import { createMarketWeather } from "./weather/market/create.js";
import { createWeatherSources } from "./weather/sources/create.js";
import { Webhooks } from "./webhooks/service.js";
import { mqttOf } from "./wiring/mqtt.js";
import { nodeRedOf } from "./wiring/node-red.js";
import { portalOf } from "./wiring/portal.js";
import { quotasOf } from "./wiring/quotas.js";
import { siteCard } from "./wiring/site-card.js";

/** A running gateway's handle. */
export interface Gateway {
  /** Resolves when it serves; throws an Error whose message says what to do. */
  start(): Promise<void>;
  /** Takes no more work, says goodbye on MQTT, flushes to disk. Safe to call at any time, also twice. */
  stop(): Promise<void>;
  /** Where it listens, once started. */
  readonly ports: { http: number | undefined; mqtt: number | undefined };
}

export interface GatewayOptions {
  log?: Log;
  /** Called behind what takes much memory for a while (the start, a training); a process of its own collects garbage. */
  returnMemory?: () => void;
}

/**
 * Wires the whole house: sources → series → forecast → plan → outputs → edges. The only place that knows every part.
 */
export function createGateway(
  settings: Settings,
  { log = createLog(settings.log.level), returnMemory = () => {} }: GatewayOptions = {},
): Gateway {
  /** What was started, in order; stopped in the reverse one. */
  const running: { stop(): Promise<void> }[] = [];
  const ports: { http: number | undefined; mqtt: number | undefined } = { http: undefined, mqtt: undefined };
  let starting: Promise<void> | undefined;
  let stopping: Promise<void> | undefined;

  const start = async () => {
    const clock = configuredClock(settings.clock);
    const bus = createBus();
    const components = new Components(clock);
    const dataFolder = resolve(settings.data_dir);
    const reportStore = (fault: Error | undefined) =>
      components.report("store", fault ? "down" : "ok", fault?.message ?? `Data is kept in ${dataFolder}.`, {
        vital: true,
      });
    const store = await openStore(dataFolder, log, reportStore);
    running.push({ stop: () => store.close() });
    reportStore(undefined);

    const registry = new SiteRegistry({
      state: store.state,
      clock,
      bus,
      plants: settings.plants,
      telemetry: settings.mqtt.telemetry,
      log,
    });
    const accounts = new Accounts({ state: store.state, clock, sites: registry, log });
    tellSecrets(await accounts.ensureOwner(settings.owner), settings.owner.email);
    const baseUrl = () => baseUrlOf({ ...settings.http, port: ports.http ?? settings.http.port });
    const mail = createMailer({
      smtp: settings.smtp,
      ownerEmail: settings.owner.email,
      dataFolder,
      clock,
      components,
      log,
    });
    const people = createAccountServices({ state: store.state, clock, sites: registry, mail, baseUrl, log });
    await people.accountBook.start();
    const sites = registry.list();
    const tariffs = new WeakMap<PlantSettings, Prices>();
    /** Compiled once for as long as the plant's settings stand. */
    const tariff = (siteId: string) => {
      const plant = registry.get(siteId)?.plant;
      if (!plant?.tariff) return undefined;
      const compiled = tariffs.get(plant) ?? compileTariff(plant.tariff, plant.timezone);
      tariffs.set(plant, compiled);
      return compiled;
    };

    const begin = async <Service extends { start(): Promise<void>; stop(): Promise<void> }>(
      service: Service,
    ) => {
      running.push(service);
      await service.start();
      return service;
    };
    const sources = createPriceSources(settings.market.sources);
    const prices = await begin(
      new PriceKeeper({
        clock,
        bus,
        components,
        archive: store.prices,
        sources,
        publishAt: settings.clock.publish_at,
        log,
      }),
    );
    const published = () => prices.published();
    const telemetry = await begin(new TelemetryService({ clock, bus, samples: store.samples, sites, log }));
    const loads = await begin(
      new LoadLearner({ clock, bus, sites, telemetry, documents: store.documents, log }),
    );
    const weather = await begin(
      new WeatherKeeper({
        clock,
        bus,
        components,
        documents: store.documents,
        sources: createWeatherSources(
          settings.weather.sources,
          `hourgate/${VERSION} ${settings.owner.email}`,
        ),
        sites,
        log,
      }),
    );
    const pv = await begin(
      new PvService({ clock, bus, sites, weather, telemetry, documents: store.documents, log }),
    );
    const marketWeather = await begin(
      createMarketWeather(settings.weather.sources, { clock, documents: store.documents, log }),
    );
    // Before the forecast: its first run is an event already.
    const webhooks = await begin(
      new Webhooks({
        clock,
        bus,
        components,
        state: store.state,
        documents: store.documents,
        sites: registry,
        baseUrl,
        siteCard: (siteId) => siteCard(siteId, registry, store.state.data.keys),
        allowPrivateHosts: settings.webhooks.allow_private_hosts,
        version: VERSION,
        log,
      }),
    );
    const forecast = await begin(
      new ForecastService({
        clock,
        bus,
        components,
        documents: store.documents,
        published,
        weather: marketWeather,
        schedule: settings.forecast.schedule,
        log,
        afterTraining: returnMemory,
      }),
    );
    const flex = await begin(
      new FlexService({
        clock,
        bus,
        sites,
        priceMinutes: settings.market.resolution_minutes,
        breakPenaltyCtKwh: settings.market.break_penalty_ct_kwh,
        forecastHours: (count) => forecast.hours(count),
        published,
        tariff,
        documents: store.documents,
        log,
      }),
    );
    const plans = await begin(
      new PlanService({
        clock,
        bus,
        sites,
        stepMinutes: settings.market.resolution_minutes,
        freshness: {
          staleMinutes: settings.telemetry.stale_minutes,
          lostMinutes: settings.telemetry.lost_minutes,
        },
        forecastHours: (count) => forecast.hours(count),
        published,
        tariff,
        live: (siteId) => telemetry.live(siteId),
        flex,
        loadModel: (siteId) => loads.model(siteId),
        pvEnergy: (siteId, steps) => pv.energy(siteId, steps),
        documents: store.documents,
        log,
      }),
    );

    const quotas = await quotasOf(settings, { clock, components, log });
    if ("start" in quotas) await begin(quotas);

    const services: Services = {
      clock,
      version: VERSION,
      get baseUrl() {
        return baseUrl();
      },
      components,
      zoneDefault: VIENNA,
      forecast,
      prices: { published },
      plans,
      flex,
      pv,
      weather,
      telemetry,
      accounts,
      quotas,
      quotaTable: settings.quotas,
      tariff,
    };
    const operations = createOperations(services);
    const metrics = await createMetrics(
      { enabled: settings.metrics.enabled, nodeRedPath: settings.node_red.path },
      {
        version: VERSION,
        clock,
        bus,
        components,
        sites: registry,
        forecast,
        prices: { published },
        plans,
        socAt: (siteId) => telemetry.live(siteId).soc_pct?.at,
        deliveries: (siteId) => webhooks.deliveries(siteId),
        dataFolder,
      },
    );
    if (metrics !== undefined) await begin(metrics.service);
    const http = createHttpServer({
      operations,
      services,
      settings: settings.http,
      log,
      onAnswered: metrics?.observe,
    });
    if (metrics !== undefined) http.routes.all("/metrics", metrics.route);
    http.routes.use(
      createControllers({
        clock,
        links: people.links,
        accounts,
        plans,
        flex,
        telemetry,
        forecast,
        prices: { published },
        pv,
        tariff,
        priceMinutes: settings.market.resolution_minutes,
        operations,
        log,
      }),
    );
    const mqtt = mqttOf(settings, {
      services,
      operations,
      accounts,
      registry,
      plans,
      flex,
      listeners: sources.filter((source) => source instanceof MqttPriceSource),
      bus,
      dataFolder,
      installationId: store.state.data.installationId,
      log,
    });
    const portal = portalOf(settings, {
      services,
      accounts,
      people,
      registry,
      webhooks,
      forecast,
      bus,
      documents: store.documents,
      log,
      lastPayloads: (siteId) => mqtt.lastPayloads(siteId),
    });
    // Stopped before the server, which would wait for open dashboards.
    running.push(http);
    await begin(portal);
    http.routes.use(portal.router);
    const nodeRed = await nodeRedOf(settings, { accounts, people, components, dataFolder, log });
    if (nodeRed !== undefined) {
      http.routes.use(nodeRed.handle);
      http.onUpgrade(settings.node_red.path, nodeRed.upgrade);
    }
    ports.http = (await http.start()).port;
    webhooks.open();
    await begin(
      new AdminServer({
        folder: dataFolder,
        services: { ...people, webhooks, baseUrl, runForecast: () => forecast.run("manual") },
        log,
      }),
    );

    running.push(mqtt);
    await mqtt.start();
    ports.mqtt = mqtt.port;
    log.info(
      { http: ports.http, mqtt: ports.mqtt, data: dataFolder },
      `hourgate ${VERSION} serves ${baseUrl()}, its interface on ${baseUrl()}/openapi.json.`,
    );
    returnMemory();
    // Last: it takes seconds of processor time, and nothing waits for it.
    if (nodeRed !== undefined) await begin(nodeRed);
  };

  const stop = async () => {
    // A start under way still adds what must be stopped.
    await starting?.catch(() => {});
    for (const part of running.splice(0).reverse()) {
      await part.stop().catch((error: unknown) => log.error({ err: error }, "A part did not stop cleanly."));
    }
  };
  return {
    ports,
    start: () => {
      starting ??= start();
      return starting;
    },
    stop: () => {
      stopping ??= stop();
      return stopping;
    },
  };
}

/** Printed once, on the terminal and never in the log: nothing on disk holds them in plain text. */
function tellSecrets({ key, password }: { key?: string; password?: string }, email: string): void {
  if (key !== undefined) console.log(`API key of the owner (shown only now): ${key}`);
  if (password !== undefined) console.log(`Password of ${email} (shown only now): ${password}`);
}
