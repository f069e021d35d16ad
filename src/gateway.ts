import { networkInterfaces } from "node:os";
import { join, resolve } from "node:path";
import { tierOf } from "./accounts/access.js";
import { Accounts } from "./accounts/accounts.js";
import { Quotas } from "./accounts/quotas.js";
import type { Site } from "./accounts/sites.js";
import { createOperations } from "./api/catalogue.js";
import type { Operation } from "./api/operation.js";
import { createRequestHandler } from "./api/request.js";
import type { Services } from "./api/services.js";
import { createBus } from "./bus.js";
import { Components } from "./components.js";
import type { Settings } from "./config/settings.js";
import { unservedParts } from "./config/unserved.js";
import { recipeDocument } from "./documents/device-schedules.js";
import { forecastDocument } from "./documents/forecast.js";
import { hoursDemandDocument } from "./documents/hours-demand.js";
import { priceCtKwh } from "./documents/number.js";
import { pvForecastDocument } from "./documents/pv-forecast.js";
import { FlexService } from "./flex/service.js";
import { ForecastService } from "./forecast/service.js";
import { createHttpServer } from "./http/server.js";
import { createLog, type Log } from "./log.js";
import { PriceKeeper } from "./market/keeper.js";
import { createPriceSources } from "./market/sources/create.js";
import { MqttPriceSource } from "./market/sources/mqtt.js";
import { compileTariff } from "./market/tariff.js";
import { createMqtt } from "./mqtt/service.js";
import { PlanService } from "./plan/service.js";
import { PvService } from "./pv/service.js";
import { openStore } from "./store/store.js";
import { LoadLearner } from "./telemetry/load-learner.js";
import { TelemetryService } from "./telemetry/service.js";
import { type Clock, realClock, replayClock } from "./time/clock.js";
import { VIENNA } from "./time/zone.js";
import { VERSION } from "./version.js";
import { WeatherKeeper } from "./weather/keeper.js";
import { createWeatherSources } from "./weather/sources/create.js";

/** A running gateway's handle. */
export interface Gateway {
  /** Resolves when it serves; throws an Error whose message says what to do. */
  start(): Promise<void>;
  /** Takes no more work, says goodbye on MQTT, flushes to disk. Safe to call at any time, also twice. */
  stop(): Promise<void>;
  /** Where it listens, once started. */
  readonly ports: { http: number | undefined; mqtt: number | undefined };
}

/**
 * Wires the whole house: sources → series → forecast → plan → outputs → edges. The only place that knows every part.
 */
export function createGateway(settings: Settings, { log = createLog(settings.log.level) } = {}): Gateway {
  /** What was started, in order; stopped in the reverse one. */
  const running: { stop(): Promise<void> }[] = [];
  const ports: { http: number | undefined; mqtt: number | undefined } = { http: undefined, mqtt: undefined };
  let starting: Promise<void> | undefined;
  let stopping: Promise<void> | undefined;

  const start = async () => {
    for (const sentence of unservedParts(settings)) log.warn({}, sentence);
    const clock = clockOf(settings);
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

    const accounts = new Accounts({ state: store.state, clock, sites: settings.plants, log });
    tellSecrets(await accounts.ensureOwner(settings.owner), settings.owner.email);
    const sites = accounts.sites();
    const tariffs = new Map(
      sites.map(({ id, plant }) => [
        id,
        plant.tariff ? compileTariff(plant.tariff, plant.timezone) : undefined,
      ]),
    );
    const tariff = (siteId: string) => tariffs.get(siteId);

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
    const forecast = await begin(
      new ForecastService({
        clock,
        bus,
        components,
        documents: store.documents,
        published,
        schedule: settings.forecast.schedule,
        log,
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

    const baseUrl = () =>
      settings.http.base_url ?? `http://${lanAddress()}:${ports.http ?? settings.http.port}`;
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
      quotas: new Quotas({ table: settings.quotas, clock }),
      quotaTable: settings.quotas,
      tariff,
    };
    const operations = createOperations(services);
    const http = createHttpServer({ operations, services, settings: settings.http, log });
    running.push(http);
    ports.http = (await http.start()).port;

    const recipes = (siteId: string) => {
      const zone = accounts.site(siteId)?.plant.timezone ?? VIENNA;
      return flex.current(siteId).map((plan) => recipeDocument(plan, { now: clock.now(), zone }));
    };
    const requests = mqttRequests(operations, accounts, clock, log);
    const view = (site: Site) => ({
      zone: site.plant.timezone,
      baseUrl: baseUrl(),
      language: "de" as const,
      recipes: recipes(site.id),
    });
    const mqtt = createMqtt({
      settings: settings.mqtt,
      dataFolder: join(dataFolder, "broker"),
      installationId: store.state.data.installationId,
      clock,
      bus,
      components,
      accounts,
      telemetry,
      planDocument: (siteId) => {
        const plan = plans.current(siteId);
        const site = accounts.site(siteId);
        return plan === undefined || site === undefined ? undefined : hoursDemandDocument(plan, view(site));
      },
      forecastDocument: (siteId) => {
        const hours = forecast.hours(168);
        const run = forecast.current();
        const site = accounts.site(siteId);
        if (hours === undefined || run === undefined || site === undefined) return undefined;
        return forecastDocument({
          run,
          hours,
          zone: site.plant.timezone,
          tariff: tariff(siteId),
          intervals: true,
        });
      },
      pvForecastDocument: (siteId) => {
        const yields = pv.forecast(siteId);
        const zone = accounts.site(siteId)?.plant.timezone ?? VIENNA;
        return yields === undefined
          ? undefined
          : pvForecastDocument(yields, { zone, language: "de", granularity: "both", days: 7 });
      },
      outputsWithoutPlan: (siteId) => {
        const present = plans.present(siteId);
        return present === undefined
          ? {}
          : { O7: present.currentQuartile, O8: priceCtKwh(present.currentPriceCtKwh) };
      },
      listeners: sources.filter((source) => source instanceof MqttPriceSource),
      requests,
      slots: {
        windows: requests.windows!,
        setPlugged: (siteId, slot, plugged) => flex.setPlugged(siteId, slot, plugged),
        documents: recipes,
      },
      log,
    });
    running.push(mqtt);
    await mqtt.start();
    ports.mqtt = mqtt.port;
    log.info(
      { http: ports.http, mqtt: ports.mqtt, data: dataFolder },
      `hourgate ${VERSION} serves ${baseUrl()}, its interface on ${baseUrl()}/openapi.json.`,
    );
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

function clockOf({ clock: { start, speed } }: Settings): Clock {
  return start === null ? realClock() : replayClock(new Date(start), speed);
}

/** Printed once, on the terminal and never in the log: nothing on disk holds them in plain text. */
function tellSecrets({ key, password }: { key?: string; password?: string }, email: string): void {
  if (key !== undefined) console.log(`API key of the owner (shown only now): ${key}`);
  if (password !== undefined) console.log(`Password of ${email} (shown only now): ${password}`);
}

/** Operations that are also served as MQTT requests, by the name of their topic. */
const REQUESTS = {
  forecast: ["GET", "/v1/forecast"],
  windows: ["POST", "/v1/decision/windows"],
  "hours-demand": ["POST", "/v1/decision/hours-demand"],
} as const;

function mqttRequests(operations: readonly Operation[], accounts: Accounts, clock: Clock, log: Log) {
  return Object.fromEntries(
    Object.entries(REQUESTS).map(([name, [method, path]]) => {
      const operation = operations.find((one) => one.path === path && one.method === method)!;
      const handle = createRequestHandler(operation, (error) =>
        log.error({ err: error, request: name }, "An MQTT request failed."),
      );
      return [
        name,
        async (siteId: string, body: object) => {
          const site = accounts.site(siteId)!;
          // The broker has already checked that the sender may speak for the plant; there are no quotas on MQTT.
          const access = {
            ...tierOf("professional"),
            plan: "professional" as const,
            tokenPresent: true,
            tokenValid: true,
            site,
            accountId: site.accountId,
            administrator: false,
          };
          const answer = await handle(body as Record<string, unknown>, { access, now: clock.now() });
          const { access: _, ...document } = answer.document;
          return document;
        },
      ];
    }),
  );
}

/** First address of this machine in its network; the loopback one where it has none. */
function lanAddress(): string {
  const addresses = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
  return addresses.find(({ family, internal }) => family === "IPv4" && !internal)?.address ?? "127.0.0.1";
}
