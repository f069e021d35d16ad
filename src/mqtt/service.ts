import { filterMatches } from "../domain/mqtt-filter.js";
import { errorMessage } from "../error-message.js";
import type { ComponentSentence } from "../texts/component-text.js";
import { textsOf } from "../texts/index.js";
import type { Cancel } from "../time/clock.js";
import { Broker } from "./broker.js";
import { BrokerHealth } from "./broker-health.js";
import type { ResourceUsage } from "./budget.js";
import { MqttConnection, type ReceivedMessage, redactUrl } from "./client.js";
import { createHeartbeat, type WhileConnected } from "./heartbeat.js";
import { HomeAssistantDiscovery } from "./home-assistant-discovery.js";
import { Ingest } from "./ingest.js";
import { BrokerError } from "./listen.js";
import { MappedTelemetry, type SeenPayload } from "./mapped-telemetry.js";
import { createMirror } from "./mirror.js";
import type { MqttOptions } from "./options.js";
import { makePacketNumbersWhenNeeded } from "./packet-numbers.js";
import { PublishQueue } from "./publish-queue.js";
import { SampleIntake } from "./sample-intake.js";
import { subscribeSiteEvents } from "./site-events.js";
import { createSlotMirror } from "./slots.js";
import { createTopics, type Topics } from "./topics.js";
import { VictronKeepalive } from "./victron.js";

export type { MqttOptions, MqttServiceSettings } from "./options.js";

const RETRY_MS = 5_000;
/** `start` waits at most this long for the first connection; later connects happen in the background. */
const FIRST_CONNECT_MS = 1000;
const GOODBYE_MS = 500;
const END_MS = 500;
const CLOSE_MS = 800;

interface Target {
  url: string;
  username: string | null;
  password: string | null;
  ca?: string | undefined;
  /** For messages; undefined: the embedded broker. */
  shownUrl: string | undefined;
}

/** The MQTT edge: the embedded broker or the connection to an external one, outputs, telemetry and requests. */
export class MqttService {
  readonly #options: MqttOptions;
  readonly #topics: Topics;
  readonly #queue: PublishQueue;
  readonly #discovery: HomeAssistantDiscovery;
  readonly #samples: SampleIntake;
  readonly #ingest: Ingest;
  readonly #mapped: MappedTelemetry;
  readonly #heartbeat: WhileConnected;
  readonly #victron: VictronKeepalive;
  readonly #health: BrokerHealth;
  readonly #birthTopic: string;
  readonly #cancels: Cancel[] = [];
  #broker: Broker | undefined;
  #connection: MqttConnection | undefined;
  #retry: NodeJS.Timeout | undefined;
  /** Why the embedded broker could not start at the last attempt. */
  #startProblem: string | undefined;
  #stopped = false;
  #resolveFirstConnect = () => {};
  readonly #firstConnect = new Promise<void>((resolve) => {
    this.#resolveFirstConnect = resolve;
  });

  constructor(options: MqttOptions) {
    makePacketNumbersWhenNeeded();
    const { settings, clock, accounts, log, telemetryMap, approvals } = options;
    const homeAssistant = settings.homeassistant;
    const topics = createTopics(settings.prefix, homeAssistant.prefix);
    const sites = () => accounts.sites();
    const send = (topic: string, payload: string, correlation?: Buffer) =>
      this.#queue.sendMessage(topic, payload, correlation);
    this.#options = options;
    this.#topics = topics;
    this.#birthTopic = `${homeAssistant.prefix}/status`;
    this.#queue = new PublishQueue({
      publish: (topic, payload, how) =>
        this.#connection?.publish(topic, payload, how) ?? Promise.reject(new Error("not connected")),
      keyOf: (topic) => topics.plantOf(topic) ?? topics.announcedPlant(topic) ?? "",
      log,
    });
    this.#discovery = new HomeAssistantDiscovery({
      enabled: homeAssistant.enabled,
      site: (id) => this.#site(id),
      slotDocuments: (siteId) => this.#slotDocuments(siteId),
      view: () => ({
        topics,
        version: options.version,
        baseUrl: options.baseUrl(),
        texts: textsOf("en").homeAssistant,
      }),
      setValue: (topic, payload) => this.#queue.setValue(topic, payload),
    });
    this.#samples = new SampleIntake({
      clock,
      store: (siteId, taken, how) => options.telemetry.ingest(siteId, taken, how),
      log,
    });
    this.#ingest = new Ingest({
      topics,
      site: (id) => this.#site(id),
      samples: this.#samples,
      requests: options.requests,
      ...(options.slots === undefined ? {} : { slots: options.slots }),
      isReserved: (topic) => this.#isReserved(topic),
      send,
      log,
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
    this.#heartbeat = createHeartbeat({ seconds: settings.heartbeat_seconds, clock, topics, sites, send });
    this.#victron = new VictronKeepalive({ filters: () => this.#mapped.filters(), send });
    this.#health = new BrokerHealth({
      components: options.components,
      unapproved: () => this.#mapped.unapproved(),
      refusals: () => this.#broker?.budgets.recentRefusals() ?? [],
      log,
    });
  }

  /** Port of the embedded broker; undefined while it does not listen. */
  get port(): number | undefined {
    return this.#broker?.ports.tcp;
  }

  /** Port of the WebSocket listener; undefined without one. */
  get wsPort(): number | undefined {
    return this.#broker?.ports.ws;
  }

  /** Port of the TLS listener; undefined without one. */
  get tlsPort(): number | undefined {
    return this.#broker?.ports.tls;
  }

  /** The last messages on the topics that the approved maps of the plant match, newest first. */
  lastPayloads(siteId: string): SeenPayload[] {
    return this.#mapped.lastPayloads(siteId);
  }

  /** What clients of the embedded broker use of its limits. */
  usage(): ResourceUsage[] {
    return this.#broker?.budgets.usage() ?? [];
  }

  /** Reports the broker as not yet available. To be called before HTTP is served. */
  announce(): void {
    if (!this.#isWanted) return;
    const external = this.#external;
    this.#health.report(
      "down",
      external === undefined
        ? { code: "broker_starting" }
        : { code: "broker_joining", url: redactUrl(external.url) },
    );
  }

  /**
   * Resolves when the broker listens or has failed to: the gateway also works without it, the component "broker" shows
   * the reason, and the start is repeated. An external broker is connected in the background.
   */
  async start(): Promise<void> {
    if (!this.#isWanted) return;
    this.announce();
    this.#queue.setValue(this.#topics.status, "online");
    this.#cancels.push(
      this.#followSites(),
      this.#options.approvals.onChange(() => this.#updateFilters()),
    );
    this.#health.start();
    const external = this.#external;
    if (external === undefined) await this.#startEmbedded();
    else this.#joinExternal(external);
    // The first /health after the start should already show the connected broker.
    if (this.#connection !== undefined) await within(FIRST_CONNECT_MS, this.#firstConnect);
  }

  /** Publishes `offline`, disconnects and stops the broker; takes at most two seconds. */
  async stop(): Promise<void> {
    if (this.#stopped) return;
    this.#stopped = true;
    clearTimeout(this.#retry);
    for (const cancel of this.#cancels.splice(0)) cancel();
    this.#health.stop();
    this.#heartbeat.disconnected();
    this.#victron.disconnected();
    this.#queue.setLastValue(this.#topics.status, "offline");
    const isSent = await within(GOODBYE_MS, this.#queue.flushed());
    if (this.#connection !== undefined) await within(END_MS, this.#connection.stop({ leaveWill: !isSent }));
    if (this.#broker !== undefined) await within(CLOSE_MS, this.#broker.stop());
  }

  get #external(): Omit<Target, "shownUrl"> | undefined {
    const { url, username, password, ca } = this.#options.settings.external;
    return url === null ? undefined : { url, username, password, ca };
  }

  get #isWanted(): boolean {
    return this.#external !== undefined || this.#options.settings.broker.enabled;
  }

  #site(id: string) {
    return this.#options.accounts.sites().find((site) => site.id === id);
  }

  #slotDocuments(siteId: string) {
    return this.#options.slots?.documents(siteId) ?? [];
  }

  /** Topics that the gateway reads for itself, such as prices. */
  #isReserved(topic: string): boolean {
    return (
      topic === this.#birthTopic ||
      (this.#options.listeners ?? []).some((listener) => listener.topic === topic)
    );
  }

  #filters(): string[] {
    const { listeners = [], settings, accounts } = this.#options;
    return [
      ...new Set([
        ...this.#topics.inboundFilters,
        ...listeners.map(({ topic }) => topic),
        ...this.#mapped.filters(),
        ...this.#victron.extraFilters(),
        ...(settings.homeassistant.enabled ? [this.#birthTopic] : []),
        // Announcements of the previous run come back with the subscription.
        ...(this.#external === undefined
          ? []
          : accounts.sites().map(({ id }) => this.#topics.announcement(id))),
      ]),
    ];
  }

  #updateFilters(): void {
    this.#connection?.subscribeTo(this.#filters());
    this.#health.update();
  }

  #followSites(): Cancel {
    const { bus, clock, accounts, approvals, log } = this.#options;
    const topics = this.#topics;
    const setValue = (topic: string, payload: string) => this.#queue.setValue(topic, payload);
    return subscribeSiteEvents({
      bus,
      clock,
      sites: () => accounts.sites(),
      mirror: createMirror({ ...this.#options, topics, setValue }),
      mirrorSlots: createSlotMirror({
        topics,
        slotDocuments: (siteId) => this.#slotDocuments(siteId),
        setValue,
      }),
      announcer: this.#discovery,
      onSitesChanged: () => this.#updateFilters(),
      onSiteRemoved: (plant) => {
        this.#queue.removeValues(topics.of(plant, ""));
        this.#mapped.forget(plant);
        this.#samples.forget(plant);
        approvals
          .removeSite(plant)
          .catch((error: unknown) =>
            log.error({ err: error, site: plant }, "The MQTT approvals of a site could not be removed."),
          );
      },
      log,
    });
  }

  async #receive(topic: string, payload: Buffer, { retained, replyTo }: ReceivedMessage): Promise<void> {
    for (const listener of this.#options.listeners ?? [])
      if (listener.topic === topic) listener.receive(payload.toString("utf8"));
    if (topic === this.#birthTopic && !retained && payload.toString("utf8") === "online")
      for (const { id } of this.#options.accounts.sites())
        this.#queue.repeatValue(this.#topics.announcement(id));
    if (retained && this.#topics.announcedPlant(topic) !== undefined)
      this.#discovery.found(topic, payload.toString("utf8"));
    this.#victron.saw(topic);
    const handled = Promise.all([
      this.#ingest.handle(topic, payload, { retained, replyTo }),
      this.#mapped.handle(topic, payload, retained),
    ]);
    // Clients repeat a request that gets no answer, so it must not hold up the telemetry behind it.
    if (this.#topics.inbound(topic)?.kind !== "request") await handled;
  }

  #connect(
    to: Target,
    { persistent, description }: { persistent: boolean; description(): ComponentSentence },
  ): void {
    const reportConnected = (refused: readonly string[]) =>
      refused.length === 0
        ? this.#health.report("ok", description())
        : this.#health.report("degraded", description(), {
            code: "broker_subscriptions_refused",
            topics: refused,
          });
    this.#connection = new MqttConnection({
      url: to.url,
      username: to.username ?? undefined,
      password: to.password ?? undefined,
      ca: to.ca,
      clientId: `hourgate-${this.#options.installationId}`,
      persistentSession: persistent,
      will: { topic: this.#topics.status, payload: "offline" },
      subscriptions: this.#filters(),
      onConnect: (refused) => {
        this.#resolveFirstConnect();
        reportConnected(refused);
        this.#queue.connected();
        this.#heartbeat.connected();
        this.#victron.connected();
      },
      onSubscribed: reportConnected,
      onDisconnect: () => {
        this.#heartbeat.disconnected();
        this.#victron.disconnected();
        this.#queue.disconnected();
        if (!this.#stopped) this.#health.report("down", { code: "broker_lost", url: to.shownUrl });
      },
      onProblem: (problem) => {
        if (!this.#stopped)
          this.#health.report("down", { code: "broker_problem", url: to.shownUrl, problem });
      },
      onMessage: (topic, payload, message) => this.#receive(topic, payload, message),
      log: this.#options.log,
    });
    this.#connection.start();
  }

  #joinExternal(to: Omit<Target, "shownUrl">): void {
    const shownUrl = redactUrl(to.url);
    this.#health.report("down", { code: "broker_joining", url: shownUrl });
    // The external broker keeps a session while the gateway is offline.
    this.#connect(
      { ...to, shownUrl },
      { persistent: true, description: () => ({ code: "broker_external", url: shownUrl }) },
    );
  }

  async #startEmbedded(): Promise<void> {
    const { log } = this.#options;
    const broker = this.#createBroker();
    try {
      await broker.start();
    } catch (error) {
      const reason =
        error instanceof BrokerError ? error.message : `The MQTT broker failed: ${errorMessage(error)}`;
      // The start is repeated every few seconds: the same reason is logged once.
      if (reason !== this.#startProblem) log.error({ err: error }, reason);
      this.#startProblem = reason;
      this.#health.report("down", { code: "broker_failed", message: reason });
      if (!this.#stopped) this.#retry = setTimeout(() => void this.#startEmbedded(), RETRY_MS);
      return;
    }
    // The gateway may have been stopped in the meantime.
    if (this.#stopped) return broker.stop();
    this.#broker = broker;
    this.#removeOutdated(broker.retained());
    // The embedded broker starts and stops with the gateway, so no session is needed.
    this.#connect(
      { ...broker.loopback, shownUrl: undefined },
      { persistent: false, description: () => ({ code: "broker_embedded", ...broker.ports }) },
    );
  }

  #createBroker(): Broker {
    const { settings, limits, accounts, approvals, dataFolder, clock, log, telemetryMap } = this.#options;
    const { ws_port: wsPort, ...broker } = settings.broker;
    const [first] = accounts.sites();
    return new Broker({
      settings: {
        ...broker,
        wsPort,
        users: broker.users.flatMap(({ plant, ...user }) => {
          const owned = plant ?? first?.id;
          return owned === undefined ? [] : [{ ...user, plant: owned }];
        }),
      },
      limits,
      dataFolder,
      topics: this.#topics,
      access: (key) => accounts.access(key),
      hasPlant: (plant) => this.#site(plant) !== undefined,
      // The administrator's own maps need no approval.
      isApproved: (topic, plant) =>
        approvals.mayPublish(plant, topic) ||
        (approvals.isUnrestricted(plant) &&
          telemetryMap(plant).some((entry) => filterMatches(entry.topic, topic))),
      isReserved: (topic) => this.#isReserved(topic),
      mappedSites: (topic) => this.#mapped.mappedSites(topic),
      onRefused: () => this.#health.update(),
      now: () => clock.now().getTime(),
      log,
    });
  }

  /** Removes the retained values of plants that no longer exist. External brokers do not list what they retain. */
  #removeOutdated(retained: ReadonlyMap<string, string>): void {
    for (const [topic, text] of retained) {
      const plant = this.#topics.plantOf(topic);
      if (plant !== undefined && this.#site(plant) === undefined) this.#queue.setValue(topic, "");
      this.#discovery.found(topic, text);
    }
  }
}

/** Waits for the work, but not longer than `ms`; true if it ended in time. */
async function within(ms: number, work: Promise<unknown>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), ms);
  });
  return Promise.race([work.then(() => true), timeout]).finally(() => clearTimeout(timer));
}
