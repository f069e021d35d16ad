import { hashToken } from "../../accounts/secret-token.js";
import { unescaped } from "../../core/net/fetch.js";

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
const INTERNAL = /^\/metrics(?:\/|$)/i;

/**
 * What a worker could read as another path than the router: a fragment, a backslash, an encoded slash, backslash or dot, an
 * empty segment, and the segments `.` and `..`.
 */
const AMBIGUOUS = /[#\\]|%2f|%5c|%2e|\/\/|\/\.{1,2}(?:\/|$)/i;

/** The shards of a fleet. */
export interface Shards {
  count: number;
  /** The shard that serves a key or link, by its SHA-256 (hex). */
  shardOf(hash: string): number;
}

/** The target of a request by its URL and its key; undefined for paths that no shard serves to clients. */
export function targetOf(
  url: string,
  key: string | undefined,
  { count, shardOf }: Shards,
): ShardTarget | undefined {
  const path = url.split("?", 1)[0]!;
  if (!path.startsWith("/") || AMBIGUOUS.test(path) || url.includes("#")) return undefined;
  const [, first = "", second = "", ...rest] = path.split("/");
  if (first === "shard") {
    const shard = /^(0|[1-9]\d{0,3})$/.test(second) ? Number(second) : count;
    const inner = `/${rest.join("/")}`;
    if (shard >= count || INTERNAL.test(unescaped(inner))) return undefined;
    return { shard, path: inner + url.slice(path.length) };
  }
  if (first === "c")
    return second === "" ? undefined : { shard: shardOf(hashToken(unescaped(second))), path: url };
  if (first !== "v1" && path !== "/openapi.json" && path !== "/mcp") return undefined;
  const used = key?.trim() ?? "";
  return { shard: used === "" ? "any" : shardOf(hashToken(used)), path: url };
}
