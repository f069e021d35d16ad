import type { ComponentSentence } from "../../../core/domain/component-sentence.js";
import { filterMatches } from "../../../core/domain/mqtt-filter.js";
import { errorMessage } from "../../../core/error-message.js";
import { SerialQueue } from "../../../core/work/serial-queue.js";
import { Broker } from "../broker/broker.js";
import { BrokerError } from "../broker/listen.js";
import type { MqttOptions } from "../options.js";
import type { Topics } from "../topics/topics.js";
import type { BrokerHealth } from "./broker-health.js";
import { type ClientOptions, MqttConnection, redactUrl } from "./client.js";
import type { BrokerConnection, ReceivedMessage } from "./connection.js";
import { GatewayPresence } from "./gateway-presence.js";
import type { GatewayRole, Presence } from "./gateway-role.js";

const RETRY_MS = 5_000;
/** Time until the next attempt to store the data of the embedded broker on a disk that was full. */
const DISK_MS = 5_000;
/** `start` waits at most this long for an external broker; later connects happen in the background. */
const FIRST_CONNECT_MS = 1000;
const END_MS = 500;
const CLOSE_MS = 800;

export interface BrokerLinkOptions {
  options: MqttOptions;
  topics: Topics;
  health: BrokerHealth;
  filters(): readonly string[];
  /** Whether the gateway reads the topic for itself. */
  isReserved(topic: string): boolean;
  /** The plants whose telemetry maps match the topic. */
  mappedSites(topic: string): readonly string[];
  /** The embedded broker has started; `retained` are its retained messages by topic. */
  onStarted(retained: ReadonlyMap<string, string>): void;
  /** Whether this gateway commands, or another one with the same installation id. */
  onRole(role: GatewayRole): void;
  onConnect(): void;
  onDisconnect(): void;
  onMessage(topic: string, payload: Buffer, message: ReceivedMessage): Promise<void>;
}

type ExternalBroker = Pick<ClientOptions, "url" | "username" | "password" | "ca">;

/** The embedded broker with the gateway's connection to it, or the connection to an external broker. */
export class BrokerLink {
  readonly #link: BrokerLinkOptions;
  readonly #options: MqttOptions;
  #broker: Broker | undefined;
  #network: MqttConnection | undefined;
  #presence: GatewayPresence | undefined;
  /** The other gateway with the same installation id. */
  #other: Presence | undefined;
  /** Joins and leaves the external broker. */
  readonly #joining = new SerialQueue();
  /** The filters that the external broker has refused. */
  #refused: readonly string[] = [];
  #retry: NodeJS.Timeout | undefined;
  /** Why the embedded broker could not start at the last attempt. */
  #startProblem: string | undefined;
  #stopped = false;

  constructor(link: BrokerLinkOptions) {
    this.#link = link;
    this.#options = link.options;
  }

  /** The embedded broker; undefined while it does not listen. */
  get broker(): Broker | undefined {
    return this.#broker;
  }

  get connection(): BrokerConnection | undefined {
    return this.#network ?? this.#broker?.connection;
  }

  /** False if the configuration has neither an embedded nor an external broker. */
  get isWanted(): boolean {
    return this.#external !== undefined || this.#options.settings.broker.enabled;
  }

  get isExternal(): boolean {
    return this.#external !== undefined;
  }

  /** Reports the broker as not yet available. */
  announce(): void {
    const external = this.#external;
    this.#link.health.report(
      "down",
      external === undefined
        ? { code: "broker_starting" }
        : { code: "broker_joining", url: redactUrl(external.url) },
    );
  }

  /** Resolves when the broker listens or has failed to, and at most a second later. */
  async start(): Promise<void> {
    const external = this.#external;
    if (external === undefined) {
      this.#link.onRole("commanding");
      await this.#startEmbedded();
    } else if (this.#options.hasExclusiveStore) {
      this.#link.onRole("commanding");
      await this.#joinExternal(external.url);
    } else await this.#announcePresence(external);
  }

  /** No problems are reported and no attempts are started any more. */
  prepareStop(): void {
    this.#stopped = true;
    clearTimeout(this.#retry);
  }

  /** Disconnects and stops the broker. With `leaveWill` an external broker publishes the last will. */
  async stop({ leaveWill }: { leaveWill: boolean }): Promise<void> {
    this.prepareStop();
    await endsWithin(END_MS, Promise.all([this.#network?.stop({ leaveWill }), this.#presence?.stop()]));
    if (this.#broker === undefined) return;
    this.#link.onDisconnect();
    await endsWithin(CLOSE_MS, this.#broker.stop());
  }

  get #external(): ExternalBroker | undefined {
    const { url, username, password, ca } = this.#options.settings.external;
    if (url === null) return undefined;
    return { url, username: username ?? undefined, password: password ?? undefined, ca };
  }

  /** Joins the broker unless another gateway with the same installation id does; resolves when that is known. */
  async #announcePresence(external: ExternalBroker): Promise<void> {
    const { installationId, log } = this.#options;
    await new Promise<void>((resolve) => {
      const presence = new GatewayPresence({
        ...external,
        topic: this.#link.topics.presence(installationId),
        onChange: (role, other) => {
          this.#other = other;
          void this.#joining.run(() => this.#follow(role)).then(resolve);
        },
        log,
      });
      this.#presence = presence;
      presence.start();
    });
  }

  async #follow(role: GatewayRole): Promise<void> {
    if (this.#stopped) return;
    const url = this.#external!.url;
    if (role !== "commanding") {
      const network = this.#network;
      this.#network = undefined;
      this.#link.onRole(role);
      // A regular end: the other gateway is online, so the last will must not say "offline".
      await network?.stop({ leaveWill: false });
      this.#reportOther();
    } else if (this.#network === undefined) {
      this.#link.onRole(role);
      await this.#joinExternal(url);
    } else this.#reportConnected();
  }

  /** Resolves when the broker has accepted the connection, and at most a second later. */
  async #joinExternal(url: string): Promise<void> {
    const { installationId, log } = this.#options;
    const { health, topics, onConnect, onDisconnect, onMessage } = this.#link;
    const shownUrl = redactUrl(url);
    const reportDown = (detail: ComponentSentence) => {
      if (!this.#stopped && this.#network === network) health.report("down", detail);
    };
    health.report("down", { code: "broker_joining", url: shownUrl });
    let resolve = () => {};
    const connected = new Promise<void>((done) => {
      resolve = done;
    });
    const network = new MqttConnection({
      ...this.#external!,
      clientId: `hourgate-${installationId}`,
      // The external broker keeps a session while the gateway is offline.
      persistentSession: true,
      will: { topic: topics.status, payload: "offline" },
      subscriptions: this.#link.filters(),
      onConnect: (refused) => {
        resolve();
        this.#reportConnected(refused);
        onConnect();
      },
      onSubscribed: (refused) => this.#reportConnected(refused),
      onDisconnect: () => {
        onDisconnect();
        reportDown({ code: "broker_lost", url: shownUrl });
      },
      onProblem: (problem) => reportDown({ code: "broker_problem", url: shownUrl, problem }),
      onMessage,
      log,
    });
    this.#network = network;
    network.start();
    // The first /health after the start should already show the connected broker.
    await endsWithin(FIRST_CONNECT_MS, connected);
  }

  #reportConnected(refused = this.#refused): void {
    this.#refused = refused;
    if (this.#network?.isConnected !== true) return;
    const problems: ComponentSentence[] = [
      ...(refused.length === 0 ? [] : [{ code: "broker_subscriptions_refused", topics: refused } as const]),
      ...(this.#other === undefined ? [] : [{ code: "broker_copy", ...this.#named(this.#other) } as const]),
    ];
    const description = { code: "broker_external", url: redactUrl(this.#external!.url) } as const;
    this.#link.health.report(problems.length === 0 ? "ok" : "degraded", description, ...problems);
  }

  /** Another gateway has the broker, or it is not known yet whether one has. */
  #reportOther(): void {
    const url = redactUrl(this.#external!.url);
    this.#link.health.report(
      "down",
      this.#other === undefined
        ? { code: "broker_presence_unknown", url }
        : { code: "broker_standby", ...this.#named(this.#other) },
    );
  }

  #named({ machine, startedAtMs }: Presence) {
    return { url: redactUrl(this.#external!.url), machine, started: new Date(startedAtMs) };
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
      this.#link.health.report("down", { code: "broker_failed", message: reason });
      if (!this.#stopped) this.#retry = setTimeout(() => void this.#startEmbedded(), RETRY_MS);
      return;
    }
    // The gateway may have been stopped in the meantime.
    if (this.#stopped) return broker.stop();
    this.#broker = broker;
    this.#link.onStarted(broker.retained());
    // Filters may have changed since the broker has opened its store.
    broker.connection?.subscribeTo(this.#link.filters());
    this.#startProblem = undefined;
    if (broker.database?.isOnDisk === false) this.#workInMemory(broker);
    else this.#link.health.report("ok", { code: "broker_embedded", ...broker.ports });
    this.#link.onConnect();
  }

  /** The disk takes nothing: the broker is started again, which moves its data to the folder, as soon as it does. */
  #workInMemory(broker: Broker): void {
    this.#options.log.warn(
      {},
      "The disk takes nothing: the MQTT broker keeps its messages and sessions in memory only.",
    );
    this.#link.health.report(
      "degraded",
      { code: "broker_embedded", ...broker.ports },
      { code: "broker_disk_full" },
    );
    const move = async () => {
      if (this.#stopped) return;
      if (!(await broker.database?.isFolderUsable())) {
        this.#retry = setTimeout(() => void move(), DISK_MS).unref();
        return;
      }
      if (this.#stopped) return;
      this.#link.onDisconnect();
      this.#broker = undefined;
      await broker.stop();
      this.#options.log.info({}, "The MQTT broker stores its messages and sessions on disk again.");
      await this.#startEmbedded();
    };
    this.#retry = setTimeout(() => void move(), DISK_MS).unref();
  }

  #createBroker(): Broker {
    const { settings, limits, accounts, approvals, dataFolder, clock, log, telemetryMap } = this.#options;
    const { broker } = settings;
    const [first] = accounts.sites();
    return new Broker({
      settings: {
        ...broker,
        users: broker.users.flatMap(({ plant, ...user }) => {
          const owned = plant ?? first?.id;
          return owned === undefined ? [] : [{ ...user, plant: owned }];
        }),
      },
      limits,
      hosts: this.#options.hosts,
      dataFolder,
      topics: this.#link.topics,
      access: (key) => accounts.access(key),
      hasPlant: (plant) => this.#options.sites.get(plant) !== undefined,
      // The administrator's own maps need no approval.
      isApproved: (topic, plant) =>
        approvals.mayPublish(plant, topic) ||
        (approvals.isUnrestricted(plant) &&
          telemetryMap(plant).some((entry) => filterMatches(entry.topic, topic))),
      isReserved: this.#link.isReserved,
      mappedSites: this.#link.mappedSites,
      filters: this.#link.filters,
      onMessage: this.#link.onMessage,
      onActivity: (plant, keyId) => this.#options.onClientActivity(plant, keyId),
      onRefused: () => this.#link.health.update(),
      onClientRefused: () => this.#link.health.update(),
      now: () => clock.now().getTime(),
      log,
    });
  }
}

/** Waits for the work, but not longer than `ms`; true if it ended in time. */
export async function endsWithin(ms: number, work: Promise<unknown>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), ms);
  });
  return Promise.race([work.then(() => true), timeout]).finally(() => clearTimeout(timer));
}
