import type { Access } from "../accounts/access.js";
import type { Site } from "../accounts/sites.js";
import type { Bus, Events } from "../bus.js";
import type { Components } from "../components.js";
import type { Sample } from "../telemetry/sample.js";
import { type Cancel, type Clock, onEach } from "../time/clock.js";
import { HOUR_MS } from "../time/interval.js";
import { type Broker, startBroker } from "./broker.js";
import { connectMqtt, type MqttLink } from "./client.js";
import { Ingest } from "./ingest.js";
import { BrokerError } from "./listen.js";
import type { Log } from "./log.js";
import { createMirror, type MirrorOptions } from "./mirror.js";
import { Outbox } from "./outbox.js";
import type { SlotCommands } from "./slot-commands.js";
import { createSlotMirror, type SlotMirrorOptions } from "./slots.js";
import { createTopics } from "./topics.js";

/** The part of the configuration's `mqtt` that this edge reads. */
export interface MqttSettings {
  prefix: string;
  broker: {
    enabled: boolean;
    host: string;
    port: number;
    anonymous: boolean;
    /** A user without a plant belongs to the first one. */
    users: readonly { username: string; password: string; plant: string | null }[];
  };
}

export interface MqttOptions {
  settings: MqttSettings;
  dataFolder: string;
  /** Stays the same over restarts; the broker knows the gateway's client by it. */
  installationId: string;
  clock: Clock;
  bus: Bus;
  components: Components;
  accounts: { access(key: string): Access; sites(): readonly Site[] };
  telemetry: {
    ingest(siteId: string, samples: Sample[], options: { thinSeconds: number }): Promise<unknown>;
  };
  planDocument: MirrorOptions["planDocument"];
  forecastDocument: MirrorOptions["forecastDocument"];
  pvForecastDocument?: NonNullable<MirrorOptions["pvForecastDocument"]>;
  outputsWithoutPlan: MirrorOptions["outputsWithoutPlan"];
  /** Topics of others that parts of the gateway want to hear of, the retained message included. */
  listeners?: readonly { topic: string; receive(payload: string): void }[];
  /** Calls that are served on `…/request/<name>`; they answer with the document that HTTP would, errors too. */
  requests: Readonly<Record<string, (siteId: string, body: object) => Promise<object>>>;
  /** The flexible devices; left out: there are none. */
  slots?: SlotCommands & { documents: SlotMirrorOptions["slotDocuments"] };
  log: Log;
}

export interface MqttService {
  /**
   * Resolves when the broker listens, or has failed to: the rest of the gateway works without it, the component
   * "broker" tells, and it is tried again until it listens.
   */
  start(): Promise<void>;
  /** Publishes `offline`, ends the client, closes the broker; takes at most two seconds. */
  stop(): Promise<void>;
  /** Port of the embedded broker; undefined while it does not listen. */
  readonly port: number | undefined;
}

const COMPONENT = "broker";
const RETRY_MS = 5_000;
const GOODBYE_MS = 500;
const END_MS = 500;
const CLOSE_MS = 800;

/** The MQTT edge: the embedded broker, the mirror of the outputs, telemetry and requests in. */
export function createMqtt(options: MqttOptions): MqttService {
  const { settings, clock, bus, components, accounts, log } = options;
  const { listeners = [] } = options;
  const topics = createTopics(settings.prefix);
  let broker: Broker | undefined;
  let link: MqttLink | undefined;
  let retry: NodeJS.Timeout | undefined;
  let stopped = false;
  const subscriptions: Cancel[] = [];

  const report = (state: "ok" | "down", detail: string) =>
    components.report(COMPONENT, state, detail, { vital: true });

  const outbox = new Outbox({
    publish: (topic, payload, how) =>
      link === undefined ? Promise.reject(new Error("not connected")) : link.publish(topic, payload, how),
    log,
  });
  const mirror = createMirror({
    topics,
    planDocument: options.planDocument,
    forecastDocument: options.forecastDocument,
    ...(options.pvForecastDocument === undefined ? {} : { pvForecastDocument: options.pvForecastDocument }),
    outputsWithoutPlan: options.outputsWithoutPlan,
    setValue: (topic, payload) => outbox.setValue(topic, payload),
  });
  const slotMirror = createSlotMirror({
    topics,
    slotDocuments: (siteId) => options.slots?.documents(siteId) ?? [],
    setValue: (topic, payload) => outbox.setValue(topic, payload),
  });
  const ingest = new Ingest({
    topics,
    clock,
    site: (id) => accounts.sites().find((site) => site.id === id),
    store: (siteId, samples, how) => options.telemetry.ingest(siteId, samples, how),
    requests: options.requests,
    ...(options.slots === undefined ? {} : { slots: options.slots }),
    send: (topic, payload) => outbox.sendMessage(topic, payload),
    log,
  });

  /** The mirror reads other parts' documents; a fault there must not reach the service whose event brought us here. */
  const guarded = (work: () => void) => {
    try {
      work();
    } catch (error) {
      log.error({ err: error }, "The outputs could not be mirrored to MQTT; the last ones stand.");
    }
  };
  const mirrorPlan = (siteId: string) => guarded(() => mirror.plan(siteId));
  const mirrorPv = (siteId: string) => guarded(() => mirror.pvForecast(siteId));
  const mirrorSlots = (siteId: string) => guarded(() => slotMirror(siteId));
  /** A plant without a plan still shows what a kWh costs now, which changes with the forecast and the hour. */
  const mirrorForecasts = () => {
    for (const site of accounts.sites()) {
      mirrorPlan(site.id);
      guarded(() => mirror.forecast(site.id));
    }
  };

  const listenToBus = () => {
    const on = <Name extends keyof Events>(name: Name, listener: (...payload: Events[Name]) => void) => {
      bus.on(name, listener as never);
      subscriptions.push(() => bus.off(name, listener as never));
    };
    on("plan.updated", (plan) => mirrorPlan(plan.siteId));
    on("slots.updated", ({ siteId }) => mirrorSlots(siteId));
    on("pv.updated", ({ siteId }) => mirrorPv(siteId));
    on("forecast.updated", mirrorForecasts);
    on("price.updated", mirrorForecasts);
    // The forecast begins with the hour in progress, so it changes with the hour.
    subscriptions.push(onEach(clock, HOUR_MS, mirrorForecasts));
    outbox.setValue(topics.status, "online");
    for (const site of accounts.sites()) {
      mirrorSlots(site.id);
      mirrorPv(site.id);
    }
    mirrorForecasts();
  };

  const connect = (url: string, username: string, password: string) =>
    connectMqtt({
      url,
      username,
      password,
      clientId: `hourgate-${options.installationId}`,
      // The embedded broker starts and ends with the gateway: there is nothing to be kept meanwhile.
      persistentSession: false,
      will: { topic: topics.status, payload: "offline" },
      subscriptions: [...topics.inboundFilters, ...listeners.map(({ topic }) => topic)],
      onConnect: () => {
        report("ok", `The embedded broker listens on port ${broker?.port}; the outputs are mirrored to it.`);
        outbox.connected();
      },
      onDisconnect: () => {
        outbox.disconnected();
        if (!stopped)
          report("down", "The gateway's own client lost the broker; it tries again every second.");
      },
      onMessage: (topic, payload, retained) => {
        for (const listener of listeners)
          if (listener.topic === topic) listener.receive(payload.toString("utf8"));
        void ingest.handle(topic, payload, retained);
      },
      log,
    });

  const usersOfPlants = () => {
    const first = accounts.sites()[0]?.id;
    return settings.broker.users.flatMap(({ username, password, plant }) => {
      const owned = plant ?? first;
      return owned === undefined ? [] : [{ username, password, plant: owned }];
    });
  };

  const startEmbedded = async (): Promise<void> => {
    try {
      broker = await startBroker({
        settings: { ...settings.broker, users: usersOfPlants() },
        dataFolder: options.dataFolder,
        topics,
        access: (key) => accounts.access(key),
        log,
      });
    } catch (error) {
      const reason =
        error instanceof BrokerError ? error.message : `The MQTT broker failed: ${String(error)}`;
      log.error({ err: error }, reason);
      report("down", `${reason} Everything but MQTT goes on; it is tried again.`);
      if (!stopped) retry = setTimeout(() => void startEmbedded(), RETRY_MS);
      return;
    }
    // The gateway may have been stopped while the broker was starting.
    if (stopped) return broker.stop();
    const { url, username, password } = broker.loopback;
    link = connect(url, username, password);
  };

  return {
    get port() {
      return broker?.port;
    },
    start: async () => {
      if (!settings.broker.enabled) return;
      report("down", "The embedded broker is starting.");
      listenToBus();
      await startEmbedded();
    },
    stop: async () => {
      if (stopped) return;
      stopped = true;
      clearTimeout(retry);
      for (const cancel of subscriptions.splice(0)) cancel();
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
