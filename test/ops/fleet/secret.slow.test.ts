import { once } from "node:events";
import { request } from "node:https";
import { type AddressInfo, createServer } from "node:net";
import { text } from "node:stream/consumers";
import { Redis } from "ioredis";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse } from "../../../src/config/load.js";
import { HostNames } from "../../../src/core/net/host-names.js";
import { TrustedProxies } from "../../../src/core/net/trusted-proxies.js";
import { HttpListener } from "../../../src/edges/http/listener.js";
import { LeaseTable } from "../../../src/ops/fleet/lease-table.js";
import type { FleetSecret } from "../../../src/ops/fleet/secret.js";
import { redisIsThere, redisServer } from "../../accounts/quotas-redis-server.js";
import { secretOf } from "./secret-of.js";

const secret = secretOf("s".repeat(32));
const foreign = secretOf("f".repeat(32));

/** Status and body that a process with this secret gets as a router; rejects without a connection. */
async function routed(port: number, used: FleetSecret, path = "/login"): Promise<[number, string]> {
  const headers = { "X-Hourgate-Shard": "1" };
  const sent = request({
    ...used.client,
    host: "127.0.0.1",
    port,
    path,
    method: "POST",
    headers,
    agent: false,
  });
  sent.end("password=horse");
  const [answer] = await once(sent, "response");
  return [answer.statusCode, await text(answer)];
}

describe("a worker", () => {
  const worker = new HttpListener({
    settings: { host: "127.0.0.1", port: 0, shard: 1 },
    name: "http",
    limits: parse("").settings.limits.http,
    proxies: new TrustedProxies(["127.0.0.1"]),
    hosts: new HostNames({ hosts: [], baseUrl: () => "http://127.0.0.1" }),
    isAuthenticated: () => false,
    onRequest: (_req, res) => res.end("served"),
    tls: { context: secret.server, onChange: () => {} },
  });
  let port: number;
  beforeAll(async () => {
    ({ port } = await worker.start());
  });
  afterAll(() => worker.stop());

  it("serves a router that knows the fleet's secret, and no one who does not", async () => {
    expect(await routed(port, secret)).toEqual([200, "served"]);
    await expect(routed(port, foreign)).rejects.toThrow();
  });

  it("answers without a router only what its own network asks", async () => {
    const status = async (path: string) => (await fetch(`http://127.0.0.1:${port}${path}`)).status;
    for (const path of ["/login", "/v1/status", "/healthy", "/metricsx", "/metrics/../login", "/"])
      expect(await status(path), path).toBe(421);
    for (const path of ["/health", "/metrics?a=b"]) expect(await status(path), path).toBe(200);
  });
});

it("a router sends nothing to an address whose process does not know the secret", async () => {
  const received: Buffer[] = [];
  const thief = createServer((socket) => {
    socket.on("error", () => {});
    socket.on("data", (chunk) => {
      received.push(chunk);
      socket.end("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
    });
  }).listen(0, "127.0.0.1");
  await once(thief, "listening");
  await expect(routed((thief.address() as AddressInfo).port, secret)).rejects.toThrow();
  thief.close();
  expect(received.length).toBeGreaterThan(0);
  expect(Buffer.concat(received).toString("latin1")).not.toContain("horse");
});

describe.runIf(redisIsThere())("leases in Redis", () => {
  let redis: Awaited<ReturnType<typeof redisServer>>;
  let client: Redis;
  beforeAll(async () => {
    redis = await redisServer();
    await redis.start();
    client = new Redis(redis.url);
  });
  afterAll(async () => {
    client.disconnect();
    await redis.remove();
  });

  it("are held by one worker, and a forged one by nobody", async () => {
    const leases = new LeaseTable({ client, prefix: "hourgate", shards: 1, signer: secret });
    const [a, b] = ["a", "b"].map((worker) => ({ worker, address: `http://10.0.0.1:${worker.length}` }));
    const forged = JSON.stringify({ worker: "evil", shards: 1, address: "http://10.0.0.66:8080" });
    await client.set("hourgate:fleet:shard:0", forged);
    expect(await leases.holders()).toEqual([undefined]);
    expect(await leases.hold(0, a!, 60_000)).toBe(true);
    expect(await leases.holders()).toMatchObject([a]);
    expect(
      await Promise.all([leases.hold(0, { ...a!, address: null }, 60_000), leases.hold(0, a!, 60_000)]),
    ).toEqual([true, true]);
    expect(await leases.hold(0, b!, 60_000)).toBe(false);
    await leases.release(0, "b");
    await leases.release(0, "a");
    expect(await leases.holders()).toEqual([undefined]);
  });
});
