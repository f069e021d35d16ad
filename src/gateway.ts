import { AdminServer } from "./admin/server.js";
import { createOperations } from "./api/catalogue.js";
import type { Services } from "./api/services.js";
import type { Settings } from "./config/settings.js";
import { createControllers } from "./controllers/router.js";
import { createHttpServer } from "./http/server.js";
import { createLog, type Log } from "./log.js";
import { MqttPriceSource } from "./market/sources/mqtt.js";
import { createMetrics } from "./metrics/create.js";
import { baseUrlOf } from "./net/base-url.js";
import { VIENNA } from "./time/zone.js";
import { VERSION } from "./version.js";
import { Webhooks } from "./webhooks/service.js";
import { openFoundation } from "./wiring/foundation.js";
import { startInputs } from "./wiring/inputs.js";
import { mqttOf } from "./wiring/mqtt.js";
import { nodeRedOf } from "./wiring/node-red.js";
import { startPlanning } from "./wiring/planning.js";
import { portalOf } from "./wiring/portal.js";
import { quotasOf } from "./wiring/quotas.js";
import { Running } from "./wiring/running.js";
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
}

/**
 * Wires the whole house: data → inputs → planning → edges, in the order of starting. Only here and in `wiring/` does
 * anything know every part.
 */
export function createGateway(
  settings: Settings,
  { log = createLog(settings.log.level) }: GatewayOptions = {},
): Gateway {
  const running = new Running(log);
  const ports: { http: number | undefined; mqtt: number | undefined } = { http: undefined, mqtt: undefined };
  let starting: Promise<void> | undefined;
  let stopping: Promise<void> | undefined;

  const start = async () => {
    const baseUrl = () => baseUrlOf({ ...settings.http, port: ports.http ?? settings.http.port });
    const foundation = await openFoundation(settings, { running, baseUrl, log });
    const { clock, bus, components, dataFolder, store, registry, accounts, accountServices, tariff } =
      foundation;
    const inputs = await startInputs(settings, foundation, running);
    const { priceSources, prices, telemetry, weather, pv } = inputs;
    const published = () => prices.published();
    // Before the forecast: its first run is an event already.
    const webhooks = await running.begin(
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
    const { forecast, flex, plans } = await startPlanning(settings, { foundation, inputs, running });

    const quotas = await quotasOf(settings, { clock, components, log });
    if ("start" in quotas) await running.begin(quotas);

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
    if (metrics !== undefined) await running.begin(metrics.service);
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
        links: accountServices.links,
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
      listeners: priceSources.filter((source) => source instanceof MqttPriceSource),
      bus,
      dataFolder,
      installationId: store.state.data.installationId,
      log,
    });
    const portal = portalOf(settings, {
      services,
      accounts,
      accountServices,
      registry,
      webhooks,
      forecast,
      bus,
      documents: store.documents,
      log,
      lastPayloads: (siteId) => mqtt.lastPayloads(siteId),
    });
    // The portal before the server, which would wait for open dashboards; the other edges beside the two.
    running.add({ stop: () => portal.stop().finally(() => http.stop()) });
    await portal.start();
    http.routes.use(portal.router);
    const nodeRed = await nodeRedOf(settings, { accounts, accountServices, components, dataFolder, log });
    if (nodeRed !== undefined) {
      http.routes.use(nodeRed.handle);
      http.onUpgrade(settings.node_red.path, nodeRed.upgrade);
    }
    mqtt.announce();
    ports.http = (await http.start()).port;
    webhooks.open();
    const admin = new AdminServer({
      folder: dataFolder,
      services: { ...accountServices, webhooks, baseUrl, runForecast: () => forecast.run("manual") },
      log,
    });
    running.addBeside(admin);
    await admin.start();

    running.addBeside(mqtt);
    await mqtt.start();
    ports.mqtt = mqtt.port;
    log.info(
      { http: ports.http, mqtt: ports.mqtt, data: dataFolder },
      `hourgate ${VERSION} serves ${baseUrl()}, its interface on ${baseUrl()}/openapi.json.`,
    );
    // Last: it takes seconds of processor time, and nothing waits for it.
    if (nodeRed !== undefined) {
      running.addBeside(nodeRed);
      await nodeRed.start();
    }
  };

  const stop = async () => {
    // A start under way still adds what must be stopped.
    await starting?.catch(() => {});
    await running.stop();
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
