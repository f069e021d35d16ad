import { expect, it } from "vitest";
import { addAccount, takeAccount } from "../../src/accounts/account-parcel.js";
import { newKey } from "../../src/accounts/keys.js";
import { newToken } from "../../src/accounts/secret-token.js";
import { guestTokens, shardOf } from "../../src/accounts/shard.js";
import type { State } from "../../src/store/state-schema.js";

it("takes the first 32 bits of SHA-256 modulo the number of shards", () => {
  // FIPS 180-2: SHA-256("abc") begins with ba7816bf.
  expect(shardOf("abc", 1)).toBe(0);
  expect(shardOf("abc", 8)).toBe(0xba7816bf % 8);
  expect(shardOf("abc", 1000)).toBe(0xba7816bf % 1000);
});

it("makes keys and tokens of every shard", () => {
  for (let number = 0; number < 5; number++) {
    const shard = { number, of: 5 };
    expect(shardOf(newKey(shard), 5)).toBe(number);
    const { token } = newToken(24, shard);
    expect(shardOf(token, 5)).toBe(number);
    expect(token).toMatch(/^[A-Za-z0-9_][A-Za-z0-9_-]{31}$/);
  }
});

it("spreads keys evenly", () => {
  const counts = Array.from({ length: 4 }, () => 0);
  for (let index = 0; index < 4000; index++) counts[shardOf(newKey(), 4)]!++;
  // Binomial with a standard deviation of 27: eight of them.
  for (const count of counts) expect(Math.abs(count - 1000)).toBeLessThan(220);
});

/** The state of shard `number` of two, with an account that has a home, a valid and a revoked key, and one that stays. */
function stateOf(number: number, names: readonly string[]): State {
  const createdAt = "2026-01-01T00:00:00Z";
  const of = <One>(make: (name: string) => One) => names.map(make);
  const key = (siteId: string, digit: string, revokedAt: string | null) => {
    // Even: shard 0.
    const hash = `0000000${digit}`.padEnd(64, "0");
    return { id: digit, hash, prefix: "hg", label: "", siteId, accountId: siteId, createdAt, revokedAt };
  };
  return {
    version: 1,
    installationId: String(number),
    shard: { number, of: 2 },
    accounts: of((id) => ({
      id,
      email: `${id}@example.org`,
      passwordHash: `${id}'s`,
      plan: "community",
      administrator: false,
      createdAt,
    })),
    registrations: [],
    recoveries: of((accountId) => ({ accountId, tokenHash: "b".repeat(64), expiresAt: createdAt })),
    sites: of((id) => ({ id, accountId: id, createdAt })),
    keys: names.flatMap((id) => [key(id, "2", null), key(id, "4", createdAt)]),
    links: of((siteId) => ({ ...key(siteId, "6", null), scope: "read" as const })).map(
      ({ accountId: _, ...link }) => link,
    ),
    webhooks: of((siteId) => ({ siteId, url: "https://example.org", secret: "s", createdAt })),
    settings: Object.fromEntries(of((id) => [id, { plant: { name: id }, telemetry: null }])),
  };
}

it("moves an account with everything that is its own, and back as it was", () => {
  const [first, second] = [stateOf(0, ["goes", "stays"]), stateOf(1, ["other"])];
  const [valid, revoked, link] = ["2", "4", "6"].map((digit) => `0000000${digit}`.padEnd(64, "0"));
  addAccount(second, structuredClone(takeAccount(first, "goes", 1)!));
  expect({ ...first, departed: [], mqttApprovals: [] }).toEqual({
    ...stateOf(0, ["stays"]),
    departed: [],
    mqttApprovals: [],
  });
  expect(first.departed).toMatchObject([{ shard: 1, siteIds: ["goes"], tokenHashes: [valid, link] }]);
  expect(second.sites).toMatchObject([{ id: "other" }, { id: "goes", topicShard: 0 }]);
  expect(second.keys.map(({ siteId, hash }) => [siteId, hash])).toContainEqual(["goes", revoked]);
  expect(guestTokens({ ...second, keys: second.keys.slice(2), links: second.links.slice(1) })).toEqual([
    valid,
    link,
  ]);
  expect(takeAccount(first, "goes", 1)).toBeUndefined();

  addAccount(first, structuredClone(takeAccount(second, "goes", 0)!));
  expect(first.departed).toEqual([]);
  const sorted = ({ departed: _, mqttApprovals: __, ...state }: State) =>
    Object.fromEntries(
      Object.entries(state).map(([name, value]) => [
        name,
        Array.isArray(value) ? value.map((one) => JSON.stringify(one)).sort() : value,
      ]),
    );
  expect(sorted(first)).toEqual(sorted(stateOf(0, ["goes", "stays"])));
});
