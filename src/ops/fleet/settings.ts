import type { Shard } from "../../accounts/shard.js";
import type { FleetSettings, RedisSettings, Settings } from "../../config/settings.js";
import { isLoopbackAddress } from "../../core/net/address.js";
import { shardPath } from "./target.js";

/** A configuration with a fleet; its rules are checked. */
export type FleetConfiguration = Settings & {
  fleet: FleetSettings & { shards: number };
  redis: RedisSettings & { url: string };
};

export function isFleet(settings: Settings): settings is FleetConfiguration {
  return settings.fleet.shards !== null && settings.redis.url !== null;
}

/** The shard that a gateway serves; undefined without a fleet. */
export function servedShard({ fleet, store }: Settings): Shard | undefined {
  return fleet.shards === null ? undefined : { number: store.postgres.shard, of: fleet.shards };
}

/** The settings of the gateway that serves a shard: with the shard's data, topics and portal path. */
export function shardSettings(settings: FleetConfiguration, shard: number): Settings {
  const { http, mqtt, node_red, store } = settings;
  return {
    ...settings,
    store: { ...store, postgres: { ...store.postgres, shard } },
    http: { ...http, base_path: shardPath(shard) },
    mqtt: { ...mqtt, prefix: `${mqtt.prefix}/${shard}` },
    // Its flows and their user are files of one machine.
    node_red: { ...node_red, enabled: false },
  };
}

/** What is wrong with the protection of Redis, as a sentence; undefined: nothing, or it is on this machine. */
export function redisWarning({ redis }: Pick<FleetConfiguration, "redis">): string | undefined {
  const url = new URL(redis.url);
  if (isThisMachine(url.hostname) || redis.password !== null || url.password !== "") return undefined;
  return `Redis at ${url.host} has no password: who reaches it can take shards from their workers. Set redis.password, and TLS (rediss://) outside of a network of its own.`;
}

function isThisMachine(hostname: string): boolean {
  const bare = hostname.replace(/^\[|\]$/g, "");
  return bare === "localhost" || isLoopbackAddress(bare);
}
