import { describe, expect, it } from "vitest";
import { newKey } from "../../../src/accounts/keys.js";
import { newToken } from "../../../src/accounts/secret-token.js";
import { shardOfHash } from "../../../src/accounts/shard.js";
import { freeShards, leaseText, mergeHolders, parseHolder } from "../../../src/ops/fleet/lease.js";
import { merged, split } from "../../../src/ops/fleet/shared-documents.js";
import { targetOf } from "../../../src/ops/fleet/target.js";
import { secretOf } from "./secret-of.js";

const SHARDS = 4;
const shards = { count: SHARDS, shardOf: (hash: string) => shardOfHash(hash, SHARDS) };
const target = (url: string, key?: string) => targetOf(url, key, shards);

describe("the shard of a request", () => {
  it("is that of the key in X-API-Key, which clients may surround with spaces", () => {
    for (let number = 0; number < SHARDS; number++) {
      const key = newKey({ number, of: SHARDS });
      expect(target("/v1/status?timezone=UTC", ` ${key} `)).toEqual({
        shard: number,
        path: "/v1/status?timezone=UTC",
      });
    }
  });

  it("is any without a key", () => {
    for (const url of ["/v1/forecast", "/openapi.json", "/mcp"])
      for (const key of [undefined, "", " "]) expect(target(url, key)).toEqual({ shard: "any", path: url });
  });

  it("is that of the token of a controller link, whatever key is sent", () => {
    const { token } = newToken(24, { number: 3, of: SHARDS });
    const url = `/c/${token}/value/O1`;
    expect(target(url, newKey({ number: 0, of: SHARDS }))).toEqual({ shard: 3, path: url });
    const encoded = `/c/%${token.charCodeAt(0).toString(16)}${token.slice(1)}/line`;
    expect(target(encoded)).toEqual({ shard: 3, path: encoded });
    expect(target("/c/%ff/line")).toMatchObject({ path: "/c/%ff/line" });
  });

  it("is in the path of a portal, which the worker does not see", () => {
    expect(target("/shard/2/login?next=%2F")).toEqual({ shard: 2, path: "/login?next=%2F" });
    expect(target("/shard/2")).toEqual({ shard: 2, path: "/" });
    expect(target("/shard/2?a=b")).toEqual({ shard: 2, path: "/?a=b" });
  });

  it.each([
    "/",
    "/login",
    "/metrics",
    "/c",
    "/c/",
    "/shard",
    "/shard/",
    "/shard/4/login",
    "/shard/02/login",
    "/shard/-1/login",
    "/shard/1e0/login",
    "/shard/2/metrics",
    "/shard/2/metrics/",
    "/shard/2/METRICS?a",
    "/shard/2/metrics#",
    "/shard/2/metrics#x",
    "/shard/2/metrics?a#b",
    "/shard/2#/metrics",
    "/shard/2/%6detrics",
    "/shard/2/x%2f..%2fmetrics",
    "/shard/2/x/../metrics",
    "/shard/2/./metrics",
    "/shard/2/%2e/metrics",
    "/shard/2//metrics",
    "/shard/2/..",
    "/shard/2\\metrics",
    "/shard/2/%5Cmetrics",
    "/v1/../metrics",
    "/v1/%2E%2e/metrics",
    "/c/token/..%2f..%2fmetrics",
    "//shard/2/login",
    "http://example.org/v1/status",
    "*",
  ])("is none for %s", (url) => {
    expect(target(url)).toBeUndefined();
  });
});

describe("leases", () => {
  const holder = (worker: string, address: string | null = "http://10.0.0.1:8080") => ({
    worker,
    shards: 2,
    address,
  });

  it("are read as they are written; all else is no holder", () => {
    const [own, foreign] = [secretOf("a".repeat(32)), secretOf("b".repeat(32))];
    const text = leaseText("hourgate:fleet:shard:0", holder("a", null), own);
    expect(parseHolder("hourgate:fleet:shard:0", text, own)).toEqual(holder("a", null));
    const evil = JSON.stringify({ ...JSON.parse(text), address: "http://10.0.0.66:8080" });
    const unsigned = JSON.stringify(holder("a"));
    for (const other of [null, "", "[]", "null", '{"worker":"a"}', '{"worker":"a","shards":2,"address":"x"}'])
      expect(parseHolder("hourgate:fleet:shard:0", other, own)).toBeUndefined();
    for (const forged of [evil, unsigned, leaseText("hourgate:fleet:shard:0", holder("a"), foreign)])
      expect(parseHolder("hourgate:fleet:shard:0", forged, own)).toBeUndefined();
    expect(parseHolder("hourgate:fleet:shard:1", text, own)).toBeUndefined();
  });

  it("keep the last known holder where Redis has none, and leave out one of another fleet", () => {
    const [a, b, c] = [holder("a"), holder("b"), { ...holder("c"), shards: 3 }];
    expect(mergeHolders([a, undefined], [undefined, b])).toEqual([a, b]);
    expect(mergeHolders([a, b], [b, c])).toEqual([b, undefined]);
  });

  it("can be taken where nobody holds them, from a random one on", () => {
    expect(freeShards([undefined, holder("a"), undefined, undefined], 2)).toEqual([2, 3, 0]);
    expect(freeShards([], 0)).toEqual([]);
  });
});

it("divides documents that homes share, and puts the parts together again", () => {
  const isMoved = (name: string) => name === "a";
  const devices = {
    announced: { a: { "": [["soc", "sensor"]] }, b: { "": [] } },
    gone: [{ plant: "a" }, { plant: "b" }],
  };
  for (const [document, own, rest] of [
    [{ a: 5, b: 6 }, { a: 5 }, { b: 6 }],
    [{ "a evcc": { at: 1 }, "b evcc": { at: 2 } }, { "a evcc": { at: 1 } }, { "b evcc": { at: 2 } }],
    [
      [
        ["a", 1],
        ["b", 2],
      ],
      [["a", 1]],
      [["b", 2]],
    ],
    [
      devices,
      { announced: { a: devices.announced.a }, gone: [{ plant: "a" }] },
      { announced: { b: { "": [] } }, gone: [{ plant: "b" }] },
    ],
  ]) {
    expect(split(document, isMoved)).toEqual([own, rest]);
    expect(merged(undefined, own)).toEqual(own);
    expect(merged(own, rest)).toEqual(document);
  }
});
