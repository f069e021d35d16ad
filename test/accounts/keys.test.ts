import { expect, it } from "vitest";
import { hashKey, isKey, keyPrefix, newKey } from "../../src/accounts/keys.js";

it("creates unique keys of the documented form", () => {
  const keys = new Set(Array.from({ length: 100 }, () => newKey()));
  expect(keys.size).toBe(100);
  for (const key of keys) expect(key).toMatch(/^hg_live_[A-Za-z0-9_-]{43}$/);
});

it("uses all 32 random bytes", () => {
  expect(newKey(undefined, (size) => Buffer.alloc(size, 0xff))).toBe(`hg_live_${"_".repeat(42)}8`);
});

it("hashes with SHA-256 (FIPS 180-2, example of one block)", () => {
  expect(hashKey("abc")).toBe("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
});

it("distinguishes keys from other texts", () => {
  const key = newKey();
  expect(isKey(key)).toBe(true);
  expect(keyPrefix(key)).toBe(key.slice(0, 14));
  for (const text of ["", key.slice(1), `${key}x`, `${key}\n`, ` ${key}`, [key], null, "x".repeat(1e6)]) {
    expect(isKey(text)).toBe(false);
  }
});
