import type { KeyRing } from "../../accounts/key-ring.js";
import type { Links } from "../../accounts/links.js";
import type { SavedChange } from "../../accounts/settings-history.js";
import type { Site } from "../../config/site.js";
import type { LoxoneKind } from "../../core/domain/loxone-kinds.js";
import type { Language } from "../../core/language.js";
import type { ActuatorStatus } from "../../equipment/status.js";
import type { PageContext } from "../context.js";
import type { ConnectionTests } from "./connection-tests.js";
import type { Connections } from "./connections.js";
import type { Kind } from "./kinds.js";
import type { ShownConnection } from "./light.js";
import type { MappedTopic } from "./topic-maps.js";

/** Makes a file with the address of a controller link in it; for MQTT the token is not used. */
type LoxoneFile = (
  site: Site,
  file: { kind: LoxoneKind; token: string; language: Language; baseUrl: string },
) => { filename: string; content: string };

/** Services that the pages below /connect use. */
export interface ConnectOptions {
  links: Pick<Links, "list" | "create" | "revoke">;
  keys: Pick<KeyRing, "list" | "add" | "replace" | "revoke">;
  uses: { of(id: string): Date | undefined; forget(id: string): void };
  connections: Connections;
  tests: ConnectionTests;
  /** How a device that takes commands is called. */
  nameOf(site: Site, status: ActuatorStatus, language: Language): string;
  /** Adds topics to the topic map of a site, which can be undone on its page. Throws SiteSettingsError, StoreError. */
  addTopics(siteId: string, topics: readonly MappedTopic[]): Promise<SavedChange | undefined>;
  /** The broker of the gateway: URL of an external one, port of its own while it listens. */
  broker(siteId: string): { url: string | null; port: number | null; prefix: string };
  baseUrl(): string;
  /** Whether the gateway has TLS; plain HTTP is then served at the same address. */
  hasTls: boolean;
  /** Path of the embedded Node-RED; undefined without one. */
  nodeRedPath: string | undefined;
  /** Makes the files for Loxone Config. */
  loxone: LoxoneFile;
  /** Reads an address of the gateway; resolves to the start of the answer, rejects if it cannot be read. */
  readOnce?(url: string): Promise<string>;
  nowMs(): number;
}

/**
 * The address for other devices: the one under which the browser reached the gateway, or `baseUrl` if that is a loopback
 * address. With TLS of the gateway itself the plain address, which many devices need.
 */
export function addressFor({ reachedAt }: PageContext, { baseUrl, hasTls }: ConnectOptions): string {
  if (reachedAt === undefined || isLoopback(new URL(reachedAt).hostname))
    return baseUrl().replace(/\/+$/, "");
  return hasTls ? reachedAt.replace(/^https:/, "http:") : reachedAt;
}

/** Host and port of the broker for other devices; one on the gateway's own machine has the host of `address`. */
export function brokerOf(
  address: string,
  { url, port }: { url: string | null; port: number | null },
): { host: string; port: number } {
  const broker = new URL(url ?? address);
  const { hostname } = isLoopback(broker.hostname) ? new URL(address) : broker;
  const host = hostname.replace(/^\[|\]$/g, "");
  const usual = /s:$/.test(broker.protocol) ? 8883 : 1883;
  return { host, port: url === null ? (port ?? 1883) : Number(broker.port) || usual };
}

/** Whether an address is only valid on the machine itself. */
export function isLoopback(host: string): boolean {
  return host === "localhost" || host === "[::1]" || host.startsWith("127.");
}

/** The connection with a kind of system, with its last test. */
export function shownConnection(
  { id }: Site,
  kind: Kind,
  { connections, tests, nowMs }: ConnectOptions,
): ShownConnection {
  return { ...connections.of(id, kind), test: tests.of(id, kind.id), nowMs: nowMs() };
}
