import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { canonicalAddress } from "../../core/net/trusted-proxies.js";

/** `limits.http` of the configuration. */
export interface HttpLimits {
  connections: { total: number; per_address: number; reserve: number };
  upgrades: { total: number; per_address: number };
  header_timeout_seconds: number;
  idle_timeout_seconds: number;
}

/** Connections in use, for metrics and doctor. */
export interface HttpUsage {
  connections: number;
  upgrades: number;
  /** Connections closed or refused because of a limit since the start. */
  refused: number;
}

interface Connection {
  /** Remote address and port; TLS wraps the socket, so the socket cannot identify the connection. */
  readonly id: string;
  readonly socket: Socket;
  readonly address: string;
  /** The answer in progress. */
  answer: ServerResponse | undefined;
  /** A request on it carried a valid key, link or session. */
  isAuthenticated: boolean;
  isUpgraded: boolean;
}

export interface ConnectionLimiterOptions {
  limits: HttpLimits;
  /** Whether a request carries a valid key, controller link or portal session. */
  isAuthenticated: (req: IncomingMessage) => boolean;
  /** Whether an address is a reverse proxy, behind which all clients share one address. */
  isProxy: (address: string) => boolean;
}

/**
 * Limits the connections of an HTTP server, per address and in total. A new connection above a limit replaces the oldest one
 * that waits for a request, so idle connections cannot keep clients out. Connections of authenticated clients are replaced
 * last, and others can use all but a reserve. Upgraded connections have limits of their own.
 */
export class ConnectionLimiter {
  readonly #options: ConnectionLimiterOptions;
  /** By id, oldest first. */
  readonly #connections = new Map<string, Connection>();
  readonly #perAddress = new Map<string, number>();
  readonly #upgradesPerAddress = new Map<string, number>();
  #upgrades = 0;
  #authenticated = 0;
  #refused = 0;

  constructor(options: ConnectionLimiterOptions) {
    this.#options = options;
  }

  get usage(): HttpUsage {
    return {
      connections: this.#connections.size - this.#upgrades,
      upgrades: this.#upgrades,
      refused: this.#refused,
    };
  }

  /** Registers a new connection. False if it was closed because no other one could be replaced. */
  admit(socket: Socket): boolean {
    const { connections } = this.#options.limits;
    const address = canonicalAddress(socket.remoteAddress ?? "");
    const { isProxy } = this.#options;
    const isOver = (this.#perAddress.get(address) ?? 0) >= connections.per_address && !isProxy(address);
    const anonymous = this.usage.connections - this.#authenticated;
    const isFull =
      this.usage.connections >= connections.total || anonymous >= connections.total - connections.reserve;
    if (isOver || isFull) {
      this.#refused++;
      if (!this.#replaceOldest(isOver ? address : undefined)) {
        socket.destroy();
        return false;
      }
    }
    const id = idOf(socket);
    const connection: Connection = {
      id,
      socket,
      address,
      answer: undefined,
      isAuthenticated: false,
      isUpgraded: false,
    };
    this.#connections.set(id, connection);
    add(this.#perAddress, address, 1);
    socket.once("close", () => this.#remove(connection));
    return true;
  }

  /** Notes that a request is being answered. */
  begin(req: IncomingMessage, res: ServerResponse): void {
    const connection = this.#connections.get(idOf(req.socket));
    if (connection === undefined) return;
    connection.answer = res;
    if (!connection.isAuthenticated && this.#options.isAuthenticated(req)) {
      connection.isAuthenticated = true;
      if (!connection.isUpgraded) this.#authenticated++;
    }
    res.once("close", () => {
      if (connection.answer === res) connection.answer = undefined;
    });
  }

  /** Moves a connection to the upgraded ones; false if their limits are reached. */
  upgrade(req: IncomingMessage): boolean {
    const { upgrades } = this.#options.limits;
    const connection = this.#connections.get(idOf(req.socket));
    if (connection === undefined || connection.isUpgraded) return connection !== undefined;
    const { address } = connection;
    const own = this.#upgradesPerAddress.get(address) ?? 0;
    const isOver = own >= upgrades.per_address && !this.#options.isProxy(address);
    if (this.#upgrades >= upgrades.total || isOver) {
      this.#refused++;
      return false;
    }
    connection.isUpgraded = true;
    this.#upgrades++;
    if (connection.isAuthenticated) this.#authenticated--;
    add(this.#perAddress, address, -1);
    add(this.#upgradesPerAddress, address, 1);
    return true;
  }

  /** Closes all connections without an answer in progress, including upgraded ones, which the server does not close. */
  closeIdle(): void {
    for (const { answer, socket } of this.#connections.values()) if (answer === undefined) socket.destroy();
  }

  /** Closes the oldest connection (of an address) that waits for a request; unauthenticated ones first. */
  #replaceOldest(address: string | undefined): boolean {
    let waiting: Connection | undefined;
    let incomplete: Connection | undefined;
    let authenticated: Connection | undefined;
    for (const connection of this.#connections.values()) {
      if (connection.isUpgraded || (address !== undefined && connection.address !== address)) continue;
      const { answer } = connection;
      if (connection.isAuthenticated) {
        if (answer === undefined) authenticated ??= connection;
      } else if (answer === undefined) {
        waiting = connection;
        break;
      } else if (!answer.req.complete || answer.writableNeedDrain) incomplete ??= connection;
    }
    const oldest = waiting ?? incomplete ?? authenticated;
    if (oldest === undefined) return false;
    this.#remove(oldest);
    oldest.socket.destroy();
    return true;
  }

  #remove(connection: Connection): void {
    if (this.#connections.get(connection.id) !== connection) return;
    this.#connections.delete(connection.id);
    if (connection.isUpgraded) {
      this.#upgrades--;
      add(this.#upgradesPerAddress, connection.address, -1);
      return;
    }
    if (connection.isAuthenticated) this.#authenticated--;
    add(this.#perAddress, connection.address, -1);
  }
}

function idOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}

function add(counts: Map<string, number>, name: string, difference: number): void {
  const count = (counts.get(name) ?? 0) + difference;
  if (count > 0) counts.set(name, count);
  else counts.delete(name);
}
