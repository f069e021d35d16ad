import { request } from "node:http";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { eventually } from "../support/eventually.js";
import { type OpenPortal, openPortal, PASSWORD } from "./harness.js";

let portal: OpenPortal;

beforeAll(async () => {
  portal = await openPortal();
  await portal.addAccount("anna@example.org");
});
afterAll(() => portal.close());

const HOUR = 60 * 60 * 1000;
/** Another window of every throttle, and sessions that are still good. */
const later = () => {
  portal.wall.nowMs += HOUR;
};

describe("the sign-in", () => {
  it("opens the protected pages, under a new id in a cookie that no script reads", async () => {
    const browser = portal.browser();
    const first = await browser.get("/login");
    const before = browser.cookies.get("hourgate_session");
    const answer = await browser.post("/login", { email: " Anna@Example.org", password: PASSWORD });
    expect([answer.status, answer.location]).toEqual([303, "/dashboard"]);
    const cookies = answer.headers.getSetCookie();
    expect(cookies).toHaveLength(2);
    expect(cookies[1]).toMatch(/^hourgate_device=[\w-]+\.[\w-]+; Path=\/; HttpOnly; SameSite=Lax; /);
    expect(cookies[0]).toMatch(
      /^hourgate_session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Max-Age=7776000$/,
    );
    expect(first.headers.getSetCookie()[0]).not.toContain("Max-Age");
    expect(browser.cookies.get("hourgate_session")).not.toBe(before);
    expect((await browser.get("/dashboard")).text).toContain("anna@example.org");
    // The id from before the sign-in, which somebody may have planted, opens nothing.
    const planted = portal.browser();
    planted.cookies.set("hourgate_session", before!);
    expect((await planted.get("/dashboard")).location).toBe("/login?next=%2Fdashboard");
  });

  it("leads to the page that was asked for, on this host only", async () => {
    const browser = portal.browser();
    const asked = await browser.get("/settings/keys?a=1%26b");
    expect(asked.location).toBe(`/login?next=${encodeURIComponent("/settings/keys?a=1%26b")}`);
    const long = await portal.browser().get(`/settings/keys?a=${"x".repeat(14_000)}`);
    expect(long.location).toBe("/login?next=%2Fsettings%2Fkeys");
    const form = await browser.get(asked.location!);
    expect(form.text).toContain('name="next" value="/settings/keys?a=1%26b"');
    const next = "/settings/keys?a=1%26b";
    const answer = await browser.post("/login", { email: "anna@example.org", password: PASSWORD, next });
    expect(answer.location).toBe(next);
    const evil = portal.browser();
    expect((await evil.get("/login?next=//evil.example")).text).not.toContain('name="next"');
    const away = { email: "anna@example.org", password: PASSWORD, next: "//evil.example" };
    expect((await evil.post("/login", away)).location).toBe("/dashboard");
  });

  it("says the same of a wrong password and of an unknown e-mail", async () => {
    later();
    const answers = [];
    for (const email of ["anna@example.org", "nobody@example.org"]) {
      const browser = portal.browser();
      await browser.get("/login");
      const answer = await browser.post("/login", { email, password: "wrong wrong wrong" });
      const text = answer.text.replaceAll(email, "E").replaceAll(browser.csrf, "T");
      answers.push({ status: answer.status, text });
      expect(answer.text).toContain(`value="${email}"`);
      expect(answer.text).not.toContain("wrong wrong");
    }
    expect(answers[0]!.status).toBe(422);
    expect(answers[1]).toEqual(answers[0]);
  });

  it("delays an account and an address more with each failure", async () => {
    const email = "anna@example.org";
    portal.signIn.unlock(email);
    const attempt = async (password: string) => {
      const browser = portal.browser();
      await browser.get("/login");
      return browser.post("/login", { email, password });
    };
    for (let count = 0; count < 5; count++) expect((await attempt("wrong")).status).toBe(422);
    const first = await attempt(PASSWORD);
    expect([first.status, first.headers.get("retry-after")]).toEqual([429, "1"]);
    portal.wall.nowMs += 1000;
    expect((await attempt("wrong")).status).toBe(422);
    expect((await attempt(PASSWORD)).headers.get("retry-after")).toBe("2");
    // The administrator can end the delay.
    portal.signIn.unlock(email);
    expect((await attempt(PASSWORD)).status).toBe(303);
  });

  it("does not lock out a browser that has signed in before, whatever others try", async () => {
    const proxied = await openPortal({ trustProxy: true });
    try {
      await proxied.addAccount("bert@example.org");
      const owner = proxied.browser({ "x-forwarded-for": "198.51.100.1" });
      await owner.get("/login");
      await owner.post("/login", { email: "bert@example.org", password: PASSWORD });
      await owner.get("/dashboard");
      await owner.post("/logout");
      const tryFrom = async (address: string, password: string) => {
        const browser = proxied.browser({ "x-forwarded-for": address });
        await browser.get("/login");
        return (await browser.post("/login", { email: "bert@example.org", password })).status;
      };
      for (let count = 0; count < 20; count++) expect(await tryFrom(`192.0.2.${count}`, "wrong")).toBe(422);
      // Another address has to wait now, the known browser has not.
      expect(await tryFrom("192.0.2.99", PASSWORD)).toBe(429);
      await owner.get("/login");
      const answer = await owner.post("/login", { email: "bert@example.org", password: PASSWORD });
      expect(answer.status).toBe(303);
      // The cookie of one account does not help with another one, nor does a forged one.
      await proxied.addAccount("cora@example.org");
      const forged = proxied.browser({ "x-forwarded-for": "192.0.2.98" });
      forged.cookies.set("hourgate_device", `x${owner.cookies.get("hourgate_device")}`);
      await forged.get("/login");
      expect((await forged.post("/login", { email: "bert@example.org", password: PASSWORD })).status).toBe(
        429,
      );
    } finally {
      await proxied.close();
    }
  });

  it("ends with the sign-out, for a copy of the cookie too", async () => {
    const browser = await portal.signedIn("anna@example.org");
    const copy = portal.browser();
    copy.cookies.set("hourgate_session", browser.cookies.get("hourgate_session")!);
    // A picture on a foreign page can make a browser fetch an address; that signs nobody out.
    const asked = await browser.get("/logout");
    expect(asked.text).toContain('action="/logout"');
    expect((await copy.get("/dashboard")).status).toBe(200);
    const answer = await browser.post("/logout");
    expect([answer.status, answer.location]).toEqual([303, "/login"]);
    expect((await copy.get("/dashboard")).status).toBe(303);
    expect((await browser.get("/dashboard")).status).toBe(303);
  });

  it("marks the cookie as secure behind a proxy that speaks HTTPS", async () => {
    const proxied = await openPortal({ trustProxy: true });
    const answer = await proxied.browser({ "x-forwarded-proto": "https" }).get("/login?lang=en");
    expect(answer.headers.getSetCookie()).toEqual([
      expect.stringMatching(/^hourgate_language=en\.[\w-]{8}; .*; Secure$/),
      expect.stringMatching(/^__Host-hourgate_session=.*; Secure$/),
    ]);
    await proxied.close();
  });

  it("outlives a restart of the gateway", async () => {
    const before = await openPortal();
    await before.addAccount("cora@example.org");
    const browser = await before.signedIn("cora@example.org");
    await before.close({ keepFolder: true });
    const after = await openPortal({ folder: before.dataDir });
    const again = after.browser();
    for (const [name, value] of browser.cookies) again.cookies.set(name, value);
    expect((await again.get("/dashboard")).text).toContain("cora@example.org");
    await after.close();
  });
});

describe("a form", () => {
  const fields = { email: "anna@example.org", password: PASSWORD };

  it("without the token of its browser changes nothing", async () => {
    const browser = await portal.signedIn("anna@example.org");
    const stranger = portal.browser();
    await stranger.get("/login");
    await browser.get("/settings/keys");
    const site = portal.sites.of("account-anna@example.org")[0]!.id;
    for (const _csrf of [undefined, "", "wrong", stranger.csrf, `${browser.csrf}x`]) {
      const answer = await browser.post("/settings/keys", { _csrf, label: "stolen" });
      expect(answer.status).toBe(403);
      expect(answer.text).toContain("no longer valid");
    }
    expect(portal.keys.list(site)).toEqual([]);
    expect((await portal.browser().post("/login", { ...fields, _csrf: "" })).status).toBe(403);
  });

  it("can be sent again after the session has ended, without losing what was typed", async () => {
    const origin = { origin: portal.url };
    const typed = { label: 'Two "quoted" words <b>' };
    const browser = await portal.signedIn("anna@example.org");
    await browser.get("/settings/keys");
    const { csrf } = browser;
    const site = portal.sites.of("account-anna@example.org")[0]!.id;
    const before = portal.keys.list(site).length;
    await browser.post("/logout");
    const signedOut = await browser.post("/settings/keys", { ...typed, site, _csrf: csrf }, origin);
    expect(signedOut.status).toBe(403);
    expect(signedOut.text).toContain("You are no longer signed in.");
    // Somebody who signed in meanwhile sends the form with the token of the old session.
    const again = await portal.signedIn("anna@example.org");
    const shown = await again.post("/settings/keys", { ...typed, site, _csrf: csrf }, origin);
    expect(shown.text).toContain('name="label" value="Two &quot;quoted&quot; words &lt;b>"');
    expect(portal.keys.list(site)).toHaveLength(before);
    expect((await again.post("/settings/keys", { ...typed, site }, origin)).status).toBe(303);
    expect(portal.keys.list(site)).toHaveLength(before + 1);
    // Nothing secret is written into a page, nor anything that a page of the portal may not have sent.
    const secret = { ...typed, password: PASSWORD, _csrf: csrf };
    for (const [fields, headers] of [
      [secret, origin],
      [{ ...typed, _csrf: csrf }, {}],
    ] as const)
      expect((await again.post("/settings/keys", fields, headers)).text).toContain("no longer valid");
  });

  it("from another site is refused whatever it carries", async () => {
    const browser = await portal.signedIn("anna@example.org");
    await browser.get("/settings/keys");
    for (const headers of [{ origin: "https://evil.example" }, { "sec-fetch-site": "cross-site" }])
      expect((await browser.post("/settings/keys", {}, headers as Record<string, string>)).status).toBe(403);
    expect((await browser.post("/settings/keys", {}, { origin: portal.url })).status).toBe(303);
  });

  it("is taken as application/x-www-form-urlencoded up to 100 kB, and as nothing else", async () => {
    const browser = portal.browser();
    await browser.get("/login");
    const send = (body: BodyInit, headers: Record<string, string> = {}) =>
      browser.send("/login", { method: "POST", body, headers });
    const parts = new FormData();
    parts.set("email", "anna@example.org");
    expect((await send(parts)).status).toBe(415);
    expect((await send("{}", { "content-type": "application/json" })).status).toBe(415);
    const form = { "content-type": "application/x-www-form-urlencoded" };
    expect((await send(`email=${"x".repeat(200_000)}`, form)).status).toBe(413);
    expect((await send("a=1&".repeat(2_100), form)).status).toBe(413);
    expect((await send("email=a", { ...form, "content-encoding": "gzip" })).status).toBe(415);
    // Broken escapes are text; no token, so that it goes no further.
    expect((await send("email=%zz&%&=&&__proto__=1", form)).status).toBe(403);
  });
});

describe("addresses", () => {
  it("of the portal answer browsers with pages, and programs as before", async () => {
    const browser = portal.browser();
    expect((await browser.get("/")).location).toBe("/login");
    const missing = await browser.get("/settings/nothing");
    expect([missing.status, missing.headers.get("content-type")]).toEqual([404, "text/html; charset=utf-8"]);
    const root = await fetch(`${portal.url}/`);
    expect(await root.json()).toMatchObject({ name: "hourgate", status_path: "/v1/status" });
    const other = await portal.browser({ "accept-language": "de" }).get("/nothing");
    expect([other.status, other.headers.get("content-type")]).toEqual([404, "text/html; charset=utf-8"]);
    expect(other.text).toContain("Diese Seite gibt es nicht");
    const program = await fetch(`${portal.url}/nothing`);
    expect([program.status, program.headers.get("content-type")]).toEqual([
      404,
      "application/json; charset=utf-8",
    ]);
    const signedIn = await portal.signedIn("anna@example.org");
    expect((await signedIn.get("/")).location).toBe("/dashboard");
    // A form's own address, as after a reload of a refused one, leads back to its page.
    expect((await signedIn.get("/settings/plan/password")).location).toBe("/settings/plan");
    const put = await signedIn.send("/login", { method: "PUT" });
    expect([put.status, put.headers.get("allow")]).toEqual([405, "GET, HEAD, POST, OPTIONS"]);
  });

  it.each([
    "/v1",
    "/v1/",
    "/v1/nothing",
    "/V1/status",
    "/v1/status/more",
    "//v1/x",
    "/health/x",
    "/Health",
    "/C/x",
  ])("below those of programs answer %s with JSON, whatever is accepted", async (path) => {
    for (const accept of ["text/html", "text/html,application/json;q=0.9", "*/*"]) {
      const answer = await fetch(portal.url + path, { headers: { accept } });
      expect([answer.status, answer.headers.get("content-type")]).toEqual([
        404,
        "application/json; charset=utf-8",
      ]);
      expect((await answer.json()).error.code).toBe("not_found");
    }
  });

  it.each([
    "//login",
    "//[",
    "/login?%zz&lang=%00",
    "/settings/%2e%2e/keys",
    "http://[/login",
    "/login/?next=/%0d%0aX:1",
  ])("that no browser would ask for break nothing: %s", async (path) => {
    const status = await new Promise((resolve, reject) => {
      const { port } = new URL(portal.url);
      const headers = { accept: "text/html", cookie: "hourgate_session; =; hourgate_language=xx;;" };
      const asked = request({ port, path, headers }, (res) => resolve(res.resume().statusCode));
      asked.on("error", reject).end();
    });
    expect([200, 303, 400, 404]).toContain(status);
  });

  it.each(["keys", "plan", "webhook", "sites", "account", "audit"])(
    "/settings/%s asks for the sign-in",
    async (name) => {
      const browser = portal.browser();
      const page = await browser.get(`/settings/${name}`);
      expect([page.status, page.location]).toEqual([303, `/login?next=%2Fsettings%2F${name}`]);
      await browser.get("/login");
      const post = await browser.post(`/settings/${name}`);
      expect(post.status === 303 ? post.location : "405").toMatch(/^\/login\?|^405$/);
    },
  );

  it("carry headers that keep other sites and inline scripts out", async () => {
    const { headers, text } = await portal.browser().get("/login");
    const policy = headers.get("content-security-policy")!;
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'self'");
    expect(policy).not.toContain("unsafe");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(headers.get("cache-control")).toBe("no-store");
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(text).not.toMatch(/<style|<script(?![^>]* src="\/portal\/)| style=| on[a-z]+=|https?:\/\//);
  });

  it("of assets carry the hash of the content, and may be kept", async () => {
    const { text } = await portal.browser().get("/login");
    const [path] = /\/portal\/[0-9a-f]{16}\/portal\.css/.exec(text)!;
    const asset = await fetch(portal.url + path!);
    expect(asset.headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
    expect(asset.headers.get("content-type")).toBe("text/css; charset=utf-8");
    const etag = asset.headers.get("etag")!;
    expect((await fetch(portal.url + path!, { headers: { "if-none-match": etag } })).status).toBe(304);
    // Without its own hash it may be another one tomorrow.
    const plain = await fetch(`${portal.url}/portal/portal.css`);
    expect(plain.headers.get("cache-control")).toBe("no-cache");
    expect((await fetch(`${portal.url}/portal/../package.json`)).status).toBe(404);
  });
});

describe("the language", () => {
  it.each([
    ["de-AT,de;q=0.9,en;q=0.8", "de"],
    ["en-US,en;q=0.9,de;q=0.8", "en"],
    ["fr;q=1,en;q=0.2,de;q=0.1", "en"],
    ["fr", "de"],
  ])("of %s is %s", async (accepted, language) => {
    const { text } = await portal.browser({ "accept-language": accepted }).get("/login");
    expect(text).toContain(`<html lang="${language}">`);
    expect(text).toContain(language === "de" ? ">Passwort<" : ">Password<");
  });

  it("stays the one that was chosen", async () => {
    const browser = portal.browser();
    expect((await browser.get("/login?lang=de")).text).toContain('<html lang="de">');
    expect((await browser.get("/register")).text).toContain('<html lang="de">');
    expect((await browser.get("/register?lang=xx")).text).toContain('<html lang="de">');
    expect((await browser.get("/register?lang=en")).text).toContain('<html lang="en">');
    // The browser was English when English was chosen; now it is set to German.
    const changed = await browser.get("/register", { "accept-language": "de-AT" });
    expect(changed.text).toContain('<html lang="de">');
  });

  it("is kept for the account: that of the first sign-in, then the chosen one", async () => {
    const id = await portal.addAccount("paula@example.org");
    const language = () => portal.state.data.accounts.find((one) => one.id === id)?.language;
    expect(language()).toBeUndefined();
    const browser = await portal.signedIn("paula@example.org", { "accept-language": "en" });
    await eventually(() => expect(language()).toBe("en"));
    await browser.get("/dashboard?lang=de");
    await eventually(() => expect(language()).toBe("de"));
    await portal.signedIn("paula@example.org", { "accept-language": "en" });
    expect(language()).toBe("de");
  });
});
