import { cp, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { Accounts } from "../../src/accounts/accounts.js";
import { hashKey, newKey } from "../../src/accounts/keys.js";
import type { PlantSettings } from "../../src/config/settings.js";
import type { Sites } from "../../src/config/site.js";
import { openStore, type Store } from "../../src/store/store.js";
import { recordingLog, temporaryFolder } from "../store/support/folder.js";
import { manualClock } from "../support/manual-clock.js";

const nothing = { email: "owner@localhost", password: null, key: null };
// Accounts reads nothing of a plant but its id.
const plants = (...ids: string[]): Sites => {
  const list = ids.map((id) => ({ id, accountId: "owner", plant: { id } as unknown as PlantSettings }));
  return { list: () => list, get: (wanted) => list.find(({ id }) => id === wanted) };
};

async function open(folder: string, sites = plants("home", "cabin")) {
  const store = await openStore(folder, recordingLog());
  onTestFinished(() => store.close());
  const log = recordingLog();
  const clock = manualClock(new Date("2026-01-15T12:00:00Z"));
  return { store, log, clock, accounts: new Accounts({ state: store.state, clock, sites, log }) };
}

/** One owner, made once: each slow hash costs a good part of a second. */
let prepared: { folder: string; key: string; password: string };

beforeAll(async () => {
  const folder = await mkdtemp(join(tmpdir(), "hourgate-test-"));
  const store = await openStore(folder, recordingLog());
  const clock = manualClock(new Date("2026-01-15T11:00:00Z"));
  const accounts = new Accounts({ state: store.state, clock, sites: plants("home"), log: recordingLog() });
  const { key, password } = await accounts.ensureOwner(nothing);
  await store.close();
  prepared = { folder, key: key!, password: password! };
  return () => rm(folder, { recursive: true, force: true });
});

/** A gateway at its second start, with its folder and the owner's generated key. */
async function openOwned() {
  const folder = await temporaryFolder();
  await cp(prepared.folder, folder, { recursive: true });
  return { folder, key: prepared.key, password: prepared.password, ...(await open(folder)) };
}

/** A second account with a key for `siteId`, as the command line will make them. */
async function addAccount(store: Store, siteId: string, plan: "community" | "oem", extra = {}) {
  const key = newKey();
  const createdAt = "2026-01-01T00:00:00Z";
  await store.state.update((draft) => {
    const account = {
      id: "second",
      email: "b@example.org",
      passwordHash: "x",
      administrator: false,
      createdAt,
    };
    draft.accounts.push({ ...account, plan, ...extra });
    const ids = { id: "key2", siteId, accountId: "second" };
    draft.keys.push({
      ...ids,
      hash: hashKey(key),
      prefix: key.slice(0, 14),
      label: "",
      createdAt,
      revokedAt: null,
    });
  });
  return key;
}

describe("ensureOwner", () => {
  it("creates the owner at the first start and returns the generated secrets once", async () => {
    const folder = await temporaryFolder();
    const { accounts, store } = await open(folder);
    const { created, key, password } = await accounts.ensureOwner(nothing);
    expect(created).toBe(true);
    expect(key).toMatch(/^hg_live_[\w-]{43}$/);
    expect(await accounts.ensureOwner(nothing)).toEqual({ created: false });
    expect(await accounts.signIn(" Owner@Localhost ", password!)).toEqual({
      accountId: "owner",
      administrator: true,
    });
    expect(await accounts.signIn("owner@localhost", `${password}x`)).toBeUndefined();
    expect(await accounts.signIn("nobody@localhost", password!)).toBeUndefined();
    await store.close();
    const onDisk = await readFile(join(folder, "state.json"), "utf8");
    expect(onDisk).not.toContain(key);
    expect(onDisk).not.toContain(password);
    const again = (await open(folder)).accounts;
    expect(await again.ensureOwner(nothing)).toEqual({ created: false });
    expect(again.access(key)).toMatchObject({ tokenValid: true, plan: "professional" });
  });

  it("uses the configured key and password and returns neither", async () => {
    const { accounts } = await open(await temporaryFolder());
    const key = newKey();
    expect(await accounts.ensureOwner({ ...nothing, key, password: "secret" })).toEqual({ created: true });
    expect(accounts.access(key).tokenValid).toBe(true);
    expect(await accounts.signIn("owner@localhost", "secret")).toBeDefined();
  });

  it("replaces the owner's own key, and no other, by a key configured later", async () => {
    const { accounts, store, key: generated } = await openOwned();
    const other = await addAccount(store, "cabin", "oem");
    const [a, b] = [newKey(), newKey()];
    const valid = () => [generated, a, b, other].map((key) => accounts.access(key).tokenValid);
    await accounts.ensureOwner({ ...nothing, key: a });
    expect(valid()).toEqual([false, true, false, true]);
    await accounts.ensureOwner({ ...nothing, key: b });
    expect(valid()).toEqual([false, false, true, true]);
    await accounts.ensureOwner(nothing);
    expect(valid()).toEqual([false, false, true, true]);
    await accounts.ensureOwner({ ...nothing, key: a });
    expect(valid()).toEqual([false, true, false, true]);
  });

  it("does not reactivate a configured key that was revoked, and logs a warning", async () => {
    const { accounts, store, log } = await openOwned();
    const key = newKey();
    await accounts.ensureOwner({ ...nothing, key });
    await store.state.update((draft) => {
      draft.keys.at(-1)!.revokedAt = "2026-01-15T12:00:00Z";
    });
    await accounts.ensureOwner({ ...nothing, key });
    expect(accounts.access(key).tokenValid).toBe(false);
    expect(log.warnings[0]).toContain("The configured owner.key was revoked");
  });

  it("replaces the password by one configured later", async () => {
    const { accounts, password } = await openOwned();
    await accounts.ensureOwner({ ...nothing, password: "new one" });
    expect(await accounts.signIn("owner@localhost", password)).toBeUndefined();
    expect(await accounts.signIn("owner@localhost", "new one")).toBeDefined();
  });

  it("computes no slow hash once the owner exists", async () => {
    const { accounts } = await openOwned();
    const owner = { ...nothing, key: newKey(), password: "secret" };
    await accounts.ensureOwner(owner);
    const cpu = process.cpuUsage();
    for (let start = 0; start < 5; start++) await accounts.ensureOwner(owner);
    // Five slow hashes are more than 300 ms of processor time on any machine.
    expect(process.cpuUsage(cpu).user).toBeLessThan(100_000);
  });
});

describe("access", () => {
  it("is basic without a key and with an invalid key", async () => {
    const { accounts } = await openOwned();
    expect(accounts.access(undefined)).toMatchObject({
      tier: "basic",
      tokenPresent: false,
      tokenValid: false,
    });
    const odd = [
      "",
      "x",
      newKey(),
      "x".repeat(1e6),
      "__proto__",
      [newKey()] as unknown as string,
      7 as unknown as string,
    ];
    for (const key of odd) {
      const access = accounts.access(key);
      expect(access).toMatchObject({ tier: "basic", plan: "basic", tokenPresent: true, tokenValid: false });
      expect(access.site).toBeUndefined();
    }
  });

  it("grants the owner the first site, as administrator", async () => {
    const { accounts, key } = await openOwned();
    expect(accounts.access(key)).toMatchObject({
      tier: "full_active",
      label: "Full version (Professional)",
      site: { id: "home", accountId: "owner" },
      accountId: "owner",
      administrator: true,
      tokenPresent: true,
      tokenValid: true,
    });
    expect(accounts.sites().map(({ id }) => id)).toEqual(["home", "cabin"]);
    expect(accounts.site("cabin")?.plant.id).toBe("cabin");
    expect(accounts.site("nowhere")).toBeUndefined();
  });

  it("keeps only the administrator's key valid when its plant was renamed", async () => {
    const { folder, accounts, store, key } = await openOwned();
    const other = await addAccount(store, "cabin", "oem");
    expect(accounts.access(other)).toMatchObject({
      site: { id: "cabin" },
      administrator: false,
      plan: "oem",
    });
    await store.close();
    const renamed = (await open(folder, plants("house"))).accounts;
    expect(renamed.access(key).site?.id).toBe("house");
    expect(renamed.access(other)).toMatchObject({ tier: "basic", tokenValid: false });
  });

  it("ends a trial on time, and keeps it when the clock is set back before its start", async () => {
    const { accounts, store, clock } = await openOwned();
    const trial = { startedAt: "2026-01-15T12:00:00.001Z", endsAt: "2026-01-29T12:00:00Z" };
    const key = await addAccount(store, "home", "community", { trial });
    expect(accounts.access(key).tier).toBe("full_trial");
    await clock.set(new Date("2026-01-29T11:59:59.999Z"));
    expect(accounts.access(key)).toMatchObject({ tier: "full_trial", label: "Full version (trial)" });
    await clock.set(new Date("2026-01-29T12:00:00Z"));
    expect(accounts.access(key).tier).toBe("community");
  });

  it("ends a cancelled plan with its paid period", async () => {
    const { accounts, store, clock } = await openOwned();
    const key = await addAccount(store, "home", "oem", { paidUntil: "2026-02-01T00:00:00Z" });
    expect(accounts.access(key).tier).toBe("full_active");
    await clock.set(new Date("2026-02-01T00:00:00Z"));
    expect(accounts.access(key).tier).toBe("community");
  });
});
