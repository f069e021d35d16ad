import { technicalText } from "../../config/kit/check.js";
import { StoreError } from "../errors.js";
import type { StoreEvents } from "../series.js";
import { type StateAdapter, type StoredData, stateCheck } from "../state.js";
import type { State } from "../state-schema.js";
import { PostgresSeries } from "./postgres-series.js";
import { type ShardPlace, ShardSession } from "./shard-session.js";

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
    const state: unknown = JSON.parse(text);
    if (stateCheck.fits(state)) return state;
    throw new StoreError(
      "storage_damaged",
      `The state of shard ${this.#session.shard} in PostgreSQL at ${this.#session.address} is damaged ` +
        `(${stateCheck.faults(state).map(technicalText).join("; ")}); restore it from a backup.`,
    );
  }

  write(state: State): Promise<void> {
    return this.#session.commit(WRITE_STATE, [JSON.stringify(state)]);
  }
}
