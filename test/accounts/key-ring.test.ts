import { describe, expect, it } from "vitest";
import { newKey } from "../../src/accounts/keys.js";
import { people } from "./people.js";

const owner = { email: "owner@localhost", password: "configured", key: null };

describe("a new key", () => {
  it("revokes the old key, but not keys added on the command line or of another site", async () => {
    const { keyRing, accounts, account } = await people();
    const { siteId, key: first } = await account("a@example.org");
    const { key: others } = await account("b@example.org");
    const { key: added } = await keyRing.add(siteId, { label: " Loxone " });
    const { key: second, revoked } = await keyRing.replace(siteId, "house");
    const valid = [first, others, added, second].map((key) => accounts.access(key).tokenValid);
    expect([valid, revoked]).toEqual([[false, true, true, true], 1]);
    expect(keyRing.list(siteId)).toMatchObject([
      { label: "", added: false, revokedAt: new Date("2026-01-31T12:00:00Z") },
      { label: "Loxone", added: true },
      { label: "house", added: false, prefix: second.slice(0, 14) },
    ]);
    await expect(keyRing.replace("nowhere")).rejects.toMatchObject({ code: "unknown_site" });
  });

  it("of the owner's first site stays valid after a restart, and the configured key stays revoked", async () => {
    const { keyRing, accounts, folder } = await people();
    const configured = newKey();
    await accounts.ensureOwner({ ...owner, key: configured });
    const { key } = await keyRing.replace("home");
    expect(accounts.access(configured).tokenValid).toBe(false);
    for (const inFile of [configured, null]) {
      const after = await people(folder);
      await after.accounts.ensureOwner({ ...owner, key: inFile });
      const valid = [configured, key].map((one) => after.accounts.access(one).tokenValid);
      expect(valid).toEqual([false, true]);
    }
    const another = newKey();
    const after = await people(folder);
    await after.accounts.ensureOwner({ ...owner, key: another });
    const valid = [configured, key, another].map((one) => after.accounts.access(one).tokenValid);
    expect(valid).toEqual([false, false, true]);
  });

  it("is forgotten after 20 later revocations", async () => {
    const { keyRing, account } = await people();
    const { siteId } = await account();
    for (let count = 0; count < 25; count++) await keyRing.replace(siteId);
    expect(keyRing.list(siteId).filter(({ revokedAt }) => revokedAt !== undefined)).toHaveLength(20);
  });
});

describe("revoking", () => {
  it("accepts the prefix of one active key and rejects no match and several matches", async () => {
    const { keyRing, accounts, account } = await people();
    const { siteId, key } = await account();
    const { key: added } = await keyRing.add(siteId);
    await expect(keyRing.revoke("hg_live_")).rejects.toMatchObject({ code: "ambiguous_key" });
    await expect(keyRing.revoke("")).rejects.toMatchObject({ code: "unknown_key" });
    await expect(keyRing.revoke(key.slice(0, 14), { siteId: "home" })).rejects.toMatchObject({
      code: "unknown_key",
    });
    // The whole key pasted is as good as its beginning, and is not repeated.
    expect(await keyRing.revoke(key)).toMatchObject({ prefix: key.slice(0, 14), siteId });
    const again = await keyRing.revoke(key).catch((error: Error) => error.message);
    expect(again).toBe(`No active key starts with "${key.slice(0, 14)}…".`);
    expect([key, added].map((one) => accounts.access(one).tokenValid)).toEqual([false, true]);
  });
});

it("limits the calls per hour of one key, and counts a key by its hash", async () => {
  const { keyRing, accounts, account, folder } = await people();
  const { siteId, key } = await account();
  const id = keyRing.list(siteId)[0]!.id;
  await keyRing.setHourlyLimit(id, 30);
  expect(accounts.access(key)).toMatchObject({
    hourlyLimit: 30,
    keyId: expect.stringMatching(/^[0-9a-f]{32}$/),
  });
  expect((await people(folder)).accounts.access(key).keyId).toBe(accounts.access(key).keyId);
  for (const limit of [0, -1, 1.5, Number.NaN]) {
    await expect(keyRing.setHourlyLimit(id, limit)).rejects.toMatchObject({ code: "invalid_limit" });
  }
  await keyRing.setHourlyLimit(id, undefined);
  expect(accounts.access(key).hourlyLimit).toBeUndefined();
});
