import { hostname } from "node:os";
import pg from "pg";
import { technicalText } from "../../config/kit/check.js";
import { postgresAddress } from "../place.js";
import { latestPrefix } from "../sample-keys.js";
import { stateCheck } from "../state.js";
import type { State } from "../state-schema.js";
import { storedState } from "./open.js";
import { clientOptions, closeWithin, postgresFault, prepareTables, withClient } from "./server.js";

/**
 * How far the move of an account to another shard has come. `copying`: its data are copied while its shard serves it;
 * `leaving`: the worker of its shard hands it over; `arriving`: no shard serves it until the worker of the other one takes it;
 * `clearing`: it is served there, and what is left of it in the first shard is deleted.
 */
export type MovePhase = "copying" | "leaving" | "arriving" | "clearing";

export interface Move {
  account: string;
  source: number;
  target: number;
  phase: MovePhase;
  /** What the keys of its series begin with. */
  prefixes: string[];
  /** Rows of later transactions have yet to be copied; null: of all. */
  since: string | null;
}

const MOVE = "account, source, target, phase, prefixes, since";
/** Copying years of telemetry takes minutes; while a shard is handed over it is compared in seconds. */
const COPY_MS = 3_600_000;
/** Rows deleted at a time while the shard is served. */
const CLEARED_AT_ONCE = 20_000;

/** The rows of shard $1 whose keys begin with one of the texts in `prefixes`; "~" follows all characters of keys. */
const rowsWithin = (prefixes: string) =>
  `unnest(${prefixes}::text[]) AS part (prefix) JOIN hourgate.series AS own
   ON own.shard = $1 AND own.key >= prefix AND own.key < prefix || '~'`;

const UNEQUAL = `NOT EXISTS (SELECT FROM hourgate.series AS other
  WHERE other.shard = $2 AND other.key = own.key AND other.value = own.value)`;

/** Connects for moves, and creates the tables. Throws StoreError. */
export function withMoves<Result>(url: string, work: (moves: Moves) => Promise<Result>): Promise<Result> {
  return withTables(url, (client) => work(new Moves(client, postgresAddress(url))));
}

async function withTables<Result>(
  url: string,
  work: (client: pg.Client) => Promise<Result>,
): Promise<Result> {
  try {
    return await withClient(
      url,
      async (client) => {
        await prepareTables(client);
        return await work(client);
      },
      COPY_MS,
    );
  } catch (cause) {
    // A fault of the work, not of the database.
    if (cause instanceof TypeError || cause instanceof SyntaxError) throw cause;
    throw postgresFault(cause, postgresAddress(url));
  }
}

/** The moves of accounts between shards, and the data that they copy. Its methods reject while PostgreSQL is away. */
export class Moves {
  readonly #client: pg.ClientBase | pg.Pool;
  readonly #address: string;

  constructor(client: pg.ClientBase | pg.Pool, address: string) {
    this.#client = client;
    this.#address = address;
  }

  /** Connects when it is used, and again after a failure, until it is stopped. */
  static lasting(url: string): Moves & { stop(): Promise<void> } {
    const pool = new pg.Pool({ ...clientOptions(url), max: 1, allowExitOnIdle: true });
    pool.on("error", () => {});
    return Object.assign(new Moves(pool, postgresAddress(url)), { stop: () => closeWithin(pool) });
  }

  /** Those from or to a shard, or all. */
  async list(shard?: number): Promise<Move[]> {
    const { rows } = await this.#client.query<Move>(
      `SELECT ${MOVE} FROM hourgate.moves WHERE $1::int IS NULL OR source = $1 OR target = $1 ORDER BY account`,
      [shard ?? null],
    );
    return rows;
  }

  /** Whether a site is on its way to the shard. */
  async isArriving(shard: number, siteId: string): Promise<boolean> {
    const { rowCount } = await this.#client.query(
      "SELECT FROM hourgate.moves WHERE target = $1 AND phase = 'arriving' AND $2 = ANY (prefixes)",
      [shard, latestPrefix(siteId)],
    );
    return rowCount === 1;
  }

  /** Begins or changes a move while its data are copied. False if it has come further, or leads to another shard. */
  async plan(move: Move): Promise<boolean> {
    const { rowCount } = await this.#client.query(
      `INSERT INTO hourgate.moves AS known (${MOVE}) VALUES ($1, $2, $3, $4, $5, $6)
       ON CONFLICT (account) DO UPDATE SET phase = excluded.phase, since = excluded.since,
         prefixes = ARRAY(SELECT unnest(known.prefixes) UNION SELECT unnest(excluded.prefixes))
       WHERE known.phase = 'copying' AND known.source = excluded.source AND known.target = excluded.target`,
      [move.account, move.source, move.target, move.phase, move.prefixes, move.since],
    );
    return rowCount === 1;
  }

  /**
   * Makes the rows of the target equal to those of the source, for keys that begin with one of the prefixes; with `since` only
   * those have to be looked up that were changed since then. Returns the `since` of the next call.
   */
  async copy({ source, target, prefixes, since }: Omit<Move, "account" | "phase">): Promise<string> {
    const { rows } = await this.#client.query<{ now: string }>(
      "SELECT pg_snapshot_xmin(pg_current_snapshot()) AS now",
    );
    // Rows of transactions that had ended before were read then.
    const changed = since === null ? UNEQUAL : "age(own.xmin) <= age($4::xid8::xid)";
    const values = since === null ? [] : [since];
    for (const prefix of prefixes) {
      await this.#client.query(
        `INSERT INTO hourgate.series (shard, key, value)
         SELECT $2, own.key, own.value FROM hourgate.series AS own
         WHERE own.shard = $1 AND own.key >= $3 AND own.key < $3 || '~' AND ${changed}
         ON CONFLICT (shard, key) DO UPDATE SET value = excluded.value`,
        [source, target, prefix, ...values],
      );
      // History is thinned now and then.
      if ((await this.#count(source, prefix)) !== (await this.#count(target, prefix)))
        await this.#client.query(
          `DELETE FROM hourgate.series AS other WHERE shard = $2 AND key >= $3 AND key < $3 || '~'
           AND NOT EXISTS (SELECT FROM hourgate.series AS own WHERE own.shard = $1 AND own.key = other.key)`,
          [source, target, prefix],
        );
    }
    return rows[0]!.now;
  }

  async #count(shard: number, prefix: string): Promise<string> {
    const { rows } = await this.#client.query<{ count: string }>(
      "SELECT count(*) FROM hourgate.series WHERE shard = $1 AND key >= $2 AND key < $2 || '~'",
      [shard, prefix],
    );
    return rows[0]!.count;
  }

  /** Gives up a move that has not come further than the copy, and deletes the copies. */
  async giveUp({ account, target, prefixes }: Move): Promise<void> {
    await this.#client.query(
      `WITH move AS (DELETE FROM hourgate.moves WHERE account = $3 AND phase = 'copying' RETURNING account)
       DELETE FROM hourgate.series WHERE shard = $1 AND EXISTS (SELECT FROM move)
         AND key IN (SELECT own.key FROM ${rowsWithin("$2")})`,
      [target, prefixes, account],
    );
  }

  /** The states of all shards that were ever served. Throws StoreError. */
  async states(): Promise<Map<number, State>> {
    const { rows } = await this.#client.query<{ shard: number; document: string }>(
      "SELECT shard, document FROM hourgate.state ORDER BY shard",
    );
    const address = this.#address;
    return new Map(rows.map(({ shard, document }) => [shard, storedState(document, { shard, address })]));
  }

  /** Deletes a portion of what is left of a moved account, and its move with the last one. Can be repeated at any time. */
  async clear({ account, source }: Move): Promise<void> {
    // The move is locked: while rows are deleted the account can't come back.
    const { rowCount } = await this.#client.query(
      `WITH move AS (SELECT prefixes FROM hourgate.moves WHERE account = $2 AND source = $1 AND phase = 'clearing' FOR UPDATE)
       DELETE FROM hourgate.series WHERE shard = $1 AND key = ANY (ARRAY(
         SELECT own.key FROM ${rowsWithin("(SELECT prefixes FROM move)")} LIMIT ${CLEARED_AT_ONCE}))`,
      [source, account],
    );
    if (rowCount === 0)
      await this.#client.query(
        "DELETE FROM hourgate.moves WHERE account = $2 AND source = $1 AND phase = 'clearing'",
        [source, account],
      );
  }
}

/** Does the work on a shard in one transaction; who has opened the shard before can't write it any more. Throws StoreError. */
export function withShardAlone(
  place: { url: string; shard: number },
  work: (transaction: ShardTransaction) => Promise<void>,
): Promise<void> {
  return withTables(place.url, async (client) => {
    await client.query("BEGIN");
    await client.query(
      "SELECT set_config('synchronous_commit', 'on', true) WHERE current_setting('synchronous_commit') = 'off'",
    );
    await client.query(
      `INSERT INTO hourgate.shards AS known VALUES ($1, 1, $2)
       ON CONFLICT (shard) DO UPDATE SET epoch = known.epoch + 1, holder = excluded.holder`,
      [place.shard, `${hostname()} ${process.pid} move`],
    );
    await work(new ShardTransaction(client, place));
    await client.query("COMMIT");
  });
}

/** What a move reads and writes of a shard. */
export class ShardTransaction {
  readonly shard: number;
  readonly #client: pg.ClientBase;
  readonly #address: string;

  constructor(client: pg.ClientBase, { url, shard }: { url: string; shard: number }) {
    this.#client = client;
    this.shard = shard;
    this.#address = postgresAddress(url);
  }

  /** The move of an account with its parcel, if it is in this phase still. */
  async move(account: string, phase: MovePhase): Promise<(Move & { parcel: string | null }) | undefined> {
    const { rows } = await this.#client.query(
      `SELECT ${MOVE}, parcel FROM hourgate.moves WHERE account = $1 AND phase = $2 FOR UPDATE`,
      [account, phase],
    );
    return rows[0];
  }

  async advance(move: Move, parcel: string | null): Promise<void> {
    await this.#client.query(
      "UPDATE hourgate.moves SET phase = $2, prefixes = $3, parcel = $4 WHERE account = $1",
      [move.account, move.phase, move.prefixes, parcel],
    );
  }

  /** Gives up a move: deletes its copies in the other shard. */
  async endMove({ account, target, prefixes }: Move): Promise<void> {
    await this.removeCopies(target, prefixes);
    await this.#client.query("DELETE FROM hourgate.moves WHERE account = $1", [account]);
  }

  async removeCopies(target: number, prefixes: readonly string[]): Promise<void> {
    await this.#client.query(
      `DELETE FROM hourgate.series WHERE shard = $1 AND key IN (SELECT own.key FROM ${rowsWithin("$2")})`,
      [target, prefixes],
    );
  }

  async copy({ target, since }: Move, prefixes: string[]): Promise<void> {
    await new Moves(this.#client, this.#address).copy({ source: this.shard, target, prefixes, since });
  }

  /** Gives the documents of sites (`document/<kind>/<site>`) to another shard. */
  async giveDocuments(target: number, sites: readonly string[]): Promise<void> {
    const mine = `key >= 'document/' AND key < 'document0' AND split_part(key, '/', 3) = ANY ($2::text[])`;
    await this.#client.query(`DELETE FROM hourgate.series WHERE shard = $1 AND ${mine}`, [target, sites]);
    await this.#client.query(`UPDATE hourgate.series SET shard = $3 WHERE shard = $1 AND ${mine}`, [
      this.shard,
      sites,
      target,
    ]);
  }

  /** The state; undefined if no gateway has served the shard yet. Throws StoreError. */
  async state(): Promise<State | undefined> {
    const { rows } = await this.#client.query("SELECT document FROM hourgate.state WHERE shard = $1", [
      this.shard,
    ]);
    const { shard } = this;
    return rows[0] && storedState(rows[0].document, { shard, address: this.#address });
  }

  /** Throws TypeError for what is no state. */
  async writeState(state: State): Promise<void> {
    const [fault] = stateCheck.faults(state);
    if (fault !== undefined)
      throw new TypeError(`The state of shard ${this.shard} would become invalid: ${technicalText(fault)}.`);
    await this.#client.query("UPDATE hourgate.state SET document = $2 WHERE shard = $1", [
      this.shard,
      JSON.stringify(state),
    ]);
  }

  /** Keys that begin with the text, and their values. */
  async entries(prefix: string): Promise<[string, Buffer][]> {
    const { rows } = await this.#client.query<{ key: string; value: Buffer }>(
      `SELECT own.key, own.value FROM ${rowsWithin("$2")} ORDER BY own.key`,
      [this.shard, [prefix]],
    );
    return rows.map(({ key, value }) => [key, value]);
  }

  async get(key: string): Promise<Buffer | undefined> {
    const { rows } = await this.#client.query<{ value: Buffer }>(
      "SELECT value FROM hourgate.series WHERE shard = $1 AND key = $2",
      [this.shard, key],
    );
    return rows[0]?.value;
  }

  async put(key: string, value: Buffer): Promise<void> {
    await this.#client.query(
      `INSERT INTO hourgate.series (shard, key, value) VALUES ($1, $2, $3)
       ON CONFLICT (shard, key) DO UPDATE SET value = excluded.value`,
      [this.shard, key, value],
    );
  }

  async remove(key: string): Promise<void> {
    await this.#client.query("DELETE FROM hourgate.series WHERE shard = $1 AND key = $2", [this.shard, key]);
  }
}
