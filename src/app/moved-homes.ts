import type { Settings } from "../config/settings.js";
import { servedShard } from "../ops/fleet/settings.js";
import type { StateView } from "../store/state-schema.js";

/** The homes that were moved between the shards of a fleet, and the topics that lead to them. */
export async function movedHomes(settings: Settings, state: { readonly data: StateView }) {
  const { mqtt, store } = settings;
  // That of a shard ends with its number.
  const base = mqtt.prefix.slice(0, mqtt.prefix.lastIndexOf("/") + 1);
  const cameFrom = lookup(
    () => state.data.sites,
    (sites) =>
      sites.flatMap(({ id, topicShard }): [string, number][] =>
        topicShard === undefined ? [] : [[id, topicShard]],
      ),
  );
  const wentTo = lookup(
    () => state.data.departed,
    (departed) =>
      departed?.flatMap(({ siteIds, shard }) => siteIds.map((id): [string, number] => [id, shard])) ?? [],
  );
  const prefixOf = (shard: number | undefined) => (shard === undefined ? undefined : `${base}${shard}`);
  const shard = servedShard(settings);
  const { url } = store.postgres;
  const moves =
    shard === undefined || url === null
      ? undefined
      : (await import("../store/postgres/moves.js")).Moves.lasting(url);
  return {
    /** Prefix of the topics of a home that came from another shard. */
    origin: (siteId: string) => prefixOf(cameFrom(siteId)),
    /** Prefix of the shard that a home has gone to. */
    target: (siteId: string) => prefixOf(wentTo(siteId)),
    /** Whether the home is on its way to this shard. Rejects while PostgreSQL is away. */
    isExpected: async (siteId: string) => (await moves?.isArriving(store.postgres.shard, siteId)) === true,
    stop: async () => moves?.stop(),
  };
}

/** Looks up a number by its name in a list that is read again when there is a new one. */
function lookup<List>(
  read: () => List,
  entriesOf: (list: List) => [name: string, value: number][],
): (name: string) => number | undefined {
  let known: { of: List; entries: ReadonlyMap<string, number> } | undefined;
  return (name) => {
    const list = read();
    if (known === undefined || known.of !== list) known = { of: list, entries: new Map(entriesOf(list)) };
    return known.entries.get(name);
  };
}
