import { shardOf } from "../../accounts/shard.js";

/** Where a request of a client belongs: a shard, or any of them for requests that need no data of a home. */
export interface ShardTarget {
  shard: number | "any";
  /** Path and query for the worker. */
  path: string;
}

/** The path below which the pages of a shard are served. */
export function shardPath(shard: number): string {
  return `/shard/${shard}`;
}

/** Metrics are for the network of the workers: they name sites. */
const INTERNAL = /^\/metrics(?:[/?]|$)/i;

/** The target of a request by its URL and the header X-API-Key; undefined for paths that no shard serves to clients. */
export function targetOf(url: string, key: string | undefined, shards: number): ShardTarget | undefined {
  const path = url.split("?", 1)[0]!;
  const [, first = "", second = ""] = path.split("/", 3);
  if (first === "shard") {
    const shard = /^(0|[1-9]\d{0,3})$/.test(second) ? Number(second) : shards;
    const rest = url.slice(shardPath(shard).length);
    if (shard >= shards || INTERNAL.test(rest)) return undefined;
    return { shard, path: rest.startsWith("/") ? rest : `/${rest}` };
  }
  if (first === "c")
    return second === "" ? undefined : { shard: shardOf(decoded(second), shards), path: url };
  if (first !== "v1" && path !== "/openapi.json") return undefined;
  const used = key?.trim() ?? "";
  return { shard: used === "" ? "any" : shardOf(used, shards), path: url };
}

/** As the workers read a token in a path. */
function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
