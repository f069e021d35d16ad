import { AdminServer } from "./admin/server.js";
import { createOperations } from "./api/catalogue.js";
import type { Services } from "./api/services.js";
import type { Settings } from "./config/settings.js";
import { createControllers } from "./controllers/router.js";
import { createHttpServer } from "./http/server.js";
import { createLog, type Log } from "./log.js";
import { MqttPriceSource } from "./market/sources/mqtt.js";
import { createMetrics } from "./metrics/create.js";
import { baseUrlOf, HostNames } from "./net/host-names.js";
import { TrustedProxies } from "./net/trusted-proxies.js";
import { VIENNA } from "./time/zone.js";
import { VERSION } from "./version.js";
import { Webhooks } from "./webhooks/service.js";
import { authenticationCheck } from "./wiring/authentication.js";
import { openFoundation } from "./wiring/foundation.js";
import { HttpHealth } from "./wiring/http-health.js";
import { startInputs } from "./wiring/inputs.js";
import { mqttOf } from "./wiring/mqtt.js";
import { nodeRedOf } from "./wiring/node-red.js";
import { startPlanning } from "./wiring/planning.js";
import { portalOf } from "./wiring/portal.js";
import { quotasOf } from "./wiring/quotas.js";
import { Running } from "./wiring/running.js";
import { siteCard } from "./wiring/site-card.js";
import { tlsIdentityOf } from "./wiring/tls.js";

export interface GatewayOptions {
  log?: Log;
}

/** The ports the gateway listens on, once started. */
export interface GatewayPorts {
  http: number | undefined;
  mqtt: number | undefined;
}

/** Creates a gateway, which `start` starts. */
export function createGateway(settings: Settings, options: GatewayOptions = {}): Gateway {
  return new Gateway(settings, options);
}

/**
 * The whole gateway. Wires data, inputs, planning and edges in the order in which they start. Only this class and
 * `wiring/` know all parts.
 */
export class Gateway {
  readonly ports: GatewayPorts = { http: undefined, mqtt: undefined };
  readonly #settings: Settings;
  readonly #log: Log;
  readonly #running: Running;
  #starting: Promise<void> | undefined;
  #stopping: Promise<void> | undefined;

  constructor(settings: Settings, { log = createLog(settings.log.level) }: GatewayOptions = {}) {
    this.#settings = settings;
    this.#log = log;
    this.#running = new Running(log);
  }

  /** Resolves when it serves. Throws an Error whose message says what to do. */
  start(): Promise<void> {
    this.#starting ??= this.#start();
    return this.#starting;
  }

  /** Stops all parts and flushes data to disk. Can be called at any time and repeatedly. */
  stop(): Promise<void> {
    this.#stopping ??= this.#stop();
    return this.#stopping;
  }

  async #start(): Promise<void> {
    const settings = this.#settings;
    const log = this.#log;
    const running = this.#running;
    const baseUrl = () => this.#baseUrl();
    const foundation = await openFoundation(settings, { running, baseUrl: () => this.#portalUrl(), log });
    const { clock, bus, components, dataFolder, store, registry, accounts, accountServices, tariff } =
      foundation;
    const inputs = await startInputs(settings, foundation, running);
    const { priceSources, prices, telemetry, weather, pv } = inputs;
    const published = () => prices.published();
    // Before the forecast, whose first run already emits an event.
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
    const { forecast, flex, plans, calibration } = await startPlanning(settings, {
      foundation,
      inputs,
      running,
    });

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
        usage: { mqtt: () => mqtt.usage(), http: () => httpHealth.usage() },
        dataFolder,
      },
    );
    if (metrics !== undefined) await running.begin(metrics.service);
    const proxies = new TrustedProxies(settings.http.trust_proxy);
    const hosts = new HostNames({ hosts: settings.http.hosts, baseUrl });
    const isAuthenticated = authenticationCheck({
      accounts,
      links: accountServices.links,
      isSignedIn: (req) => portal.isSignedIn(req),
    });
    const tls = await tlsIdentityOf(settings.http.tls, { running, log });
    const listening = { limits: settings.limits.http, proxies, hosts, isAuthenticated, tls };
    const http = createHttpServer({
      operations,
      services,
      settings: settings.http,
      ...listening,
      log,
      onAnswered: metrics?.observe,
    });
    const httpHealth = new HttpHealth({
      components,
      hasTls: tls !== undefined,
      limits: settings.limits.http,
      usage: () => http.usage,
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
      approvals: accountServices.mqttApprovals,
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
      calibration,
      bus,
      documents: store.documents,
      proxies,
      log,
      lastPayloads: (siteId) => mqtt.lastPayloads(siteId),
    });
    // The portal is stopped before the server, which would wait for open dashboards.
    running.add({ stop: () => portal.stop().finally(() => http.stop()) });
    await portal.start();
    http.routes.use(portal.router);
    const nodeRed = await nodeRedOf(settings, {
      accountServices,
      components,
      dataFolder,
      bus,
      documents: store.documents,
      listening,
      isSignedIn: (req) => portal.isSignedIn(req),
      log,
    });
    if (nodeRed !== undefined) http.routes.use(nodeRed.redirect);
    mqtt.announce();
    const { port } = await http.start();
    this.ports.http = port;
    running.add(httpHealth);
    httpHealth.start(port);
    webhooks.open();
    const admin = new AdminServer({
      folder: dataFolder,
      services: {
        ...accountServices,
        webhooks,
        baseUrl,
        runForecast: () => forecast.run("manual"),
        meter: {
          archive: store.meter,
          now: () => clock.now(),
          onChange: (siteId) => bus.emit("meter.changed", { siteId }),
        },
      },
      log,
    });
    running.addBeside(admin);
    await admin.start();

    running.addBeside(mqtt);
    await mqtt.start();
    this.ports.mqtt = mqtt.port;
    log.info(
      { http: this.ports.http, mqtt: this.ports.mqtt, data: dataFolder },
      `hourgate ${VERSION} serves ${baseUrl()}, its interface on ${baseUrl()}/openapi.json.`,
    );
    // Last: it needs seconds of processor time, and no other part depends on it.
    if (nodeRed !== undefined) {
      running.addBeside(nodeRed);
      await nodeRed.start();
    }
  }

  async #stop(): Promise<void> {
    // A start in progress still adds parts that must be stopped.
    await this.#starting?.catch(() => {});
    await this.#running.stop();
  }

  /** Address for links in mails; controllers use the plain one, since many cannot use TLS. */
  #portalUrl(): string {
    const { base_url: configured, tls } = this.#settings.http;
    const url = this.#baseUrl();
    return configured === null && tls !== null ? url.replace(/^http:/, "https:") : url;
  }

  #baseUrl(): string {
    const { http } = this.#settings;
    return baseUrlOf({ ...http, port: this.ports.http ?? http.port });
  }
}
