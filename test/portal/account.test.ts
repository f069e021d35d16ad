import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { Secret, TOTP } from "otpauth";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { browserName } from "../../src/portal/pages/account.js";
import { type OpenPortal, openPortal, PASSWORD } from "./harness.js";

let portal: OpenPortal;

beforeAll(async () => {
  portal = await openPortal();
});
afterAll(() => portal.close());

const PATH = "/settings/account";

describe("a lost password", () => {
  it("is replaced by the mailed link, which works once, and all sessions end", async () => {
    await portal.addAccount("lost@example.org");
    const session = await portal.signedIn("lost@example.org");
    const browser = portal.browser();
    await browser.get("/recover");
    const known = await browser.post("/recover", { email: "Lost@example.org" });
    const unknown = await browser.post("/recover", { email: "nobody@example.org" });
    expect([known.status, known.location]).toEqual([303, "/recover?sent=1"]);
    expect([unknown.status, unknown.location]).toEqual([303, "/recover?sent=1"]);
    expect(portal.mails.map(({ to }) => to)).toEqual(["lost@example.org"]);
    const link = /https:\/\/gate\.example(\/reset\?token=[\w-]{43})/.exec(portal.mails[0]!.text)![1]!;
    const token = link.slice(-43);
    expect(await readFile(join(portal.dataDir, "state.json"), "utf8")).not.toContain(token);
    expect((await browser.get(link)).status).toBe(200);
    expect((await session.get("/dashboard")).status).toBe(200);

    const done = await browser.post("/reset", { token, password: "a password of the link" });
    expect([done.status, done.location]).toEqual([303, "/login?reset=1"]);
    expect((await session.get("/dashboard")).status).toBe(303);
    expect(await portal.accounts.signIn("lost@example.org", PASSWORD)).toBeUndefined();
    expect(await portal.accounts.signIn("lost@example.org", "a password of the link")).toBeDefined();
    expect((await browser.get(link)).status).toBe(404);
    expect((await browser.post("/reset", { token, password: "a third password" })).status).toBe(404);
  });

  it("keeps a link for one hour", async () => {
    await portal.security.requestRecovery("lost@example.org");
    const token = /token=([\w-]{43})/.exec(portal.mails.at(-1)!.text)![1]!;
    await portal.clock.advance(3_600_000 - 1);
    expect(portal.security.isRecovery(token)).toBe(true);
    await portal.clock.advance(1);
    expect(portal.security.isRecovery(token)).toBe(false);
  });
});

it("calls browsers by their names", () => {
  const on = (browser: string, system: string) => `${browser} on ${system}`;
  const chrome =
    "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/128.0.0.0 Safari/537.36";
  const safari =
    "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1";
  expect(
    [chrome, `${chrome} Edg/128.0.0.0`, safari, "curl/8.5.0", undefined].map((agent) =>
      browserName(agent, on),
    ),
  ).toEqual(["Chrome on Linux", "Edge on Linux", "Safari on iPhone", "curl/8.5.0", undefined]);
});

describe("the list of sessions", () => {
  it("shows browsers and ends one of them, or all others", async () => {
    await portal.addAccount("two@example.org");
    const first = await portal.signedIn("two@example.org", { "user-agent": "Phone" });
    const second = await portal.signedIn("two@example.org", { "user-agent": "Laptop" });
    const third = await portal.signedIn("two@example.org");
    const { text } = await second.get(PATH);
    expect(text).toContain("Phone");
    expect(text).toContain("127.0.0.1");
    const row = /<tr><td[^>]*>Phone<.*?<\/tr>/s.exec(text)![0];
    const id = /name="id" value="([0-9a-f]{16})"/.exec(row)![1]!;
    // Another account's session cannot be ended with its id.
    await portal.addAccount("other@example.org");
    const other = await portal.signedIn("other@example.org");
    await other.get(PATH);
    await other.post(`${PATH}/sessions/end`, { id });
    expect((await first.get("/dashboard")).status).toBe(200);
    await second.post(`${PATH}/sessions/end`, { id });
    expect((await first.get("/dashboard")).status).toBe(303);
    expect((await third.get("/dashboard")).status).toBe(200);
    await second.get(PATH);
    await second.post(`${PATH}/sessions/end`);
    expect((await third.get("/dashboard")).status).toBe(303);
    expect((await second.get("/dashboard")).status).toBe(200);
  });
});

describe("the second factor", () => {
  it("is required once a code has confirmed it; each code works once", async () => {
    await portal.addAccount("totp@example.org");
    const browser = await portal.signedIn("totp@example.org");
    const old = await portal.signedIn("totp@example.org");
    await browser.get(PATH);
    const start = await browser.post(`${PATH}/totp/start`);
    const secret = /<code class="secret">([A-Z2-7]{32})</.exec(start.text)![1]!;
    // RFC 6238 with SHA-1, six digits, 30 s: the parameters of all authenticator apps.
    const code = () =>
      new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: portal.clock.now().getTime() });
    const wrong = await browser.post(`${PATH}/totp/enable`, {
      secret,
      code: code() === "000000" ? "000001" : "000000",
      current_password: PASSWORD,
    });
    expect(wrong.status).toBe(422);
    expect(portal.security.hasTotp("account-totp@example.org")).toBe(false);
    const fields = { secret, code: code(), current_password: PASSWORD };
    expect((await browser.post(`${PATH}/totp/enable`, fields)).status).toBe(303);
    expect((await browser.get("/dashboard")).status).toBe(200);
    expect((await old.get("/dashboard")).status).toBe(303);

    const again = portal.browser();
    await again.get("/login");
    const asked = await again.post("/login", { email: "totp@example.org", password: PASSWORD });
    expect([asked.status, asked.location]).toEqual([200, null]);
    expect((await again.get("/dashboard")).status).toBe(303);
    const ticket = /name="ticket" value="([\w-]+)"/.exec(asked.text)![1]!;
    // The code that enabled it is used up.
    expect((await again.post("/login/code", { ticket, code: code() })).status).toBe(422);
    await portal.clock.advance(60_000);
    expect((await again.post("/login/code", { ticket, code: code() })).status).toBe(303);
    expect((await again.get("/dashboard")).status).toBe(200);
    expect((await again.post("/login/code", { ticket, code: code() })).location).toBe("/login");
  });
});

describe("an account", () => {
  it("is deleted with its sites, keys, links, settings and sessions", async () => {
    const id = await portal.addAccount("gone@example.org");
    const browser = await portal.signedIn("gone@example.org");
    const site = portal.sites.of(id)[0]!.id;
    await portal.keys.replace(site);
    await browser.get(PATH);
    expect((await browser.post(`${PATH}/delete`, { current_password: "wrong" })).status).toBe(422);
    expect((await browser.post(`${PATH}/delete`, { current_password: PASSWORD })).location).toBe("/login");
    expect((await browser.get("/dashboard")).status).toBe(303);
    const { accounts, keys, links, webhooks, sites, settings } = portal.state.data;
    expect(JSON.stringify({ accounts, keys, links, webhooks, sites, settings })).not.toContain(site);
    expect(accounts.map((one) => one.id)).not.toContain(id);
  });

  it("of an administrator cannot be deleted", async () => {
    const id = await portal.addAccount("owner@example.org", { administrator: true });
    await expect(portal.book.remove(id)).rejects.toMatchObject({ code: "not_deletable" });
  });
});

describe("the audit log", () => {
  it("records sign-ins, failures and changes without secrets; tenants see their own entries", async () => {
    await portal.addAccount("eva@example.org");
    const eva = await portal.signedIn("eva@example.org");
    const failed = portal.browser();
    await failed.get("/login");
    await failed.post("/login", { email: "eva@example.org", password: "a wrong password" });
    await eva.get("/settings/keys");
    await eva.post("/settings/keys", { label: "new" });
    await eva.get("/settings/webhook");
    await eva.post("/settings/webhook", { url: "https://hooks.example.org/x?token=hidden" });
    await eva.get("/settings/plan");
    await eva.post("/settings/plan/trial");

    const entries = await portal.audit.latest(50, ({ account }) => account === "eva@example.org");
    expect(entries.reverse().map(({ event, from }) => `${event} ${from}`)).toEqual([
      "sign_in.succeeded 127.0.0.1",
      "sign_in.failed 127.0.0.1",
      "key.replaced 127.0.0.1",
      "webhook.changed 127.0.0.1",
      "plan.changed 127.0.0.1",
    ]);
    const path = join(portal.dataDir, "audit.jsonl");
    const file = await readFile(path, "utf8");
    for (const secret of [PASSWORD, "a wrong password", "hidden", "hg_live_"])
      expect(file).not.toContain(secret);
    expect((await stat(path)).mode & 0o777).toBe(0o600);

    const shown = (await eva.get("/settings/audit")).text;
    expect(shown).toContain("API key replaced");
    expect(shown).not.toContain("gone@example.org");
    const owner = await portal.signedIn("owner@example.org");
    expect((await owner.get("/settings/audit")).text).toContain("gone@example.org");
  });
});
