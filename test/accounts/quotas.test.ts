import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Access, basicAccess, tierOf } from "../../src/accounts/access.js";
import { quotaAddress } from "../../src/accounts/quota-address.js";
import type { QuotaClass } from "../../src/accounts/quota-class.js";
import type { Quota } from "../../src/accounts/quota-rules.js";
import { Quotas } from "../../src/accounts/quotas.js";
import type { Plan } from "../../src/core/domain/tier.js";
import { FixedWindows } from "../../src/core/work/fixed-windows.js";
import { type ManualClock, manualClock } from "../support/manual-clock.js";

const start = new Date("2026-01-15T12:00:00.500Z");
const HOUR = 3_600_000;
const full = (decision: number) => ({ decision, telemetry: 10_000, pv: 288, weather: 288 });
/** The defaults of the interface. */
const table = {
  basic: { decision: 60 },
  community: { decision: 120, telemetry: 2000, pv: 48, weather: 48 },
  trial: full(600),
  professional: full(600),
  oem: full(3000),
};

function limiter(limits = table): { quotas: Quotas; clock: ManualClock } {
  const clock = manualClock(start);
  return { quotas: new Quotas({ table: limits, clock }), clock };
}

function keyed(plan: Exclude<Plan, "basic">, keyId = "k", accountId = "a", hourlyLimit?: number): Access {
  const ids = { keyId, accountId, ...(hourlyLimit === undefined ? {} : { hourlyLimit }) };
  return { ...tierOf(plan), plan, tokenPresent: true, tokenValid: true, administrator: false, ...ids };
}

/** Calls until one is refused; how many were taken, and the refusal. */
function exhaust(
  quotas: Quotas,
  access: Access,
  quotaClass: QuotaClass,
  address = "192.0.2.1",
): [number, Quota] {
  for (let taken = 0; ; taken++) {
    const quota = quotas.consume({ access, address, quotaClass });
    if (!quota.allowed) return [taken, quota];
  }
}

describe("Quotas", () => {
  it.each([
    ["community", "decision", 120, "api_key_day", 24],
    ["community", "pv", 48, "api_key_day", 24],
    ["community", "weather", 48, "api_key_day", 24],
    ["trial", "decision", 600, "account", 1],
    ["trial", "weather", 288, "api_key_day", 24],
    ["professional", "decision", 600, "account", 1],
    ["professional", "pv", 288, "api_key_day", 24],
    ["oem", "decision", 3000, "account", 1],
  ] as const)("accepts for %s %s %d calls, scope %s, in %d h", (plan, quotaClass, limit, scope, hours) => {
    const { quotas } = limiter();
    const [taken, refusal] = exhaust(quotas, keyed(plan), quotaClass);
    expect(taken).toBe(limit);
    expect(refusal).toEqual({
      allowed: false,
      limit,
      remaining: 0,
      scope,
      resetAt: new Date(start.getTime() + hours * HOUR),
      retryAfterSeconds: hours * 3600,
      softcapExceeded: false,
    });
  });

  it("counts calls without a key of every class against 60 per hour and address", () => {
    const { quotas } = limiter();
    const classes: QuotaClass[] = ["decision", "telemetry", "pv", "weather"];
    const call = (index: number, address: string) =>
      quotas.consume({ access: basicAccess(index % 2 === 0), address, quotaClass: classes[index % 4]! });
    for (let index = 0; index < 60; index++) {
      expect(call(index, "192.0.2.1")).toMatchObject({
        allowed: true,
        remaining: 59 - index,
        scope: "ip",
        limit: 60,
      });
    }
    expect(call(60, "192.0.2.1")).toMatchObject({ allowed: false, scope: "ip", retryAfterSeconds: 3600 });
    expect(call(61, "::ffff:192.0.2.1").allowed).toBe(false);
    expect(call(62, "192.0.2.2").allowed).toBe(true);
  });

  it("starts a window with the first counted call and a new one after its end", async () => {
    const { quotas, clock } = limiter();
    const call = { access: keyed("professional"), address: undefined, quotaClass: "decision" } as const;
    await clock.advance(10 * 60_000);
    expect(quotas.peek(call).remaining).toBe(600);
    await clock.advance(10 * 60_000);
    const first = quotas.consume(call);
    expect(first.resetAt).toEqual(new Date(start.getTime() + 20 * 60_000 + HOUR));
    await clock.advance(HOUR - 1);
    expect(quotas.consume(call)).toMatchObject({ remaining: 598, resetAt: first.resetAt });
    await clock.advance(1);
    expect(quotas.consume(call).remaining).toBe(599);
  });

  it("does not count a refused call: after the reset the full limit is available", async () => {
    const { quotas, clock } = limiter();
    const [, refusal] = exhaust(quotas, keyed("community"), "pv");
    for (let more = 0; more < 100; more++) exhaust(quotas, keyed("community"), "pv");
    await clock.advance(refusal.retryAfterSeconds! * 1000);
    expect(exhaust(quotas, keyed("community"), "pv")[0]).toBe(48);
  });

  it("counts keys, classes and accounts separately by scope", () => {
    const { quotas } = limiter();
    const peek = (access: Access, quotaClass: QuotaClass) =>
      quotas.peek({ access, address: undefined, quotaClass }).remaining;
    exhaust(quotas, keyed("community", "k1", "a1"), "decision");
    expect(peek(keyed("community", "k2", "a1"), "decision")).toBe(120);
    expect(peek(keyed("community", "k1", "a1"), "pv")).toBe(48);
    exhaust(quotas, keyed("oem", "k3", "a3"), "decision");
    expect(peek(keyed("oem", "k4", "a3"), "decision")).toBe(0);
    expect(peek(keyed("oem", "k5", "a4"), "decision")).toBe(3000);
  });

  it("flags telemetry above its softcap and refuses it only above twice the softcap", () => {
    const { quotas } = limiter();
    const call = { access: keyed("community"), address: undefined, quotaClass: "telemetry" } as const;
    const answers = Array.from({ length: 4000 }, () => quotas.consume(call));
    expect(answers.filter((answer) => !answer.allowed || answer.limit !== 2000)).toEqual([]);
    expect(answers.map(({ remaining }) => remaining)).toEqual(
      answers.map((_, index) => Math.max(0, 1999 - index)),
    );
    expect(answers.map(({ softcapExceeded }) => softcapExceeded)).toEqual(
      answers.map((_, index) => index >= 2000),
    );
    expect(quotas.consume(call)).toMatchObject({
      allowed: false,
      remaining: 0,
      limit: 2000,
      scope: "api_key_day",
    });
  });

  it("neither counts nor refuses class status, and shows the decision limit for it", () => {
    const { quotas } = limiter();
    const access = keyed("community");
    const status = () => quotas.consume({ access, address: undefined, quotaClass: "status" });
    for (let index = 0; index < 500; index++)
      expect(status()).toMatchObject({ allowed: true, remaining: 120 });
    exhaust(quotas, access, "decision");
    expect(status()).toMatchObject({ allowed: true, remaining: 0, limit: 120, scope: "api_key_day" });
  });

  it("applies a key's own hourly limit if it is the lower one", () => {
    const { quotas } = limiter();
    const capped = keyed("professional", "k1", "a", 10);
    const [taken, refusal] = exhaust(quotas, capped, "decision");
    expect([taken, refusal.scope, refusal.limit]).toEqual([10, "api_key", 10]);
    const [rest, accountRefusal] = exhaust(quotas, keyed("professional", "k2", "a"), "decision");
    expect([rest, accountRefusal.scope]).toEqual([590, "account"]);
    const wide = keyed("professional", "k3", "b", 5000);
    expect(exhaust(quotas, wide, "decision")[1]).toMatchObject({ scope: "account", limit: 600 });
  });

  it("refuses everything of a class whose limit is 0", () => {
    const { quotas } = limiter({ ...table, community: { ...table.community, pv: 0, telemetry: 0 } });
    for (const quotaClass of ["pv", "telemetry"] as const) {
      expect(exhaust(quotas, keyed("community"), quotaClass)).toMatchObject([
        0,
        { limit: 0, retryAfterSeconds: 86400 },
      ]);
    }
  });

  it("accepts at most the limit in any window for any calls and waits, and peek predicts consume", async () => {
    const limits = { ...table, professional: { ...full(5), telemetry: 3, pv: 4 }, basic: { decision: 4 } };
    const step = fc.record({
      quotaClass: fc.constantFrom<QuotaClass>("decision", "telemetry", "pv", "status"),
      valid: fc.boolean(),
      waitMs: fc.constantFrom(0, 0, 1, 60_000, HOUR - 1, HOUR, 24 * HOUR),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
        const { quotas, clock } = limiter(limits);
        const taken = new Map<string, number>();
        for (const { quotaClass, valid, waitMs } of steps) {
          if (waitMs > 0) await clock.advance(waitMs);
          const access = valid ? keyed("professional") : basicAccess(true);
          const call = { access, address: "192.0.2.1", quotaClass };
          const foretold = quotas.peek(call);
          const quota = quotas.consume(call);
          expect(quota.allowed).toBe(foretold.allowed);
          expect(quota.remaining).toBe(Math.max(0, foretold.remaining - (quotaClass === "status" ? 0 : 1)));
          expect(quota.resetAt > clock.now()).toBe(true);
          expect(quota.retryAfterSeconds === undefined).toBe(quota.allowed);
          if (quotaClass === "status" || !quota.allowed) continue;
          const window = `${valid ? quotaClass : "ip"} ${quota.resetAt.getTime()}`;
          taken.set(window, (taken.get(window) ?? 0) + 1);
          expect(taken.get(window)).toBeLessThanOrEqual(
            quotaClass === "telemetry" && valid ? 6 : quota.limit,
          );
        }
      }),
      { numRuns: 60 },
    );
  });

  it("stores a bounded number of counters for any number of addresses", () => {
    const { quotas } = limiter();
    const access = basicAccess(false);
    let taken = 0;
    for (let index = 0; index < 120_000; index++) {
      const address = `10.${index >> 16}.${(index >> 8) & 255}.${index & 255}`;
      if (quotas.consume({ access, address, quotaClass: "pv" }).allowed) taken++;
    }
    expect(taken).toBe(120_000);
    expect(quotas.size).toBeGreaterThan(40_000);
    expect(quotas.size).toBeLessThanOrEqual(50_000);
  });
});

describe("FixedWindows", () => {
  it("drops ended windows", () => {
    const windows = new FixedWindows(1000, 100);
    for (let name = 0; name < 50; name++) windows.add(String(name), name);
    windows.add("later", 1049);
    expect(windows.size).toBe(1);
  });

  it("drops the oldest window when it is full", () => {
    const windows = new FixedWindows(1000, 2);
    windows.add("a", 0);
    windows.add("b", 1);
    windows.add("c", 2);
    expect([windows.peek("a", 2).used, windows.peek("b", 2).used, windows.peek("c", 2).used]).toEqual([
      0, 1, 1,
    ]);
  });

  it("resets windows when the clock was set back", () => {
    const windows = new FixedWindows(1000, 2);
    windows.add("a", 1_000_000);
    expect(windows.peek("a", 500)).toEqual({ used: 0, resetMs: 1500 });
    expect(windows.add("a", 500)).toEqual({ used: 1, resetMs: 1500 });
  });
});

it.each([
  ["192.0.2.1", "192.0.2.1"],
  ["::ffff:192.0.2.1", "192.0.2.1"],
  ["::ffff:c000:201", "192.0.2.1"],
  ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
  ["2001:0DB8:1:2::9", "2001:db8:1:2::/64"],
  ["2001:db8::1", "2001:db8:0:0::/64"],
  ["fe80::1%eth0", "fe80:0:0:0::/64"],
  ["::1", "0:0:0:0::/64"],
  ["64:ff9b::192.0.2.1", "64:ff9b:0:0::/64"],
  ["forged", "unknown"],
  ["", "unknown"],
  [undefined, "unknown"],
])("counts the address %s as %s", (address, name) => {
  expect(quotaAddress(address)).toBe(name);
});
