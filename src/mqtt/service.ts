import type { ComponentSentence } from "../texts/component-text.js";
import { textsOf } from "../texts/index.js";
import type { Cancel } from "../time/clock.js";
import { type Broker, startBroker } from "./broker.js";
import { connectMqtt, type MqttLink, type ReceivedMessage, redactUrl } from "./client.js";
import { createHeartbeat } from "./heartbeat.js";
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
import { createTopics } from "./topics.js";
import { VictronKeepalive } from "./victron.js";

export type { MqttOptions, MqttServiceSettings } from "./options.js";

export interface MqttService {
  /** Tells that the broker is not there yet; before HTTP serves, so that no `/health` is better than the next one. */
  announce(): void;
  /**
   * Resolves when the broker listens, or has failed to: the rest of the gateway works without it, the component
   * "broker" tells, and it is tried again until it listens. A broker of others is joined in the background.
   */
  start(): Promise<void>;
  /** Publishes `offline`, ends the client, closes the broker; takes at most two seconds. */
  stop(): Promise<void>;
  /** Port of the embedded broker; undefined while it does not listen. */
  readonly port: number | undefined;
  /** Port of its WebSocket listener; undefined without one. */
  readonly wsPort: number | undefined;
  /** What came last on the topics that the plant's map matches, the newest first. */
  lastPayloads(siteId: string): SeenPayload[];
}

const COMPONENT = "broker";
const RETRY_MS = 5_000;
/** What the start waits at most for the first connection; a broker that is away is joined later. */
const FIRST_CONNECT_MS = 1000;
const GOODBYE_MS = 500;
const END_MS = 500;
const CLOSE_MS = 800;

/** The MQTT edge: the broker or the way to one, the mirror of the outputs, telemetry and requests in. */
export function createMqtt(options: MqttOptions): MqttService {
  makePacketNumbersWhenNeeded();
  const { settings, clock, components, accounts, log } = options;
  const { listeners = [] } = options;
  const homeAssistant = settings.homeassistant;
  const topics = createTopics(settings.prefix, homeAssistant.prefix);
  const external =
    settings.external.url === null ? undefined : { ...settings.external, url: settings.external.url };
  let broker: Broker | undefined;
  let connectedFirst = () => {};
  const connectedOnce = new Promise<void>((resolve) => {
    connectedFirst = resolve;
  });
  let link: MqttLink | undefined;
  let retry: NodeJS.Timeout | undefined;
  /** Why the embedded broker could not start when it was last tried. */
  let toldReason: string | undefined;
  let unfollow: Cancel = () => {};
  let stopped = false;

  const sites = () => accounts.sites();
  const siteOf = (id: string) => sites().find((site) => site.id === id);
  const slotDocuments = (siteId: string) => options.slots?.documents(siteId) ?? [];
  const report = (state: "ok" | "degraded" | "down", ...detail: ComponentSentence[]) =>
    components.report(COMPONENT, state, detail, { vital: true });

  const isWanted = external !== undefined || settings.broker.enabled;
  const announce = () => {
    if (!isWanted) return;
    report(
      "down",
      external === undefined
        ? { code: "broker_starting" }
        : { code: "broker_joining", url: redactUrl(external.url) },
    );
  };

  const outbox = new PublishQueue({
    publish: (topic, payload, how) =>
      link === undefined ? Promise.reject(new Error("not connected")) : link.publish(topic, payload, how),
    log,
  });
  const setValue = (topic: string, payload: string) => outbox.setValue(topic, payload);
  const send = (topic: string, payload: string, correlation?: Buffer) =>
    outbox.sendMessage(topic, payload, correlation);

  const mirror = createMirror({
    topics,
    planDocument: options.planDocument,
    forecastDocument: options.forecastDocument,
    ...(options.pvForecastDocument === undefined ? {} : { pvForecastDocument: options.pvForecastDocument }),
    outputsWithoutPlan: options.outputsWithoutPlan,
    setValue,
  });
  const announcer = new HomeAssistantDiscovery({
    enabled: homeAssistant.enabled,
    site: siteOf,
    slotDocuments,
    view: () => ({
      topics,
      version: options.version,
      baseUrl: options.baseUrl(),
      texts: textsOf("en").homeAssistant,
    }),
    setValue,
  });
  const samples = new SampleIntake({
    clock,
    store: (siteId, taken, how) => options.telemetry.ingest(siteId, taken, how),
    log,
  });
  const ingest = new Ingest({
    topics,
    site: siteOf,
    samples,
    requests: options.requests,
    ...(options.slots === undefined ? {} : { slots: options.slots }),
    send,
    log,
  });
  const foreign = new MappedTelemetry({
    topics,
    clock,
    sites,
    telemetryMap: options.telemetryMap,
    take: (site, readings) => samples.take(site, readings),
    acknowledge: (siteId, topic, result) => send(topics.ack(siteId), JSON.stringify({ topic, ...result })),
    log,
  });
  const heartbeat = createHeartbeat({ seconds: settings.heartbeat_seconds, clock, topics, sites, send });
  const victron = new VictronKeepalive({ filters: () => foreign.filters(), send });

  const birthTopic = `${homeAssistant.prefix}/status`;
  const filters = () => [
    ...new Set([
      ...topics.inboundFilters,
      ...listeners.map(({ topic }) => topic),
      ...foreign.filters(),
      ...victron.extraFilters(),
      ...(homeAssistant.enabled ? [birthTopic] : []),
      // What a former run announced there comes back with the subscription.
      ...(external === undefined ? [] : sites().map(({ id }) => topics.announcement(id))),
    ]),
  ];

  const receive = async (
    topic: string,
    payload: Buffer,
    { retained, replyTo }: ReceivedMessage,
  ): Promise<void> => {
    for (const listener of listeners)
      if (listener.topic === topic) listener.receive(payload.toString("utf8"));
    if (topic === birthTopic && !retained && payload.toString("utf8") === "online")
      for (const { id } of sites()) outbox.repeatValue(topics.announcement(id));
    if (retained && topics.announcedPlant(topic) !== undefined)
      announcer.found(topic, payload.toString("utf8"));
    victron.saw(topic);
    const taken = Promise.all([
      ingest.handle(topic, payload, { retained, replyTo }),
      foreign.handle(topic, payload, retained),
    ]);
    // A request is asked again by who gets no answer; it must not hold up the telemetry behind it.
    if (topics.inbound(topic)?.kind !== "request") await taken;
  };

  const connect = (
    to: { url: string; username: string | null; password: string | null; shownUrl: string | undefined },
    persistentSession: boolean,
    onConnect: () => ComponentSentence,
  ) => {
    const tellConnected = (refused: readonly string[]) =>
      refused.length === 0
        ? report("ok", onConnect())
        : report("degraded", onConnect(), { code: "broker_subscriptions_refused", topics: refused });
    return connectMqtt({
      url: to.url,
      username: to.username ?? undefined,
      password: to.password ?? undefined,
      clientId: `hourgate-${options.installationId}`,
      persistentSession,
      will: { topic: topics.status, payload: "offline" },
      subscriptions: filters(),
      onConnect: (refused) => {
        connectedFirst();
        tellConnected(refused);
        outbox.connected();
        heartbeat.connected();
        victron.connected();
      },
      onSubscribed: tellConnected,
      onDisconnect: () => {
        heartbeat.disconnected();
        victron.disconnected();
        outbox.disconnected();
        if (!stopped) report("down", { code: "broker_lost", url: to.shownUrl });
      },
      onProblem: (problem) => {
        if (!stopped) report("down", { code: "broker_problem", url: to.shownUrl, problem });
      },
      onMessage: receive,
      log,
    });
  };

  const usersOfPlants = () => {
    const first = sites()[0]?.id;
    return settings.broker.users.flatMap(({ username, password, plant }) => {
      const owned = plant ?? first;
      return owned === undefined ? [] : [{ username, password, plant: owned }];
    });
  };

  /** What a former run said of plants that are no longer there. Others' brokers don't show what they hold. */
  const tidyUp = (retained: ReadonlyMap<string, string>) => {
    for (const [topic, text] of retained) {
      const plant = topics.plantOf(topic);
      if (plant !== undefined && siteOf(plant) === undefined) setValue(topic, "");
      announcer.found(topic, text);
    }
  };

  const startEmbedded = async (): Promise<void> => {
    const { host, port, ws_port: wsPort, anonymous } = settings.broker;
    try {
      broker = await startBroker({
        settings: { host, port, wsPort, anonymous, users: usersOfPlants() },
        dataFolder: options.dataFolder,
        topics,
        access: (key) => accounts.access(key),
        isMapped: (topic, plant) => foreign.isMapped(topic, plant),
        mappedSites: (topic) => foreign.mappedSites(topic),
        log,
      });
    } catch (error) {
      const reason =
        error instanceof BrokerError ? error.message : `The MQTT broker failed: ${String(error)}`;
      // Tried every few seconds for as long as it takes: the same reason must not fill the log.
      if (reason !== toldReason) log.error({ err: error }, reason);
      toldReason = reason;
      report("down", { code: "broker_failed", message: reason });
      if (!stopped) retry = setTimeout(() => void startEmbedded(), RETRY_MS);
      return;
    }
    // The gateway may have been stopped while the broker was starting.
    if (stopped) return broker.stop();
    tidyUp(broker.retained());
    // The embedded broker starts and ends with the gateway: there is nothing to be kept in a session meanwhile.
    link = connect({ ...broker.loopback, shownUrl: undefined }, false, () => {
      return { code: "broker_embedded", port: broker?.port, wsPort: broker?.wsPort };
    });
  };

  const joinExternal = (to: NonNullable<typeof external>) => {
    const shownUrl = redactUrl(to.url);
    report("down", { code: "broker_joining", url: shownUrl });
    link = connect({ ...to, shownUrl }, true, () => ({ code: "broker_external", url: shownUrl }));
  };

  return {
    get port() {
      return broker?.port;
    },
    get wsPort() {
      return broker?.wsPort;
    },
    lastPayloads: (siteId) => foreign.lastPayloads(siteId),
    announce,
    start: async () => {
      if (!isWanted) return;
      announce();
      setValue(topics.status, "online");
      unfollow = subscribeSiteEvents({
        bus: options.bus,
        clock,
        sites,
        mirror,
        mirrorSlots: createSlotMirror({ topics, slotDocuments, setValue }),
        announcer,
        onSitesChanged: () => link?.subscribeTo(filters()),
        onSiteRemoved: (plant) => {
          outbox.removeValues(topics.of(plant, ""));
          foreign.forget(plant);
          samples.forget(plant);
        },
        log,
      });
      if (external === undefined) await startEmbedded();
      else joinExternal(external);
      // Whoever asks how the gateway is as soon as it says that it serves shall not hear of a broker that is down.
      if (link !== undefined) await within(FIRST_CONNECT_MS, connectedOnce);
    },
    stop: async () => {
      if (stopped) return;
      stopped = true;
      clearTimeout(retry);
      unfollow();
      heartbeat.disconnected();
      victron.disconnected();
      outbox.setLastValue(topics.status, "offline");
      const isSaid = await within(GOODBYE_MS, outbox.flushed());
      if (link !== undefined) await within(END_MS, link.stop({ leaveWill: !isSaid }));
      if (broker !== undefined) await within(CLOSE_MS, broker.stop());
    },
  };
}

/** Waits for the work, but no longer than that; true when it was done in time. */
async function within(ms: number, work: Promise<unknown>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), ms);
  });
  return Promise.race([work.then(() => true), timeout]).finally(() => clearTimeout(timer));
}
