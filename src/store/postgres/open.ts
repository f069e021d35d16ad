import pg from "pg";
import { technicalText } from "../../config/kit/check.js";
import { BatchQueue } from "../../core/work/batch-queue.js";
import { StoreError } from "../errors.js";
import type { KeyRange, SeriesDatabase, SeriesOperation, StoreEvents } from "../series.js";
import { refuseLater, type StateAdapter, type StoredData, stateCheck } from "../state.js";
import type { State } from "../state-schema.js";
import { clientOptions, closeWithin, postgresFault } from "./server.js";
import { type ShardPlace, ShardSession } from "./shard-session.js";

const READ_CONNECTIONS = 3;
/** Maximum number of documents of one query. */
const GETS_PER_QUERY = 250;
/** Maximum number of operations of several writes in one transaction, to bound its duration. */
const OPERATIONS_PER_COMMIT = 8_000;

const WRITE = `
  , removed AS (
    DELETE FROM hourgate.series WHERE shard = $1 AND key = ANY ($5::text[]) AND EXISTS (SELECT FROM fence)
  ), stored AS (
    INSERT INTO hourgate.series (shard, key, value)
    SELECT $1, key, value FROM unnest($3::text[], $4::bytea[]) AS put (key, value) WHERE EXISTS (SELECT FROM fence)
    ON CONFLICT (shard, key) DO UPDATE SET value = excluded.value
  )
  SELECT FROM fence`;

/**
 * The series of one shard in PostgreSQL. Writes during a commit share the next one, and single keys read during a query share
 * the next one too: a start reads a dozen documents of each home. Reads have their own connections.
 */
class PostgresSeries implements SeriesDatabase {
  readonly #session: ShardSession;
  readonly #pool: pg.Pool;
  readonly #writes: BatchQueue<readonly SeriesOperation[]>;
  readonly #gets = new BatchQueue<string, Buffer | undefined>((keys) => this.#getMany(keys), {
    mostPerBatch: GETS_PER_QUERY,
  });

  constructor(session: ShardSession, url: string) {
    this.#session = session;
    const commit = async (writes: readonly (readonly SeriesOperation[])[]) => {
      await this.#commit(writes.flat());
      return [];
    };
    const sizeOf = (operations: readonly SeriesOperation[]) => operations.length;
    this.#writes = new BatchQueue(commit, { sizeOf, mostPerBatch: OPERATIONS_PER_COMMIT });
    this.#pool = new pg.Pool({ ...clientOptions(url), max: READ_CONNECTIONS, allowExitOnIdle: true });
    // Idle connections that the server has closed; the next read opens another one.
    this.#pool.on("error", () => {});
  }

  get(key: string): Promise<Buffer | undefined> {
    return this.#gets.add(key);
  }

  async hasMany(keys: string[]): Promise<boolean[]> {
    if (keys.length === 0) return [];
    const rows = await this.#read<[string]>(
      "SELECT key FROM hourgate.series WHERE shard = $1 AND key = ANY ($2::text[])",
      [keys],
    );
    const found = new Set(rows.map(([key]) => key));
    return keys.map((key) => found.has(key));
  }

  entries(range: KeyRange): Promise<[string, Buffer][]> {
    return this.#range("key, value", range);
  }

  async keys(range: KeyRange): Promise<string[]> {
    return (await this.#range<[string]>("key", range)).map(([key]) => key);
  }

  async *portions(
    { gte, lt }: Pick<KeyRange, "gte" | "lt">,
    size: number,
  ): AsyncGenerator<[string, Buffer][]> {
    for (let from = gte; ; ) {
      const portion = await this.entries({ gte: from, lt, limit: size });
      if (portion.length > 0) yield portion;
      if (portion.length < size) return;
      // The next possible key, since keys do not contain U+0000.
      from = `${portion.at(-1)![0]}\u0001`;
    }
  }

  async write(operations: readonly SeriesOperation[]): Promise<void> {
    if (operations.length > 0) await this.#writes.add(operations);
  }

  async close(): Promise<void> {
    await this.#writes.idle();
    await this.#session.close();
    await closeWithin(this.#pool);
  }

  #commit(operations: readonly SeriesOperation[]): Promise<void> {
    // The last operation of a key wins.
    const last = new Map(operations.map((operation) => [operation.key, operation]));
    const puts = [...last.values()].filter((operation) => operation.type === "put");
    const removed = [...last.values()].filter(({ type }) => type === "del").map(({ key }) => key);
    return this.#session.commit(WRITE, [puts.map(({ key }) => key), puts.map(({ value }) => value), removed]);
  }

  async #getMany(keys: readonly string[]): Promise<(Buffer | undefined)[]> {
    const rows = await this.#read<[string, Buffer]>(
      "SELECT key, value FROM hourgate.series WHERE shard = $1 AND key = ANY ($2::text[])",
      [keys],
    );
    const found = new Map(rows);
    return keys.map((key) => found.get(key));
  }

  #range<Row extends [string, ...unknown[]]>(
    columns: string,
    { gte, lt, limit, reverse }: KeyRange,
  ): Promise<Row[]> {
    return this.#read<Row>(
      `SELECT ${columns} FROM hourgate.series WHERE shard = $1 AND key >= $2 AND key < $3
       ORDER BY key ${reverse === true ? "DESC" : "ASC"} LIMIT $4`,
      [gte, lt, limit ?? null],
    );
  }

  async #read<Row extends unknown[]>(text: string, values: unknown[]): Promise<Row[]> {
    this.#session.assertUsable();
    try {
      const query = { text, values: [this.#session.shard, ...values], rowMode: "array" as const };
      return (await this.#pool.query<Row>(query)).rows;
    } catch (cause) {
      const fault = postgresFault(cause, this.#session.address);
      // A server that does not answer is noticed by reads first: a write waits for what it reads.
      this.#session.reportFault(fault);
      throw fault;
    }
  }
}

const WRITE_STATE = `
  , stored AS (
    INSERT INTO hourgate.state (shard, document) SELECT $1, $3 WHERE EXISTS (SELECT FROM fence)
    ON CONFLICT (shard) DO UPDATE SET document = excluded.document
  )
  SELECT FROM fence`;

/** Opens a shard in PostgreSQL; a new one is empty. Throws StoreError. */
export async function openShard(place: ShardPlace, events?: StoreEvents): Promise<StoredData> {
  const session = await ShardSession.open(place, events);
  return { series: new PostgresSeries(session, place.url), state: new PostgresState(session) };
}

/** The state of a shard as one JSON text. */
class PostgresState implements StateAdapter {
  readonly warnings = [];
  readonly incomplete = false;
  readonly #session: ShardSession;

  constructor(session: ShardSession) {
    this.#session = session;
  }

  /** Null at the first start. Throws StoreError. */
  async read(): Promise<State | null> {
    const text = await this.#session.stateDocument();
    if (text === undefined) return null;
    return storedState(text, this.#session);
  }

  write(state: State): Promise<void> {
    return this.#session.commit(WRITE_STATE, [JSON.stringify(state)]);
  }
}

/** The state of a shard from its stored text. Throws StoreError. */
export function storedState(text: string, { shard, address }: { shard: number; address: string }): State {
  const state: unknown = JSON.parse(text);
  const place = `The state of shard ${shard} in PostgreSQL at ${address}`;
  refuseLater(state, place);
  if (stateCheck.fits(state)) return state;
  throw new StoreError(
    "storage_damaged",
    `${place} is damaged (` +
      `${stateCheck.faults(state).map(technicalText).join("; ")}); restore it from a backup.`,
  );
}
