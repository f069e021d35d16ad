import type { KeyView } from "../../accounts/key-ring.js";
import type { LinkView } from "../../accounts/links.js";
import type { MqttClientView } from "../../edges/mqtt/broker/client-list.js";
import type { ActuatorStatus } from "../../equipment/status.js";
import { type Kind, type KindId, kindOfNames } from "./kinds.js";

/** A sign of life of another system. */
export interface Contact {
  via: "client" | "topic" | "key" | "link";
  /** User name of a client, topic, or label of a key or link. */
  name: string;
  /** Connected now; only of a client. */
  isConnected: boolean;
  at: Date;
  topic?: string | undefined;
  /** The broker refused the last message. */
  isRefused?: boolean;
  /** The broker refused the subscription. */
  refusedFilter?: string | undefined;
  /** The broker refused the client because of the level of its protocol. */
  refusedLevel?: number | undefined;
}

/** What the gateway knows of the connection with one kind of system. */
export interface Connection {
  state: "connected" | "silent" | "failed" | "none";
  /** The last message, request or sign-in. */
  lastAt: Date | undefined;
  contacts: readonly Contact[];
  actuators: readonly ActuatorStatus[];
}

export interface ConnectionSources {
  keys: { list(siteId: string): readonly KeyView[] };
  links: { list(siteId: string): readonly LinkView[] };
  /** When a key (`accessId`) or link was last used. */
  uses: { of(id: string): Date | undefined };
  mqtt: {
    clients(siteId: string): readonly MqttClientView[];
    /** The last messages on mapped topics. */
    lastPayloads(siteId: string): readonly { topic: string; at: Date }[];
  };
  /** The time of the messages, which may be that of a replay; everything else has wall time. */
  clock: { now(): Date };
  actuators: { list(siteId: string): readonly ActuatorStatus[] };
  nowMs(): number;
}

/** Systems that only ask from time to time count as connected for this long. */
const POLLING_MS = 15 * 60_000;
const FAILED_PHASES = new Set(["failed", "offline"]);
/** Contacts of one kind that a page lists, the latest first. */
const LISTED = 8;

/** The connection of each kind of a site, from what the edges have seen. */
export class Connections {
  readonly #sources: ConnectionSources;

  constructor(sources: ConnectionSources) {
    this.#sources = sources;
  }

  of(siteId: string, kind: Kind): Connection {
    const contacts = this.#contacts(siteId)
      .filter((contact) => contact.kind === kind.id)
      .sort((a, b) => Number(b.isConnected) - Number(a.isConnected) || b.at.getTime() - a.at.getTime());
    const actuators = this.#sources.actuators
      .list(siteId)
      .filter(({ template }) => kind.templates?.includes(template) ?? false);
    const lastMs = Math.max(...contacts.map(({ at }) => at.getTime()));
    const isPolling = (contact: Contact) =>
      contact.via !== "client" && this.#sources.nowMs() - contact.at.getTime() < POLLING_MS;
    const state = actuators.some(({ enabled, phase }) => enabled && FAILED_PHASES.has(phase))
      ? "failed"
      : contacts.some((contact) => contact.isConnected || isPolling(contact)) ||
          actuators.some(({ confirmed }) => confirmed !== null)
        ? "connected"
        : contacts.length > 0
          ? "silent"
          : "none";
    return {
      state,
      lastAt: contacts.length === 0 ? undefined : new Date(lastMs),
      contacts: contacts.slice(0, LISTED),
      actuators,
    };
  }

  #contacts(siteId: string): (Contact & { kind: KindId })[] {
    const { keys, links, uses, clock, mqtt, nowMs } = this.#sources;
    const wallTime = (at: Date) => new Date(nowMs() - (clock.now().getTime() - at.getTime()));
    const keyList = keys.list(siteId).filter(({ revokedAt }) => revokedAt === undefined);
    const labels = new Map(keyList.map(({ accessId, label }) => [accessId, label]));
    const seen = mqtt.clients(siteId);
    const ofClients = seen.map((client) => {
      const { user, clientId, keyId, last, connectedAt, isConnected, refusedTopic, roots } = client;
      const { refusedFilter, refusedLevel } = client;
      const label = labels.get(keyId ?? "") ?? "";
      return {
        kind: kindOfNames([user, clientId, label], roots) ?? "mqtt",
        via: "client" as const,
        name: user === "" ? clientId : user,
        isConnected,
        at: last?.at ?? connectedAt,
        topic: last?.topic,
        isRefused: refusedTopic !== undefined,
        refusedFilter,
        refusedLevel,
      };
    });
    const ofTopics = mqtt.lastPayloads(siteId).flatMap(({ topic, at }) => {
      const kind = kindOfNames([], [topic.split("/", 1)[0]!]);
      return kind === undefined
        ? []
        : [{ kind, via: "topic" as const, name: topic, isConnected: false, at: wallTime(at), topic }];
    });
    // The use of a key by a client of the broker is shown with the client.
    const ofBroker = new Set(seen.map(({ keyId }) => keyId));
    const ofKeys = keyList.flatMap(({ accessId, label, prefix }) => {
      const at = uses.of(accessId);
      if (at === undefined || ofBroker.has(accessId)) return [];
      const name = label === "" ? `${prefix}…` : label;
      return [{ kind: kindOfNames([label]) ?? "http", via: "key" as const, name, isConnected: false, at }];
    });
    const ofLinks = links.list(siteId).flatMap(({ id, label, prefix, revokedAt }) => {
      const at = uses.of(id);
      if (at === undefined || revokedAt !== undefined) return [];
      const name = label === "" ? `${prefix}…` : label;
      return [{ kind: kindOfNames([label]) ?? "http", via: "link" as const, name, isConnected: false, at }];
    });
    return [...ofClients, ...ofTopics, ...ofKeys, ...ofLinks];
  }
}
