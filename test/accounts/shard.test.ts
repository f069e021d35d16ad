import { expect, it } from "vitest";
import { newKey } from "../../src/accounts/keys.js";
import { newToken } from "../../src/accounts/secret-token.js";
import { shardOf } from "../../src/accounts/shard.js";

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
