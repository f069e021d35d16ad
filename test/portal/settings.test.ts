import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Browser } from "./form-browser.js";
import { type OpenPortal, openPortal, PASSWORD } from "./harness.js";

/** Closes an attribute, a text and an element, and would run if it were taken as markup. */
const XSS = `"'><script>x()</script>&<!--`;
const ESCAPED = "&lt;script>x()&lt;/script>";

let portal: OpenPortal;
let anna: Browser;
let annasSite: string;

beforeAll(async () => {
  portal = await openPortal();
  await portal.addAccount("anna@example.org");
  await portal.addAccount("admin@example.org", { administrator: true });
  anna = await portal.signedIn("anna@example.org");
  annasSite = portal.sites.of("account-anna@example.org")[0]!.id;
});
afterAll(() => portal.close());

const shownKey = (text: string) => /hg_live_[\w-]{43}/.exec(text)?.[0];

describe("/settings/keys", () => {
  const path = "/settings/keys";

  it("makes a key that is shown once and voids the one before, but none of the command line", async () => {
    const added = await portal.keys.add(annasSite, { label: "script" });
    await anna.get(path);
    expect((await anna.post(path, { label: "first" })).location).toBe(path);
    const first = shownKey((await anna.get(path)).text)!;
    expect(shownKey((await anna.get(path)).text)).toBeUndefined();
    await anna.post(path, { label: "second" });
    const second = shownKey((await anna.get(path)).text)!;
    const isValid = (key: string) => portal.accounts.access(key).tokenValid;
    expect([added.key, first, second].map(isValid)).toEqual([true, false, true]);
    const { text } = await anna.get(path);
    expect(text).toContain(`<code>${second.slice(0, 14)}…</code></td><td data-label="Label">second</td>`);
    expect(text).toMatch(/revoked on \d/);
  });

  it("caps one key, and refuses what is no number", async () => {
    const key = portal.keys.list(annasSite).find(({ revokedAt }) => revokedAt === undefined)!;
    await anna.get(path);
    const refused = await anna.post(`${path}/limit`, { key: key.id, hourly_limit: "0" });
    expect(refused.status).toBe(422);
    expect(refused.text).toMatch(/name="hourly_limit"[^>]* value="0"/);
    await anna.post(`${path}/limit`, { key: key.id, hourly_limit: "25" });
    expect(portal.keys.list(annasSite).find(({ id }) => id === key.id)!.hourlyLimit).toBe(25);
    await anna.post(`${path}/limit`, { key: key.id, hourly_limit: "" });
    expect(portal.keys.list(annasSite).find(({ id }) => id === key.id)!.hourlyLimit).toBeUndefined();
    await portal.keys.replace("home");
    const foreign = portal.keys.list("home")[0]!;
    expect((await anna.post(`${path}/limit`, { key: foreign.id, hourly_limit: "1" })).status).toBe(422);
    expect(portal.keys.list("home")[0]!.hourlyLimit).toBeUndefined();
  });
});

describe("the site of a form", () => {
  it("is one of the account's own", async () => {
    await anna.get("/settings/keys");
    const before = JSON.stringify(portal.state.data);
    for (const path of [
      "/settings/keys",
      "/settings/webhook",
      "/settings/sites/remove",
      "/settings/sites/change",
    ])
      expect(
        (await anna.post(path, { site: "home", label: "mine", url: "https://example.com" })).status,
      ).toBe(404);
    expect((await anna.get("/settings/keys?site=home")).status).toBe(404);
    expect(JSON.stringify(portal.state.data)).toBe(before);
  });
});

describe("/settings/plan", () => {
  const path = "/settings/plan";

  it("shows the prices, and starts the one trial", async () => {
    const { text } = await anna.get(path);
    for (const fact of ["60 per hour", "120 per day", "600 per hour", "3000 per hour"])
      expect(text).toContain(fact);
    expect(text).toContain("99 € per month or 990 € per year");
    await anna.post(`${path}/trial`);
    expect(portal.book.byEmail("anna@example.org")).toMatchObject({ tier: "full_trial" });
    const running = await anna.get(path);
    expect(running.text).toContain("Full version (trial)");
    expect(running.text).toContain("29 January 2026");
    expect(running.text).not.toContain("/trial");
    expect((await anna.post(`${path}/trial`)).status).toBe(422);
  });

  it("cancels a paid plan to the end of its period, and takes that back", async () => {
    await portal.book.setPlan("account-anna@example.org", "professional");
    expect((await anna.get(path)).text).toContain(`action="${path}/cancel"`);
    await anna.post(`${path}/cancel`);
    expect((await anna.get(path)).text).toContain("ends on 15 February 2026");
    await anna.post(`${path}/resume`);
    expect(portal.book.byEmail("anna@example.org")!.cancelledAt).toBeUndefined();
  });

  it("changes the password and signs the other browsers out", async () => {
    await portal.addAccount("bert@example.org");
    const [bert, other] = [
      await portal.signedIn("bert@example.org"),
      await portal.signedIn("bert@example.org"),
    ];
    await bert.get(path);
    const wrong = await bert.post(`${path}/password`, { current_password: "x", password: "a new password" });
    expect(wrong.status).toBe(422);
    expect(wrong.text).toMatch(/id="field-current_password-error">The current password is wrong/);
    expect(wrong.text).not.toContain("a new password");
    const done = await bert.post(`${path}/password`, {
      current_password: PASSWORD,
      password: "a new password",
    });
    expect(done.status).toBe(303);
    expect((await bert.get(path)).text).toContain("The password is changed");
    expect((await other.get(path)).status).toBe(303);
    expect(await portal.accounts.signIn("bert@example.org", "a new password")).toBeDefined();
    expect(portal.lines.join()).not.toContain("a new password");
  });
});

describe("/settings/webhook", () => {
  const path = "/settings/webhook";

  it.each([
    ["http://example.com/hook", "must begin with https"],
    ["https://127.0.0.1/hook", "private"],
    ["https://user:secret@example.com/", "user name"],
    [XSS, "complete URL"],
    ["", "complete URL"],
  ])("refuses %j, and shows it again", async (url, reason) => {
    await anna.get(path);
    const { status, text } = await anna.post(path, { url });
    expect(status).toBe(422);
    expect(text).toMatch(new RegExp(`id="field-url-error">[^<]*${reason}`));
    expect(text).not.toContain("<script>");
    if (url.startsWith("http")) expect(text).toContain(`value="${url}"`);
    expect(portal.webhooks.get(annasSite)).toBeUndefined();
  });

  it("shows secret, test and deliveries of one that is registered", async () => {
    await anna.get(path);
    expect((await anna.post(path, { url: "https://hook.example.com/a" })).location).toBe(path);
    const { secret } = portal.webhooks.get(annasSite)!;
    expect((await anna.get(path)).text).toContain(secret);
    // Its name does not resolve here: the test tells so and counts as a delivery.
    expect((await anna.post(`${path}/test`)).status).toBe(303);
    const tested = (await anna.get(path)).text;
    expect(tested).toMatch(/role="alert"><p>The test failed after \d+ ms: the host.{1,5}s name is unknown/);
    expect(tested).toContain("<code>webhook.test</code>");
    // Nothing on the page calls the webhook failing after one failure, be it a style.
    expect(tested).not.toMatch(/failing/i);
    await anna.post(`${path}/test`);
    await anna.post(`${path}/test`);
    expect((await anna.get(path)).text).toContain("Failing:");
    await anna.post(`${path}/secret`);
    const { secret: rotated } = portal.webhooks.get(annasSite)!;
    expect(rotated).not.toBe(secret);
    await anna.post(`${path}/remove`);
    expect(portal.webhooks.get(annasSite)).toBeUndefined();
    for (const line of [secret, rotated]) expect(portal.lines.join()).not.toContain(line);
  });
});

describe("/settings/sites", () => {
  const path = "/settings/sites";
  const added = () => portal.sites.of("account-anna@example.org").find(({ id }) => id !== annasSite);

  it("adds, renames and removes a site, its texts never taken as markup", async () => {
    await anna.get(path);
    const answer = await anna.post(path, { label: XSS, customer_ref: XSS });
    expect(answer.status).toBe(303);
    const site = added()!;
    expect(portal.sites.card(site.id)).toEqual({ label: XSS, customerRef: XSS });
    const page = await anna.get(answer.location!);
    expect(portal.accounts.access(shownKey(page.text)).site?.id).toBe(site.id);
    // Every page names the site in its choice of sites.
    for (const one of [path, "/settings/keys", "/settings/plan", "/settings/webhook"]) {
      const { text } = await anna.get(one);
      expect(text).toContain(ESCAPED);
      expect(text).not.toMatch(/<script>|<!--/);
    }
    await anna.post(`${path}/change`, { site: site.id, label: "Haus Berta", customer_ref: "K-17" });
    expect(portal.sites.card(site.id)).toEqual({ label: "Haus Berta", customerRef: "K-17" });
    const renamed = (await anna.get(path)).text;
    expect(renamed).toContain("Haus Berta");
    const [, id] = /\/settings\/ems\/undo.*?name="id" value="([^"]+)"/.exec(renamed)!;
    await anna.post("/settings/ems/undo", { site: site.id, id, back: path });
    expect(portal.sites.card(site.id)).toEqual({ label: XSS, customerRef: "K-17" });
    await anna.post(`${path}/change`, { site: site.id, label: "Haus Berta" });

    const asked = await anna.get(`${path}?remove=${site.id}`);
    expect(asked.text).toContain(`action="${path}/remove"`);
    expect(asked.text).toContain("Remove Haus Berta?");
    await anna.post(`${path}/remove`, { site: site.id });
    expect(added()).toBeUndefined();
    // What the session looked at last is gone; the first site stands in.
    expect((await anna.get("/settings/keys")).status).toBe(200);
  });

  it("brings a refused form back", async () => {
    await anna.get(path);
    const long = await anna.post(path, { label: "x".repeat(101), customer_ref: "K-1" });
    expect(long.status).toBe(422);
    expect(long.text).toContain(`value="${"x".repeat(101)}"`);
    expect(long.text).toContain('value="K-1"');
    expect((await anna.post(path, { label: "" })).status).toBe(422);
    expect(
      (await anna.post(`${path}/change`, { site: annasSite, customer_ref: "y".repeat(101) })).text,
    ).toContain(`<a href="#field-${annasSite}-customer_ref">`);
    // Without saying which one, nothing is removed.
    expect((await anna.post(`${path}/remove`)).status).toBe(404);
    expect(portal.sites.get(annasSite)).toBeDefined();
  });

  it("leaves a plant of the configuration file alone", async () => {
    const admin = await portal.signedIn("admin@example.org");
    await admin.get(path);
    expect((await admin.post(`${path}/remove`, { site: "home" })).status).toBe(422);
    expect(portal.sites.get("home")).toBeDefined();
  });
});

describe("/admin", () => {
  it("is for administrators", async () => {
    expect((await anna.get("/admin")).status).toBe(403);
    await anna.get("/settings/plan");
    const fields = { email: "anna@example.org", plan: "oem" };
    expect((await anna.post("/admin/plan", fields)).status).toBe(403);
    expect((await anna.post("/admin/forecast")).status).toBe(403);
    expect(portal.book.byEmail("anna@example.org")!.plan).not.toBe("oem");
    expect((await portal.browser().get("/admin")).location).toBe("/login?next=%2Fadmin");
  });

  it("sets plans, runs the forecast and shows the parts", async () => {
    const admin = await portal.signedIn("admin@example.org");
    const page = await admin.get("/admin");
    expect(page.text).toContain("anna@example.org");
    expect(page.text).toContain("&lt;b>No&lt;/b> source answers.");

    await admin.post("/admin/plan", { email: "anna@example.org", plan: "oem", until: "2026-03-31" });
    // The last day in Vienna, which has summer time by then.
    expect(portal.book.byEmail("anna@example.org")).toMatchObject({
      effectivePlan: "oem",
      paidUntil: new Date("2026-03-31T22:00:00Z"),
    });
    expect((await admin.get("/admin")).text).toContain("31 March 2026");
    for (const until of ["2026-02-31", "tomorrow", "2026-01-14"]) {
      const fields = { email: "anna@example.org", plan: "oem", until };
      const refused = await admin.post("/admin/plan", fields);
      expect(refused.status).toBe(422);
      expect(refused.text).toContain(`value="${until}"`);
      expect(refused.text).toContain('id="field-until-error"');
    }
    expect((await admin.post("/admin/plan", { email: "x@example.org", plan: "oem" })).status).toBe(422);
    expect((await admin.post("/admin/plan", { email: "anna@example.org", plan: "gold" })).status).toBe(422);

    await admin.post("/admin/forecast");
    expect(portal.runs).toEqual(["manual"]);
    expect((await admin.get("/admin")).text).toContain("could not be run");
  });

  it("speaks German too", async () => {
    const admin = await portal.signedIn("admin@example.org", { "accept-language": "de" });
    expect((await admin.get("/admin")).text).toContain("<h1>Verwaltung</h1>");
  });
});
