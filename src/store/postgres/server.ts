import pg from "pg";
import { errorMessage } from "../../core/error-message.js";
import { errorCode, StoreError } from "../errors.js";

/** Limits of wall time, ms. The server ends a statement before the client stops to wait for it. */
const CONNECT_MS = 3_000;
const STATEMENT_MS = 5_000;
const CLOSE_MS = 1_000;
const OLDEST_VERSION = 13;
/** Key of the advisory lock under which tables are created; any number that other programs do not use. */
const MIGRATION_LOCK = "7452081368";

/** The statements from each version of the tables to the next one. Only add to the end: existing databases continue there. */
const MIGRATIONS = [
  `CREATE TABLE hourgate.shards (shard integer PRIMARY KEY, epoch bigint NOT NULL, holder text NOT NULL);
   CREATE TABLE hourgate.state (shard integer PRIMARY KEY, document text NOT NULL);
   CREATE TABLE hourgate.series (shard integer, key text COLLATE "C", value bytea NOT NULL, PRIMARY KEY (shard, key));`,
  `CREATE TABLE hourgate.moves (account text PRIMARY KEY, source integer NOT NULL, target integer NOT NULL, phase text NOT NULL,
     prefixes text[] NOT NULL, since xid8, parcel text);`,
];

export function clientOptions(url: string, statementMs = STATEMENT_MS): pg.ClientConfig {
  return {
    connectionString: url,
    application_name: "hourgate",
    connectionTimeoutMillis: CONNECT_MS,
    statement_timeout: statementMs,
    idle_in_transaction_session_timeout: statementMs,
    query_timeout: statementMs + 1_000,
    keepAlive: true,
  };
}

/** Connects for the work. Throws the errors of the client. */
export async function withClient<Result>(
  url: string,
  work: (client: pg.Client) => Promise<Result>,
  statementMs?: number,
): Promise<Result> {
  const client = new pg.Client(clientOptions(url, statementMs));
  // The running query rejects with the same error.
  client.on("error", () => {});
  try {
    await client.connect();
    return await work(client);
  } finally {
    await closeWithin(client);
  }
}

/** Main version of the server, such as 15. Throws Error with a clause if hourgate cannot use it. */
export async function serverVersion(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ version: number; encoding: string }>(
    `SELECT current_setting('server_version_num')::int / 10000 AS version, current_setting('server_encoding') AS encoding`,
  );
  const { version, encoding } = rows[0]!;
  if (version < OLDEST_VERSION)
    throw new Error(`it has version ${version}, but ${OLDEST_VERSION} or later is needed`);
  if (encoding !== "UTF8") throw new Error(`its database has the encoding ${encoding}, but UTF8 is needed`);
  return version;
}

/** Creates or upgrades the tables. Several processes may call it at the same time. Throws Error with a clause. */
export async function prepareTables(client: pg.Client): Promise<void> {
  if ((await tableVersion(client)) === MIGRATIONS.length) return;
  await client.query("BEGIN");
  await client.query(`SELECT pg_advisory_xact_lock(${MIGRATION_LOCK})`);
  const version = await tableVersion(client);
  if (version > MIGRATIONS.length)
    throw new Error("its tables were created by a later version of hourgate; update this one");
  if (version === 0)
    await client.query(
      "CREATE SCHEMA IF NOT EXISTS hourgate; CREATE TABLE hourgate.schema_version (version integer NOT NULL); " +
        "INSERT INTO hourgate.schema_version VALUES (0)",
    );
  for (const migration of MIGRATIONS.slice(version)) await client.query(migration);
  await client.query("UPDATE hourgate.schema_version SET version = $1", [MIGRATIONS.length]);
  await client.query("COMMIT");
}

/** Version of the existing tables; 0 without any. */
async function tableVersion(client: pg.Client): Promise<number> {
  // Not to_regclass: within a transaction it does not see a table that another one has created meanwhile.
  const { rows } = await client.query(
    "SELECT FROM pg_tables WHERE schemaname = 'hourgate' AND tablename = 'schema_version'",
  );
  if (rows.length === 0) return 0;
  const found = await client.query<{ version: number }>("SELECT version FROM hourgate.schema_version");
  return found.rows[0]!.version;
}

const REMEDIES: Record<string, string> = {
  "28P01": "user name or password is wrong; check store.postgres.url",
  "28000": "user name or password is wrong; check store.postgres.url",
  "3D000": "the database does not exist; create it",
  "42501": "the user has no right for that; make it the owner of the database",
  "53100": "its disk is full; free some space",
  "57014": "it did not complete a statement in time",
};

/** The reason of a failure as a clause, without secrets. */
export function postgresProblem(cause: unknown): string {
  const code = errorCode(cause);
  // Connecting to a host name with several addresses fails with an error without a message.
  return REMEDIES[code ?? ""] ?? (errorMessage(cause).trim() || (code ?? "unknown error"));
}

/** Converts an error of a query; the original one is left out of it, because it could contain the address with the password. */
export function postgresFault(cause: unknown, address: string): StoreError {
  if (cause instanceof StoreError) return cause;
  return new StoreError(
    "storage_unavailable",
    `PostgreSQL at ${address} cannot be used: ${postgresProblem(cause)}.`,
  );
}

/** Closes a client or a pool; a server that does not answer is not waited for. Never rejects. */
export async function closeWithin(target: { end(): Promise<void> }): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, CLOSE_MS);
  });
  await Promise.race([target.end().catch(() => {}), limit]).finally(() => clearTimeout(timer));
}
