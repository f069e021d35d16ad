import { writeToStream } from "mqtt-packet";
import type { Site } from "../../config/site.js";
import type { Cancel } from "../../core/time/clock.js";
import type { ResourceUsage } from "./broker/budget.js";
import type { MqttClientView } from "./broker/client-list.js";
import { BrokerHealth } from "./client/broker-health.js";
import { BrokerLink, endsWithin } from "./client/broker-link.js";
import { Commander } from "./client/commander.js";
import type { ReceivedMessage } from "./client/connection.js";
import { DeviceSubscriptions } from "./client/device-channel.js";
import { PublishQueue } from "./client/publish-queue.js";
import { HomeAssistantDiscovery } from "./home-assistant/discovery.js";
import type { MqttOptions } from "./options.js";
import { ChargeTargets } from "./topics/charge-targets.js";
import { createHeartbeat, type WhileConnected } from "./topics/heartbeat.js";
import { Ingest } from "./topics/ingest.js";
import { MappedTelemetry, type SeenPayload } from "./topics/mapped-telemetry.js";
import { PassedOn } from "./topics/passed-on.js";
import { partFilters, topicsOfRemovedPart } from "./topics/removed-parts.js";
import { SampleIntake } from "./topics/sample-intake.js";
import { subscribeSiteEvents } from "./topics/site-events.js";
import { siteMirrors } from "./topics/site-mirrors.js";
import { createTopics, type Topics } from "./topics/topics.js";
import { VictronKeepalive } from "./topics/victron.js";

export type { MqttOptions, MqttServiceSettings } from "./options.js";

const GOODBYE_MS = 500;

/** The MQTT edge: the embedded broker or the connection to an external one, outputs, telemetry and requests. */
export class MqttService {
  readonly #options: MqttOptions;
  readonly #topics: Topics;
  readonly #queue: PublishQueue;
  readonly #discovery: HomeAssistantDiscovery;
  readonly #chargeTargets: ChargeTargets;
  readonly #samples: SampleIntake;
  readonly #ingest: Ingest;
  readonly #mapped: MappedTelemetry;
  readonly #passedOn: PassedOn;
  readonly #heartbeat: WhileConnected;
  readonly #victron: VictronKeepalive;
  readonly #health: BrokerHealth;
  readonly #cancels: Cancel[] = [];
  readonly #link: BrokerLink;
  readonly #devices = new DeviceSubscriptions(() => this.#updateFilters(), { keepsLast: true });
  /** Another gateway with the same installation id may command until the start has found out. */
  readonly commander = new Commander();
  #stopped = false;

  constructor(options: MqttOptions) {
    makePacketNumbersWhenNeeded();
    const { settings, clock, accounts, log, telemetryMap, approvals } = options;
    const topics = createTopics(settings.prefix, settings.homeassistant.prefix, options.moved?.origin);
    const sites = () => accounts.sites();
    const send = (topic: string, payload: string, correlation?: Buffer) =>
      this.#queue.sendMessage(topic, payload, correlation);
    this.#options = options;
    this.#topics = topics;
    this.#queue = new PublishQueue({
      publish: (topic, payload, how) =>
        this.#link.connection?.publish(topic, payload, how) ?? Promise.reject(new Error("not connected")),
      keyOf: (topic) => topics.plantOf(topic) ?? topics.announced(topic)?.plant ?? "",
      parallel: () => this.#link.connection?.publishedAtOnce ?? 1,
      log,
    });
    this.#discovery = new HomeAssistantDiscovery(options, topics, this.#queue);
    this.#chargeTargets = new ChargeTargets({
      ...options,
      topics,
      setValue: (topic, payload) => this.#queue.setValue(topic, payload),
    });
    this.#samples = new SampleIntake({
      clock,
      store: (siteId, taken, how) => options.telemetry.ingest(siteId, taken, how),
      leaveOut: (siteId, readings) => options.telemetry.leaveOut(siteId, readings),
      log,
    });
    this.#ingest = new Ingest({
      ...options,
      topics,
      site: (id) => this.#site(id),
      samples: this.#samples,
      chargeTargets: this.#chargeTargets,
      isReserved: (topic) => this.#isReserved(topic),
      repeatValue: (topic) => this.#queue.repeatValue(topic),
      send,
    });
    this.#mapped = new MappedTelemetry({
      topics,
      clock,
      sites,
      telemetryMap,
      mayRead: (siteId, filter) => approvals.mayRead(siteId, filter),
      take: (site, readings) => this.#samples.take(site, readings),
      acknowledge: (siteId, topic, result) => send(topics.ack(siteId), JSON.stringify({ topic, ...result })),
      log,
    });
    this.#passedOn = new PassedOn({
      topics,
      moved: options.moved,
      isPlant: (id) => this.#site(id) !== undefined,
      connection: () => this.#link.connection,
      isStopped: () => this.#stopped,
    });
    this.#heartbeat = createHeartbeat({ seconds: settings.heartbeat_seconds, clock, topics, sites, send });
    this.#victron = new VictronKeepalive({ filters: () => this.#mapped.filters(), send });
    this.#health = new BrokerHealth({
      components: options.components,
      unapproved: () => this.#mapped.unapproved(),
      usage: () => this.#link.broker?.budgets.usage() ?? [],
      refusals: () => this.#link.broker?.budgets.recentRefusals() ?? [],
      refusedClients: () => this.#link.broker?.refusedClients.recent() ?? [],
      log,
    });
    this.#link = new BrokerLink({
      options,
      topics,
      health: this.#health,
      filters: () => this.#filters(),
      isReserved: (topic) => this.#isReserved(topic),
      mappedSites: (topic) => this.#mapped.mappedSites(topic),
      onStarted: (retained) => {
        this.#removeOutdated(retained);
        this.#health.update();
      },
      onRole: (role) => this.commander.set(role),
      onConnect: () => {
        this.#queue.connected();
        this.#heartbeat.connected();
        this.#victron.connected();
        this.#devices.connected(true);
        this.#discovery.connected();
      },
      onDisconnect: () => {
        this.#heartbeat.disconnected();
        this.#victron.disconnected();
        this.#queue.disconnected();
        this.#devices.connected(false);
        this.#discovery.disconnected();
      },
      onMessage: (topic, payload, message) => this.#receive(topic, payload, message),
    });
  }

  /** Open ports of the embedded broker; undefined for listeners that are off. */
  get ports(): { readonly tcp?: number; readonly ws?: number; readonly tls?: number; readonly wss?: number } {
    return this.#link.broker?.ports ?? {};
  }

  /** Port of the embedded broker; undefined while it does not listen. */
  get port(): number | undefined {
    return this.ports.tcp;
  }

  /** The last messages on the topics that the approved maps of the plant match, newest first. */
  lastPayloads(siteId: string): SeenPayload[] {
    return this.#mapped.lastPayloads(siteId);
  }

  /**
   * The clients of the embedded broker that belong to the plant, connected or not; none of an external broker. The
   * administrator also sees those that were refused before it was known whose they are.
   */
  clients(siteId: string): MqttClientView[] {
    const { broker } = this.#link;
    if (broker === undefined) return [];
    const strangers = this.#options.approvals.isUnrestricted(siteId) ? broker.refusedByProtocol() : [];
    return [...broker.clients(siteId), ...strangers];
  }

  /** What clients of the embedded broker use of its limits, and the answers that wait for either broker. */
  usage(): ResourceUsage[] {
    const answers = { resource: "answers", ...this.#queue.usage } as const;
    return [...(this.#link.broker?.budgets.usage() ?? []), answers];
  }

  /** The gateway's connection for devices that it switches: publishes with QoS 1, not retained. */
  get deviceChannel() {
    const link = this.#link;
    const devices = this.#devices;
    return {
      get isConnected() {
        return link.connection?.isConnected ?? false;
      },
      publish: (topic: string, payload: string) =>
        link.connection?.publish(topic, payload, { retain: false }) ??
        Promise.reject(new Error("not connected")),
      subscribe: devices.subscribe.bind(devices),
      watch: devices.watch.bind(devices),
      onConnection: devices.onConnection.bind(devices),
    };
  }

  /** Reports the broker as not yet available. To be called before HTTP is served. */
  announce(): void {
    if (this.#link.isWanted) this.#link.announce();
  }

  /**
   * Resolves when the broker listens or has failed to: the gateway also works without it, the component "broker" shows
   * the reason, and the start is repeated. An external broker is connected in the background.
   */
  async start(): Promise<void> {
    if (!this.#link.isWanted) {
      this.commander.set("commanding");
      return;
    }
    this.announce();
    await Promise.all([this.#discovery.start(), this.#chargeTargets.load()]);
    this.#queue.setValue(this.#topics.status, "online");
    this.#cancels.push(
      this.#followSites(),
      this.#options.approvals.onChange(() => this.#updateFilters()),
    );
    this.#health.start();
    await this.#link.start();
  }

  /** Publishes `offline`, disconnects and stops the broker; takes at most two seconds. */
  async stop(): Promise<void> {
    if (this.#stopped) return;
    this.#stopped = true;
    this.#link.prepareStop();
    for (const cancel of this.#cancels.splice(0)) cancel();
    this.#health.stop();
    this.#heartbeat.disconnected();
    this.#victron.disconnected();
    this.#queue.setLastValue(this.#topics.status, "offline");
    const isSent = await endsWithin(GOODBYE_MS, this.#queue.flushed());
    await this.#link.stop({ leaveWill: !isSent });
    await this.#discovery.stop();
  }

  #site(id: string) {
    return this.#options.sites.get(id);
  }

  /** Topics that the gateway reads for itself, such as prices. */
  #isReserved(topic: string): boolean {
    return (
      this.#discovery.isReserved(topic) ||
      this.#options.listeners.some((listener) => listener.topic === topic)
    );
  }

  #filters(): string[] {
    const { listeners, accounts, moved } = this.#options;
    const guests = accounts.sites().filter(({ id }) => moved?.origin(id) !== undefined);
    return [
      ...new Set([
        ...this.#topics.inboundFilters,
        ...listeners.map(({ topic }) => topic),
        ...this.#mapped.filters(),
        ...this.#victron.extraFilters(),
        ...this.#devices.filters(),
        ...this.#discovery.filters(),
        // What the previous run announced and published comes back with the subscription.
        ...(this.#link.isExternal
          ? [
              ...accounts.sites().map(({ id }) => this.#topics.announcement(id)),
              ...["+", ...guests.map(({ id }) => id)].flatMap((plant) => partFilters(this.#topics, plant)),
            ]
          : []),
      ]),
    ];
  }

  #updateFilters(): void {
    this.#mapped.changed();
    this.#link.connection?.subscribeTo(this.#filters());
    this.#health.update();
  }

  #followSites(): Cancel {
    const { bus, clock, accounts, log } = this.#options;
    const topics = this.#topics;
    return subscribeSiteEvents({
      bus,
      clock,
      sites: () => accounts.sites(),
      isServed: (siteId) => this.#site(siteId) !== undefined,
      topics,
      ...siteMirrors(this.#options, {
        topics,
        site: (id) => this.#site(id),
        chargeTargets: this.#chargeTargets,
        setValue: (topic, payload) => this.#queue.setValue(topic, payload),
      }),
      announcer: this.#discovery,
      onSitesChanged: () => this.#updateFilters(),
      onSiteRemoved: (plant) => {
        this.#queue.removeValues(topics.of(plant, ""));
        this.#mapped.forget(plant);
        this.#samples.forget(plant);
        this.#chargeTargets.forget(plant);
        this.#link.broker
          ?.removeSite(plant)
          .catch((error: unknown) =>
            log.error({ err: error, site: plant }, "The MQTT sessions of a removed site could not be ended."),
          );
      },
      log,
    });
  }

  async #receive(topic: string, payload: Buffer, { retained, replyTo }: ReceivedMessage): Promise<void> {
    const passedOn = this.#passedOn.take(topic, payload, { retained, replyTo });
    if (passedOn !== undefined && (await passedOn)) return;
    for (const listener of this.#options.listeners)
      if (listener.topic === topic) listener.receive(payload.toString("utf8"));
    this.#discovery.receive(topic, payload.toString("utf8"), { retained });
    const site = retained ? this.#site(this.#topics.plantOf(topic) ?? "") : undefined;
    if (site !== undefined) this.#removePart(topic, site);
    this.#victron.saw(topic);
    this.#devices.received(topic, payload, retained);
    const handled = Promise.all([
      this.#ingest.handle(topic, payload, { retained, replyTo }),
      this.#mapped.handle(topic, payload, retained),
    ]);
    // Clients repeat a request that gets no answer, so it must not hold up the telemetry behind it.
    if (this.#topics.inbound(topic)?.kind !== "request") await handled;
  }

  /** Removes the values of a battery, device or actuator that the settings of its plant no longer have. */
  #removePart(topic: string, site: Site): void {
    const below = this.#topics.of(site.id, "");
    for (const name of topicsOfRemovedPart(topic.slice(below.length), site))
      this.#queue.setValue(`${below}${name}`, "");
  }

  /** Removes the retained values of plants, batteries, devices and actuators that no longer exist. External brokers do not list what they retain. */
  #removeOutdated(retained: ReadonlyMap<string, string>): void {
    for (const [topic, text] of retained) {
      const plant = this.#topics.plantOf(topic);
      const site = plant === undefined ? undefined : this.#site(plant);
      if (site !== undefined) this.#removePart(topic, site);
      else if (plant !== undefined) this.#queue.setValue(topic, "");
      this.#discovery.found(topic, text);
    }
  }
}

/**
 * Turns off a cache of mqtt-packet, which would create a Buffer for each of the 65,536 packet identifiers (7 MB) at the
 * first packet.
 */
function makePacketNumbersWhenNeeded(): void {
  writeToStream.cacheNumbers = false;
}
