import type { IncomingMessage } from "node:http";
import { createOperations } from "../api/catalogue.js";
import type { Operation } from "../api/operation.js";
import type { Services } from "../api/services.js";
import type { Settings } from "../config/settings.js";
import type { HealthRegistry } from "../core/health-registry.js";
import { createLog, type Log } from "../core/log.js";
import { baseUrlOf, HostNames } from "../core/net/host-names.js";
import { TrustedProxies } from "../core/net/trusted-proxies.js";
import type { Clock } from "../core/time/clock.js";
import { VIENNA } from "../core/time/zone.js";
import { VERSION } from "../core/version.js";
import { createControllers } from "../edges/controllers/router.js";
import { createHttpServer } from "../edges/http/server.js";
import type { MqttService } from "../edges/mqtt/service.js";
import type { ActuatorService } from "../equipment/service.js";
import { MqttPriceSource } from "../forecast/market/sources/mqtt.js";
import type { NotificationService } from "../messages/notifications/service.js";
import type { Webhooks } from "../messages/webhooks/service.js";
import { servedShard } from "../ops/fleet/settings.js";
import { actuatorsOf } from "./actuators.js";
import { adminServerOf } from "./admin.js";
import { authenticationCheck } from "./authentication.js";
import { type Foundation, openFoundation } from "./foundation.js";
import { HttpHealth } from "./http-health.js";
import { type Inputs, startInputs } from "./inputs.js";
import { accountsWithUses, linksWithUses } from "./last-uses.js";
import { startMetrics } from "./metrics.js";
import { mqttOf } from "./mqtt.js";
import { nodeRedOf } from "./node-red.js";
import { notificationsOf } from "./notifications.js";
import { type Planning, startPlanning } from "./planning.js";
import { portalOf } from "./portal.js";
import { quotasOf } from "./quotas.js";
import { Running } from "./running.js";
import { tlsIdentityOf } from "./tls.js";
import { webhooksOf } from "./webhooks.js";

/** The started services that all edges use. */
interface Core {
  foundation: Foundation;
  inputs: Inputs;
  webhooks: Webhooks;
  planning: Planning;
  services: Services;
  operations: readonly Operation[];
}

interface Edges {
  http: ReturnType<typeof createHttpServer>;
  httpHealth: HttpHealth;
  mqtt: MqttService;
  actuators: ActuatorService;
  notifications: NotificationService;
  nodeRed: Awaited<ReturnType<typeof nodeRedOf>>;
}

export interface GatewayOptions {
  log?: Log;
  /** Replaces the clock of the configuration. */
  clock?: Clock;
  /** Called when another process has taken over the stored data: this one stores nothing any more and must end. */
  onStoreLost?: (fault: Error) => void;
  /** Called once, as soon as the states of components can be reported. */
  onComponents?: (components: HealthRegistry) => void;
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
 * the other files of `app/` know all parts.
 */
export class Gateway {
  readonly ports: GatewayPorts = { http: undefined, mqtt: undefined };
  readonly #settings: Settings;
  readonly #log: Log;
  readonly #clock: Clock | undefined;
  readonly #onStoreLost: GatewayOptions["onStoreLost"];
  readonly #onComponents: GatewayOptions["onComponents"];
  readonly #running: Running;
  #starting: Promise<void> | undefined;
  #stopping: Promise<void> | undefined;

  constructor(
    settings: Settings,
    { log = createLog(settings.log), clock, onStoreLost, onComponents }: GatewayOptions = {},
  ) {
    this.#settings = settings;
    this.#log = log;
    this.#clock = clock;
    this.#onStoreLost = onStoreLost;
    this.#onComponents = onComponents;
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
    const core = await this.#startCore();
    const edges = await this.#createEdges(core);
    edges.mqtt.announce();
    await this.#listen(core, edges);
  }

  /** Starts data, inputs, webhooks and planning; the edges show their state from the start on. */
  async #startCore(): Promise<Core> {
    const settings = this.#settings;
    const log = this.#log;
    const running = this.#running;
    const foundation = await openFoundation(settings, {
      clock: this.#clock,
      running,
      baseUrl: () => this.#portalUrl(),
      onStoreLost: this.#onStoreLost,
      log,
    });
    this.#onComponents?.(foundation.components);
    const inputs = await startInputs(settings, foundation, running);
    // Before the forecast, whose first run already emits an event.
    const webhooks = await running.begin(
      webhooksOf(settings, foundation, { baseUrl: () => this.#baseUrl(), log }),
    );
    const planning = await startPlanning(settings, { foundation, inputs, running });
    const { clock, components } = foundation;
    const quotas = await quotasOf(settings, { clock, components, log });
    if ("start" in quotas) await running.begin(quotas);
    const { tariff } = foundation;
    const { loads, prices, pv, weather, telemetry } = inputs;
    const baseUrl = () => this.#baseUrl();
    const { ports } = this;
    const services: Services = {
      clock,
      version: VERSION,
      get baseUrl() {
        return baseUrl();
      },
      get mqtt() {
        return { url: brokerOf(settings), port: ports.mqtt ?? null, prefix: settings.mqtt.prefix };
      },
      components,
      zoneDefault: VIENNA,
      ...planning,
      prices: { published: () => prices.published() },
      pv,
      quality: (siteId) => ({ load: loads.quality(siteId), pv: pv.quality(siteId) }),
      weather,
      telemetry,
      accounts: accountsWithUses(foundation),
      quotas,
      quotaTable: settings.quotas,
      tariff,
    };
    return { foundation, inputs, webhooks, planning, services, operations: createOperations(services) };
  }

  /** Creates HTTP with all routes, MQTT, the portal and Node-RED; only the portal is started. */
  async #createEdges(core: Core): Promise<Edges> {
    const settings = this.#settings;
    const log = this.#log;
    const running = this.#running;
    const { foundation, services, operations, webhooks } = core;
    const { bus, components, dataFolder, store, registry, accounts, accountServices, uses } = foundation;
    const { forecast, flex, plans, commands, ledger, savings, effects } = core.planning;

    const mqtt: MqttService = mqttOf(settings, {
      services,
      operations,
      accounts,
      registry,
      approvals: accountServices.mqttApprovals,
      languageOf: (accountId) => accountServices.accountBook.get(accountId)?.language ?? "de",
      plans,
      flex,
      savings,
      actuators: (siteId) => actuators.list(siteId),
      setActuatorEnabled: (siteId, id, enabled) => actuators.setEnabled(siteId, id, enabled),
      listeners: core.inputs.priceSources.filter((source) => source instanceof MqttPriceSource),
      bus,
      uses,
      dataFolder,
      installationId: store.state.data.installationId,
      portalUrl: () => this.#portalUrl(),
      log,
    });
    const actuators: ActuatorService = actuatorsOf(settings, core, mqtt);
    const notifications = notificationsOf(settings, core, actuators);
    const metrics = await startMetrics(settings, core, {
      actuators,
      usage: { mqtt: () => mqtt.usage(), http: () => httpHealth.usage() },
      running,
    });
    const proxies = new TrustedProxies(settings.http.trust_proxy, settings.http.base_path);
    const portal = portalOf(settings, {
      services,
      accounts,
      accountServices,
      registry,
      sites: foundation.sites,
      webhooks,
      notifications,
      forecast,
      ledger,
      savings,
      commands,
      effects,
      actuators,
      bus,
      store,
      proxies,
      log,
      uses,
      mqtt,
    });
    const isSignedIn = (req: IncomingMessage) => portal.isSignedIn(req);
    const listening = {
      limits: settings.limits.http,
      proxies,
      hosts: new HostNames({ hosts: settings.http.hosts, baseUrl: () => this.#baseUrl() }),
      isAuthenticated: authenticationCheck({ accounts, links: accountServices.links, isSignedIn }),
      tls: await tlsIdentityOf(settings.http.tls, { running, log }),
    };
    const http = createHttpServer({
      operations,
      services,
      settings: { ...settings.http, shard: servedShard(settings)?.number },
      ...listening,
      log,
      onAnswered: metrics?.observe,
    });
    const httpHealth = new HttpHealth({
      components,
      hasTls: listening.tls !== undefined,
      limits: settings.limits.http,
      usage: () => http.usage,
    });
    // The portal is stopped before the server, which would wait for open dashboards.
    running.add({ stop: () => portal.stop().finally(() => http.stop()) });
    await portal.start();
    const nodeRed = await nodeRedOf(settings, {
      accountServices,
      components,
      dataFolder,
      bus,
      documents: store.documents,
      listening,
      isSignedIn,
      log,
    });
    if (metrics !== undefined) http.routes.all("/metrics", metrics.route);
    http.routes.use(
      createControllers({
        ...services,
        ...core.planning,
        accounts,
        links: linksWithUses(foundation),
        priceMinutes: settings.market.resolution_minutes,
        operations,
        log,
      }),
    );
    if (nodeRed !== undefined) http.routes.use(nodeRed.redirect);
    // Last: it answers browsers on unknown paths.
    http.routes.use(portal.router);
    return { http, httpHealth, mqtt, actuators, notifications, nodeRed };
  }

  /** Opens the ports: HTTP, the socket of the command line, MQTT, then Node-RED. */
  async #listen(
    core: Core,
    { http, httpHealth, mqtt, actuators, notifications, nodeRed }: Edges,
  ): Promise<void> {
    const { port } = await http.start();
    this.ports.http = port;
    this.#running.add(httpHealth);
    httpHealth.start(port);
    core.webhooks.open();
    const admin = adminServerOf(core, actuators, {
      baseUrl: () => this.#baseUrl(),
      ...(servedShard(this.#settings) && { portalUrl: () => this.#portalUrl() }),
    });
    this.#running.addBeside(admin);
    await admin.start();
    this.#running.addBeside(mqtt);
    await mqtt.start();
    this.ports.mqtt = mqtt.port;
    // Stopped before the brokers and HTTP: each device is left to itself while it can still be reached.
    await this.#running.begin(actuators);
    await this.#running.begin(notifications);
    this.#log.info(
      { http: this.ports.http, mqtt: this.ports.mqtt, data: core.foundation.dataFolder },
      `hourgate ${VERSION} serves the portal on ${this.#portalUrl()} and the API on ${this.#baseUrl()}/openapi.json.`,
    );
    // Last: it needs seconds of processor time, and no other part depends on it.
    if (nodeRed !== undefined) {
      this.#running.addBeside(nodeRed);
      await nodeRed.start();
    }
  }

  async #stop(): Promise<void> {
    // A start in progress still adds parts that must be stopped.
    await this.#starting?.catch(() => {});
    await this.#running.stop();
    this.#log.info({}, "hourgate has stopped.");
  }

  /** Address for links in mails; controllers use the plain one, since many cannot use TLS. */
  #portalUrl(): string {
    const { base_url: configured, base_path: path, tls } = this.#settings.http;
    const url = this.#baseUrl();
    // Behind the router of a fleet the portal is below a path that the API does not have.
    if (servedShard(this.#settings) !== undefined) return `${url.replace(/\/+$/, "")}${path ?? ""}`;
    return configured === null && tls !== null ? url.replace(/^http:/, "https:") : url;
  }

  #baseUrl(): string {
    const { http } = this.#settings;
    return baseUrlOf({ ...http, port: this.ports.http ?? http.port });
  }
}

/** The external broker without credentials; null without one. */
function brokerOf({ mqtt }: Settings): string | null {
  if (mqtt.external.url === null) return null;
  const url = new URL(mqtt.external.url);
  url.username = "";
  url.password = "";
  return url.href;
}
