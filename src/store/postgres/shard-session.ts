import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import pg from "pg";
import { errorCode, StoreError } from "../errors.js";
import { postgresAddress } from "../place.js";
import type { StoreEvents } from "../series.js";
import { clientOptions, closeWithin, postgresFault, prepareTables, serverVersion } from "./server.js";

/** Time after a failed write until the next attempt. */
const RECOVERY_MS = 2_000;
/** First part of the advisory lock of a shard; the second one is its number. */
const SHARD_LOCKS = 745_208_136;

/** Which shard of which database, and for what. */
export interface ShardPlace {
  url: string;
  shard: number;
  /** Opened by a command and not by a gateway: fails if a gateway serves the shard. */
  isOffline?: boolean;
}

interface Connection {
  client: pg.Client;
  /** Valid until the shard is opened again or this process connects again. */
  epoch: string;
}

/**
 * The only connection of this process that writes to its shard. Each connection takes the next epoch of the shard, and each
 * write checks it in its own transaction. So a process that was paused cannot write after another one has opened the shard, and
 * a statement of a broken connection cannot take effect after one of the next connection.
 */
export class ShardSession {
  readonly shard: number;
  readonly address: string;
  readonly #place: ShardPlace;
  readonly #events: StoreEvents;
  readonly #holder = `${hostname()} ${process.pid} ${randomUUID()}`;
  #connection: Promise<Connection> | undefined;
  #isOpen = false;
  #closed = false;
  #lost: StoreError | undefined;
  #recovery: NodeJS.Timeout | undefined;

  private constructor(place: ShardPlace, events: StoreEvents) {
    this.#place = place;
    this.#events = events;
    this.shard = place.shard;
    this.address = postgresAddress(place.url);
  }

  /** Takes over the shard; creates tables at the first start. Throws StoreError, such as `storage_in_use` for a command. */
  static async open(place: ShardPlace, events: StoreEvents = {}): Promise<ShardSession> {
    const session = new ShardSession(place, events);
    await session.#connected();
    session.#isOpen = true;
    return session;
  }

  /**
   * Executes one statement, a transaction of its own, that ends with `SELECT FROM fence` (`$1` shard, `$2` epoch, then the
   * values). Flushed to disk when it resolves. Throws StoreError; a write that failed for lack of an answer may have been made.
   */
  async commit(statement: string, values: readonly unknown[]): Promise<void> {
    let connecting: Promise<Connection> | undefined;
    try {
      this.assertUsable();
      connecting = this.#connected();
      const { client, epoch } = await connecting;
      const fenced = `WITH fence AS (SELECT FROM hourgate.shards WHERE shard = $1 AND epoch = $2 FOR SHARE) ${statement}`;
      const { rowCount } = await client.query(fenced, [this.shard, epoch, ...values]);
      if (rowCount !== 1) throw this.#lose();
    } catch (cause) {
      const fault = postgresFault(cause, this.address);
      if (connecting !== undefined) this.#drop(connecting, fault);
      throw fault;
    }
    this.#events.onHealth?.(undefined);
  }

  /** The stored state; undefined in a new shard. Throws StoreError. */
  async stateDocument(): Promise<string | undefined> {
    try {
      const { client } = await this.#connected();
      const { rows } = await client.query("SELECT document FROM hourgate.state WHERE shard = $1", [
        this.shard,
      ]);
      return rows[0]?.document;
    } catch (cause) {
      throw postgresFault(cause, this.address);
    }
  }

  /** Throws StoreError if the shard is lost or closed. */
  assertUsable(): void {
    if (this.#lost !== undefined) throw this.#lost;
    if (this.#closed)
      throw new StoreError(
        "storage_unavailable",
        `PostgreSQL at ${this.address} is closed; the gateway is stopping.`,
      );
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#recovery);
    const connection = await this.#connection?.catch(() => undefined);
    if (connection !== undefined) await closeWithin(connection.client);
  }

  #connected(): Promise<Connection> {
    this.#connection ??= this.#connect();
    return this.#connection;
  }

  async #connect(): Promise<Connection> {
    const client = new pg.Client(clientOptions(this.#place.url));
    let connection: Promise<Connection> | undefined;
    client.on("error", (cause) => {
      // While connecting, connect() or a query rejects with the same error.
      if (connection !== undefined) this.#drop(connection, postgresFault(cause, this.address));
    });
    try {
      await client.connect();
      if (!this.#isOpen) {
        await serverVersion(client);
        await prepareTables(client);
      }
      // The connection of a machine that is gone must end, because it holds the lock.
      await client.query(
        "SET tcp_keepalives_idle = 30; SET tcp_keepalives_interval = 5; SET tcp_keepalives_count = 3; " +
          "SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off'",
      );
      await this.#lock(client);
      const epoch = await this.#claim(client);
      connection = this.#connection;
      return { client, epoch };
    } catch (cause) {
      void closeWithin(client);
      throw postgresFault(cause, this.address);
    }
  }

  /** Gateways share the lock, because the epoch decides between them; a command needs it alone. */
  async #lock(client: pg.Client): Promise<void> {
    const key = [SHARD_LOCKS, this.shard];
    const inUse = (sentence: string) =>
      new StoreError(
        "storage_in_use",
        `Shard ${this.shard} in PostgreSQL at ${this.address} is in use: ${sentence}`,
      );
    if (this.#place.isOffline === true) {
      const { rows } = await client.query("SELECT pg_try_advisory_lock($1, $2) AS mine", key);
      if (rows[0].mine !== true)
        throw inUse(
          "a gateway serves it. Run the command with the data_dir of that gateway, or stop it first.",
        );
    } else {
      await client.query("SELECT pg_advisory_lock_shared($1, $2)", key).catch((cause: unknown) => {
        throw errorCode(cause) === "57014"
          ? inUse("a command works on it. Try again when it has ended.")
          : cause;
      });
    }
  }

  /** The next epoch. A connection after the first one gets it only if no other process has opened the shard. */
  async #claim(client: pg.Client): Promise<string> {
    const { rows } = await client.query<{ epoch: string }>(
      this.#isOpen
        ? "UPDATE hourgate.shards SET epoch = epoch + 1 WHERE shard = $1 AND holder = $2 RETURNING epoch"
        : `INSERT INTO hourgate.shards AS known VALUES ($1, 1, $2)
           ON CONFLICT (shard) DO UPDATE SET epoch = known.epoch + 1, holder = excluded.holder RETURNING epoch`,
      [this.shard, this.#holder],
    );
    if (rows[0] === undefined) throw this.#lose();
    return rows[0].epoch;
  }

  #lose(): StoreError {
    if (this.#lost === undefined) {
      this.#lost = new StoreError(
        "storage_in_use",
        `Another process took over shard ${this.shard} in PostgreSQL at ${this.address}; this one no longer stores anything and must end.`,
      );
      this.#events.onLost?.(this.#lost);
    }
    return this.#lost;
  }

  /** Closes a broken connection; the next write connects again. */
  #drop(broken: Promise<Connection>, fault: StoreError): void {
    if (this.#connection !== broken) return;
    this.#connection = undefined;
    void broken.then(({ client }) => closeWithin(client)).catch(() => {});
    this.reportFault(fault);
  }

  /** Reports that the database has failed, and finds out with a write soon whether it works again. */
  reportFault(fault: StoreError): void {
    if (this.#closed) return;
    this.#events.onHealth?.(fault);
    clearTimeout(this.#recovery);
    // So that the recovery is detected even without other writes.
    if (this.#lost === undefined)
      this.#recovery = setTimeout(
        () => void this.commit("SELECT FROM fence", []).catch(() => {}),
        RECOVERY_MS,
      ).unref();
  }
}
