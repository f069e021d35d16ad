import { randomUUID } from "node:crypto";
import fc from "fast-check";
import { Redis } from "ioredis";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { type Access, basicAccess, tierOf } from "../../src/accounts/access.js";
import type { QuotaClass } from "../../src/accounts/quota-class.js";
import type { Quota, QuotaCall } from "../../src/accounts/quota-rules.js";
import { Quotas } from "../../src/accounts/quotas.js";
import { RedisQuotas } from "../../src/accounts/redis-quotas.js";
import type { QuotaSettings, RedisSettings } from "../../src/config/settings.js";
import type { Plan } from "../../src/core/domain/tier.js";
import { HealthRegistry } from "../../src/core/health-registry.js";
import type { Log } from "../../src/core/log.js";
import { fakeServices } from "../api/fake-services.js";
import { serve } from "../edges/http/serve.js";
import { componentOf } from "../support/components.js";
import { eventually } from "../support/eventually.js";
import { type ManualClock, manualClock } from "../support/manual-clock.js";
import { type RedisServer, redisIsThere, redisServer } from "./quotas-redis-server.js";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const start = new Date("2026-01-15T12:00:00.500Z");
const full = { decision: 6, telemetry: 3, pv: 2, weather: 4 };
const table: QuotaSettings = {
  basic: { decision: 5 },
  community: { decision: 4, telemetry: 2, pv: 1, weather: 0 },
  trial: full,
  professional: full,
  oem: full,
};

function keyed(plan: Exclude<Plan, "basic">, keyId = "k", hourlyLimit?: number): Access {
  const ids = { keyId, accountId: "a", ...(hourlyLimit === undefined ? {} : { hourlyLimit }) };
  return { ...tierOf(plan), plan, tokenPresent: true, tokenValid: true, administrator: false, ...ids };
}

const anonymous = (address = "192.0.2.1"): QuotaCall => ({
  access: basicAccess(false),
  address,
  quotaClass: "decision",
});
const decision = (access: Access): QuotaCall => ({ access, address: undefined, quotaClass: "decision" });

/** A limiter that ends with the test, and what it tells. */
async function limiter(url: string, options: Partial<RedisSettings> & { clock?: ManualClock } = {}) {
  const { clock = manualClock(start), ...settings } = options;
  const components = new HealthRegistry(clock);
  const told: string[] = [];
  const waiting = new Set<() => void>();
  const tell = (_fields: object, sentence: string) => {
    told.push(sentence);
    for (const look of waiting) look();
  };
  const log: Log = { info: tell, warn: tell, error: tell, debug: tell, trace: tell };
  const quotas = new RedisQuotas({
    table,
    settings: { username: null, password: null, prefix: randomUUID(), ...settings, url },
    clock,
    components,
    log,
  });
  await quotas.start();
  onTestFinished(() => quotas.stop());
  const component = () => componentOf(components, "quotas");
  return {
    quotas,
    told,
    component,
    /** Resolves when the component has come to the state; each change of it is logged. */
    becomes: (state: string) =>
      new Promise<void>((resolve) => {
        const look = () => {
          if (component()?.state !== state) return;
          waiting.delete(look);
          resolve();
        };
        waiting.add(look);
        look();
      }),
  };
}

describe.skipIf(!redisIsThere())("quotas in Redis", () => {
  let server: RedisServer;
  let admin: Redis;

  beforeAll(async () => {
    server = await redisServer();
    await server.start();
    admin = new Redis(server.url);
  });
  afterAll(async () => {
    admin.disconnect();
    await server.remove();
  });

  /** Lets the windows under a prefix become older: Redis ends them by the wall clock, which no test can wait for. */
  async function age(prefix: string, ms: number): Promise<void> {
    for (const key of await admin.keys(`${prefix}:*`)) {
      const rest = (await admin.pttl(key)) - ms;
      await (rest <= 0 ? admin.del(key) : admin.pexpire(key, rest));
    }
  }

  it("gives the same results as the counters in memory for any calls and waits", async () => {
    const step = fc.record({
      access: fc.constantFrom(
        basicAccess(true),
        keyed("community"),
        keyed("professional", "k1", 3),
        keyed("professional", "k2"),
        keyed("oem", "k3", 20),
      ),
      address: fc.constantFrom("192.0.2.1", "2001:db8::1"),
      quotaClass: fc.constantFrom<QuotaClass>(
        "decision",
        "decision",
        "decision",
        "telemetry",
        "pv",
        "weather",
        "status",
      ),
      looksOnly: fc.boolean(),
      waitMs: fc.constantFrom(0, 0, 0, 0, 20 * MINUTE, 50 * MINUTE, HOUR, 24 * HOUR),
    });
    // The time that the test itself takes runs in Redis alone; the waits are multiples of 10 minutes.
    const same = (inMemory: Quota, inRedis: Quota) => {
      const { resetAt, retryAfterSeconds, limit, scope, ...rest } = inRedis;
      expect(rest).toEqual({
        allowed: inMemory.allowed,
        remaining: inMemory.remaining,
        softcapExceeded: inMemory.softcapExceeded,
      });
      const early = inMemory.resetAt.getTime() - resetAt.getTime();
      expect(early).toBeGreaterThanOrEqual(0);
      expect(early).toBeLessThan(MINUTE);
      if (inMemory.retryAfterSeconds === undefined) expect(retryAfterSeconds).toBeUndefined();
      else expect(Math.abs(inMemory.retryAfterSeconds - retryAfterSeconds!)).toBeLessThan(60);
      // Where a key's cap and its account's limit refuse until the same moment, either may be named.
      const either = !inMemory.allowed && ["account", "api_key"].includes(inMemory.scope);
      if (either) expect(["account", "api_key"]).toContain(scope);
      else expect({ limit, scope }).toEqual({ limit: inMemory.limit, scope: inMemory.scope });
    };
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 50 }), async (steps) => {
        const clock = manualClock(start);
        const prefix = randomUUID();
        const { quotas: shared } = await limiter(server.url, { clock, prefix });
        const memory = new Quotas({ table, clock });
        for (const { waitMs, looksOnly, ...call } of steps) {
          if (waitMs > 0) {
            await clock.advance(waitMs);
            await age(prefix, waitMs);
          }
          if (looksOnly) same(memory.peek(call), await shared.peek(call));
          else same(memory.consume(call), await shared.consume(call));
        }
        await shared.stop();
      }),
      { numRuns: 40 },
    );
  });

  it("two gateways together accept exactly the limit, with counter names that contain no secrets", async () => {
    const prefix = randomUUID();
    const [one, other] = [await limiter(server.url, { prefix }), await limiter(server.url, { prefix })];
    const capped = keyed("professional", "k1", 3);
    const atOnce = (call: QuotaCall) =>
      Promise.all(
        Array.from({ length: 40 }, (_, index) => (index % 2 === 0 ? one : other).quotas.consume(call)),
      );
    const taken = (quotas: Quota[]) => quotas.filter(({ allowed }) => allowed).length;
    expect(taken(await atOnce(anonymous()))).toBe(5);
    expect(taken(await atOnce(decision(capped)))).toBe(3);
    // What the cap refused is counted on the account neither: the account's other key finds the rest.
    expect(taken(await atOnce(decision(keyed("professional", "k2"))))).toBe(3);
    expect(await other.quotas.peek(decision(keyed("professional", "k2")))).toMatchObject({
      allowed: false,
      remaining: 0,
      limit: 6,
      scope: "account",
    });
    const names = await admin.keys(`${prefix}:*`);
    expect(names.sort()).toEqual([
      `${prefix}:quota:address:192.0.2.1`,
      `${prefix}:quota:hour:account a`,
      `${prefix}:quota:hour:key k1`,
      `${prefix}:quota:hour:probe`,
    ]);
    expect(await admin.get(`${prefix}:quota:address:192.0.2.1`)).toBe("5");
    for (const name of names) {
      const rest = await admin.pttl(name);
      expect(rest).toBeGreaterThan(HOUR - 5 * MINUTE);
      expect(rest).toBeLessThanOrEqual(HOUR);
    }
  });

  it("gateways with different prefixes or databases count separately", async () => {
    const [one, two] = [await limiter(server.url), await limiter(server.url)];
    const three = await limiter(`${server.url}/3`, { prefix: "same" });
    const four = await limiter(`${server.url}/4`, { prefix: "same" });
    for (const { quotas } of [one, two, three, four]) {
      expect((await quotas.consume(anonymous())).remaining).toBe(4);
    }
  });

  it("continues in memory when Redis is killed, and reconnects", async () => {
    const fragile = await redisServer();
    onTestFinished(() => fragile.remove());
    await fragile.start();
    const { quotas, component, becomes, told } = await limiter(fragile.url);
    for (let call = 0; call < 5; call++) expect((await quotas.consume(anonymous())).allowed).toBe(true);
    expect((await quotas.consume(anonymous())).allowed).toBe(false);
    expect(component()).toMatchObject({ state: "ok", vital: false });

    const underWay = Array.from({ length: 20 }, () => quotas.consume(anonymous("192.0.2.2")));
    const killed = fragile.kill();
    expect((await Promise.all(underWay)).some(({ allowed }) => allowed)).toBe(true);
    await killed;
    expect(await quotas.consume(anonymous())).toMatchObject({ allowed: false, remaining: 0, scope: "ip" });
    expect((await quotas.consume(anonymous("192.0.2.3"))).remaining).toBe(4);
    await becomes("degraded");
    expect(component()!.detail).toMatch(
      /^Redis at 127\.0\.0\.1:\d+ is unavailable \(.+\): this gateway counts calls in its own memory until Redis is available\.$/,
    );
    for (let call = 0; call < 3; call++) await quotas.consume(anonymous("192.0.2.3"));

    await fragile.start();
    await becomes("ok");
    // It kept nothing on disk, but gets the calls that were counted in memory.
    expect((await quotas.consume(anonymous())).remaining).toBe(4);
    await eventually(async () => expect((await quotas.peek(anonymous("192.0.2.3"))).remaining).toBe(1));
    expect(told.map((sentence) => sentence.split(" ").slice(0, 3).join(" "))).toEqual([
      "Calls are counted",
      `Redis at 127.0.0.1:${fragile.port}`,
      "Calls are counted",
    ]);
  });

  it("does not wait for an unresponsive Redis", async () => {
    const hanging = await redisServer();
    onTestFinished(() => hanging.remove());
    await hanging.start();
    const { quotas, becomes, component } = await limiter(hanging.url);
    await quotas.consume(anonymous());
    hanging.signal("SIGSTOP");
    expect(await quotas.consume(anonymous())).toMatchObject({ allowed: true, remaining: 3 });
    expect(component()).toMatchObject({ state: "degraded" });
    expect((await quotas.peek(anonymous())).remaining).toBe(3);
    for (const remaining of [2, 1, 0]) expect((await quotas.consume(anonymous())).remaining).toBe(remaining);
    expect((await quotas.consume(anonymous())).allowed).toBe(false);
    hanging.signal("SIGCONT");
    await becomes("ok");
    await eventually(async () => expect((await quotas.peek(anonymous())).remaining).toBe(0));
  });

  it("counts in memory while Redis is read-only", async () => {
    const frozen = await redisServer();
    onTestFinished(() => frozen.remove());
    await frozen.start();
    const { quotas, becomes, component } = await limiter(frozen.url);
    await quotas.consume(anonymous());
    const operator = new Redis(frozen.url);
    onTestFinished(() => operator.disconnect());
    await operator.config("SET", "min-replicas-to-write", "1");
    expect(await quotas.consume(anonymous())).toMatchObject({ allowed: true, remaining: 3 });
    expect(component()).toMatchObject({
      state: "degraded",
      detail: expect.stringContaining("NOREPLICAS"),
    });
    await operator.config("SET", "min-replicas-to-write", "0");
    await becomes("ok");
    await eventually(async () => expect((await quotas.peek(anonymous())).remaining).toBe(3));
  });

  it("starts without Redis and with a wrong password, and logs neither password nor user", async () => {
    const guarded = await redisServer("--requirepass", "right: sesame/1%");
    onTestFinished(() => guarded.remove());
    const early = await limiter(guarded.url, { password: "right: sesame/1%" });
    expect(early.component()).toMatchObject({
      state: "degraded",
      detail: expect.stringContaining("ECONNREFUSED"),
    });
    expect((await early.quotas.consume(anonymous())).remaining).toBe(4);
    await guarded.start();
    await early.becomes("ok");

    const encoded = encodeURIComponent("right: sesame/1%");
    const byAddress = await limiter(guarded.url.replace("//", `//:${encoded}@`));
    expect(byAddress.component()).toMatchObject({ state: "ok" });

    const wrong = await limiter(guarded.url.replace("//", "//someone:open@"));
    expect(wrong.component()).toMatchObject({
      state: "degraded",
      detail: expect.stringContaining("WRONGPASS"),
    });
    expect((await wrong.quotas.consume(anonymous())).remaining).toBe(4);
    const sentences = [...early.told, ...byAddress.told, ...wrong.told, wrong.component()!.detail].join("\n");
    expect(sentences).not.toMatch(/sesame|someone|open@/);
  });

  it("refuses calls over HTTP on one gateway after the limit was used up on another", async () => {
    const prefix = randomUUID();
    const gateways = [];
    for (const address of ["one", "other"]) {
      const { quotas } = await limiter(server.url, { prefix });
      gateways.push(await serve({ ...fakeServices(), version: address, quotas }));
    }
    const [one, other] = gateways as [(typeof gateways)[0], (typeof gateways)[0]];
    for (let call = 0; call < 5; call++) expect((await one.get("/v1/forecast")).status).toBe(200);
    const refused = await other.get("/v1/forecast");
    expect(refused.status).toBe(429);
    expect(refused.headers.get("X-RateLimit-Remaining")).toBe("0");
    expect(refused.headers.get("X-RateLimit-Scope")).toBe("ip");
    expect(Number(refused.headers.get("Retry-After"))).toBeGreaterThan(3300);
    const status = await other.get("/v1/status");
    expect([status.status, status.headers.get("X-RateLimit-Remaining")]).toEqual([200, "0"]);
  });
});
