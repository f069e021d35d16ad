import type { IncomingMessage } from "node:http";
import { guestTokens } from "../accounts/shard.js";
import type { Settings } from "../config/settings.js";
import type { HealthRegistry } from "../core/health-registry.js";
import { createLog, type Log } from "../core/log.js";
import { baseUrlOf, HostNames } from "../core/net/host-names.js";
import { TrustedProxies } from "../core/net/trusted-proxies.js";
import type { Clock } from "../core/time/clock.js";
import { VERSION } from "../core/version.js";
import { createControllers } from "../edges/controllers/router.js";
import { createHttpServer } from "../edges/http/server.js";
import { createMcp } from "../edges/mcp/router.js";
import type { MqttService } from "../edges/mqtt/service.js";
import type { ReadingService } from "../equipment/reading/service.js";
import type { NotificationService } from "../messages/notifications/service.js";
import { AdminServer } from "../ops/admin/server.js";
import { FleetSecret } from "../ops/fleet/secret.js";
import { isFleet, servedShard } from "../ops/fleet/settings.js";
import { createMetrics } from "../ops/metrics/create.js";
import type { StateView } from "../store/state-schema.js";
import { type Equipment, equipmentOf } from "./actuators.js";
import { authenticationCheck, departureCheck } from "./authentication.js";
import { type Core, startCore } from "./core.js";
import { HttpHealth } from "./http-health.js";
import { linksWithUses } from "./last-uses.js";
import { mqttOf } from "./mqtt.js";
import { nodeRedOf } from "./node-red.js";
import { notificationsOf } from "./notifications.js";
import { portalOf } from "./portal.js";
import { Running } from "./running.js";
import { tlsIdentityOf } from "./tls.js";

interface Edges extends Pick<Equipment, "actuators" | "devices" | "trials"> {
  http: ReturnType<typeof createHttpServer>;
  httpHealth: HttpHealth;
  mqtt: MqttService;
  notifications: NotificationService;
  nodeRed: Awaited<ReturnType<typeof nodeRedOf>>;
}

export interface GatewayOptions {
  log?: Log;
  /** Replaces the clock of the configuration. */
  clock?: Clock;
  /** Number of loads sampled for the expectation of a plan: fewer make it rougher, and the plan cheaper. */
  sampledLoads?: number | undefined;
  /** Called when another process has taken over the stored data: this one no longer stores anything and must end. */
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
  readonly #options: GatewayOptions;
  readonly #log: Log;
  readonly #running: Running;
  #state: { readonly data: StateView } | undefined;
  #devices: ReadingService | undefined;
  #starting: Promise<void> | undefined;
  #stopping: Promise<void> | undefined;

  constructor(settings: Settings, options: GatewayOptions) {
    this.#settings = settings;
    this.#options = options;
    this.#log = options.log ?? createLog(settings.log);
    this.#running = new Running(this.#log);
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

  /** The hashes of the keys and links that came with accounts of other shards. */
  guestTokens(): readonly string[] {
    return this.#state === undefined ? [] : guestTokens(this.#state.data);
  }

  async #start(): Promise<void> {
    const core = await startCore(this.#settings, {
      ...this.#options,
      running: this.#running,
      baseUrl: () => this.#portalUrl(),
      apiUrl: () => this.#baseUrl(),
      mqttPort: () => this.ports.mqtt,
      devices: (siteId) => this.#devices?.list(siteId) ?? [],
      log: this.#log,
    });
    this.#state = core.state;
    const edges = await this.#createEdges(core);
    edges.mqtt.announce();
    await this.#listen(core, edges);
  }

  /** Creates HTTP with all routes, MQTT, the portal and Node-RED; only the portal is started. */
  async #createEdges(core: Core): Promise<Edges> {
    const settings = this.#settings;
    const log = this.#log;
    const running = this.#running;
    const { accounts, accountServices, components } = core;
    const hosts = new HostNames({ hosts: settings.http.hosts, baseUrl: () => this.#baseUrl() });
    const mqtt: MqttService = mqttOf(settings, core, {
      hosts,
      actuators: {
        list: (siteId) => equipment.actuators.list(siteId),
        setEnabled: (...command) => equipment.actuators.setEnabled(...command),
      },
      devices: { list: (siteId) => equipment.devices.list(siteId) },
    });
    const equipment: Equipment = equipmentOf(settings, core, mqtt);
    const { actuators, devices, trials } = equipment;
    const notifications = notificationsOf(core, { actuators });
    const metrics = await createMetrics(settings, {
      ...core,
      actuators,
      devices,
      usage: { mqtt: () => mqtt.usage(), http: () => httpHealth.usage() },
    });
    if (metrics !== undefined) await running.begin(metrics.service);
    const proxies = new TrustedProxies(settings.http.trust_proxy, settings.http.base_path);
    const portal = portalOf(settings, core, { ...equipment, mqtt, notifications, proxies });
    const isSignedIn = (req: IncomingMessage) => portal.isSignedIn(req);
    const listening = {
      limits: settings.limits.http,
      proxies,
      hosts,
      isAuthenticated: authenticationCheck({ accounts, links: accountServices.links, isSignedIn }),
      // Only routers connect to a worker; those of clients have the certificate.
      tls: isFleet(settings)
        ? { context: new FleetSecret(settings).server, onChange: () => {} }
        : await tlsIdentityOf(settings.http.tls, { running, log }),
    };
    const http = createHttpServer({
      ...core,
      settings: { ...settings.http, shard: servedShard(settings)?.number },
      hasDeparted: departureCheck(core.state),
      ...listening,
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
    const nodeRed = await nodeRedOf(settings, core, { listening, isSignedIn });
    if (metrics !== undefined) http.routes.all("/metrics", metrics.route);
    http.routes.use(
      createControllers({
        ...core,
        priceMinutes: core.stepMinutes,
        links: linksWithUses(core),
      }),
    );
    http.routes.use(createMcp({ ...core, ...accountServices, proxies }));
    if (nodeRed !== undefined) http.routes.use(nodeRed.redirect);
    // Last: it answers browsers on unknown paths.
    http.routes.use(portal.router);
    this.#devices = devices;
    return { http, httpHealth, mqtt, actuators, devices, trials, notifications, nodeRed };
  }

  /** Opens the ports: HTTP, the socket of the command line, MQTT, then Node-RED. */
  async #listen(
    core: Core,
    { http, httpHealth, mqtt, actuators, devices, trials, notifications, nodeRed }: Edges,
  ): Promise<void> {
    const { port } = await http.start();
    this.ports.http = port;
    this.#running.add(httpHealth);
    httpHealth.start(port);
    core.webhooks.open({ run: () => core.forecast.current(), plan: (siteId) => core.plans.current(siteId) });
    const admin = new AdminServer({
      folder: core.dataFolder,
      services: {
        ...core,
        ...core.accountServices,
        baseUrl: core.apiUrl,
        ...(servedShard(this.#settings) && { portalUrl: core.baseUrl }),
        runForecast: () => core.forecast.run("manual"),
        actuators,
        devices,
        trials,
        meter: core.imports,
      },
      log: core.log,
    });
    this.#running.addBeside(admin);
    await admin.start();
    this.#running.addBeside(mqtt);
    await mqtt.start();
    this.ports.mqtt = mqtt.port;
    // Stopped before the brokers and HTTP: each device is left to itself while it can still be reached.
    await this.#running.begin(actuators);
    await this.#running.begin(devices);
    await this.#running.begin(notifications);
    this.#log.info(
      { http: this.ports.http, mqtt: this.ports.mqtt, data: core.dataFolder },
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
