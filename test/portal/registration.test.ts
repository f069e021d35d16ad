import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type OpenPortal, openPortal, PASSWORD } from "./harness.js";

const OTHER = "the password of the link";
let portal: OpenPortal;

beforeAll(async () => {
  portal = await openPortal();
  await portal.addAccount("known@example.org");
});
afterAll(() => portal.close());

describe("the registration", () => {
  it("leads by the mail's link to the dashboard, where the key is shown once", async () => {
    const browser = portal.browser();
    const form = await browser.get("/register");
    expect(form.text).toMatch(/<input[^>]* name="email"/);
    const answer = await browser.post("/register", { email: "New@Example.org", password: PASSWORD });
    expect([answer.status, answer.location]).toEqual([303, "/register?sent=1"]);
    expect((await browser.get(answer.location!)).text).toContain("Check your mailbox");
    // Not confirmed: there is no account to sign in with.
    await browser.get("/login");
    const early = await browser.post("/login", { email: "new@example.org", password: PASSWORD });
    expect(early.status).toBe(422);

    const mail = portal.mails.at(-1)!;
    expect(mail.to).toBe("new@example.org");
    const link = /https:\/\/gate\.example(\/confirm\?token=[\w-]{43})/.exec(mail.text)![1]!;
    // Programs that check the links of mails open them: that neither uses the link nor signs in.
    const opened = await portal.browser().get(link);
    expect([opened.status, opened.headers.get("location")]).toEqual([200, null]);
    expect((await browser.get(link)).text).toContain("new@example.org");
    const token = link.slice(-43);
    const weak = await browser.post("/confirm", { token, password: "1234567890" });
    expect([weak.status, weak.text]).toEqual([422, expect.stringContaining("attackers try first")]);
    const confirmed = await browser.post("/confirm", { token, password: OTHER });
    expect([confirmed.status, confirmed.location]).toEqual([303, "/dashboard"]);
    const key = /key=(hg_live_[\w-]{43})$/.exec((await browser.get("/dashboard")).text)![1]!;
    // The password of the registration form was never used.
    expect(await portal.accounts.signIn("new@example.org", PASSWORD)).toBeUndefined();
    expect(await portal.accounts.signIn("new@example.org", OTHER)).toBeDefined();
    expect(portal.accounts.access(key)).toMatchObject({ tokenValid: true, plan: "community" });
    expect((await browser.get("/dashboard")).text).toContain("key=none");

    const again = await portal.browser().get(link);
    expect(again.status).toBe(404);
    expect(again.text).toContain("is not valid");
    expect(portal.lines.join()).not.toContain(key);
    expect(portal.lines.join()).not.toContain(link.slice(-43));
  });

  it("says where the mail is without a mail server, for registration and recovery", async () => {
    const browser = portal.browser({ "accept-language": "de" });
    expect((await browser.get("/register?sent=1")).text).toContain("Prüfen Sie Ihr Postfach");
    portal.components.remove("mail");
    for (const path of ["/register?sent=1", "/recover?sent=1"]) {
      const { text } = await browser.get(path);
      expect(text).toContain("E-Mail nicht gesendet");
      expect(text).toContain("im Ordner outbox des Datenordners");
    }
    portal.components.report("mail", "ok", []);
  });

  it("answers the same for a known and an unknown e-mail, and mails both", async () => {
    const answers = [];
    for (const email of ["known@example.org", "unknown@example.org"]) {
      const browser = portal.browser();
      await browser.get("/register");
      const { status, location, text, headers } = await browser.post("/register", {
        email,
        password: PASSWORD,
      });
      answers.push({ status, location, text, type: headers.get("content-type") });
      expect(portal.mails.at(-1)!.to).toBe(email);
    }
    expect(answers[0]).toEqual(answers[1]);
    expect(portal.mails.at(-2)!.text).not.toContain("token=");
  });

  it.each([[{ email: "no address", password: PASSWORD }, "email", "Enter an e-mail address"]])(
    "brings a refused form back with the reason: %j",
    async (fields, field, reason) => {
      const mailsBefore = portal.mails.length;
      const browser = portal.browser();
      await browser.get("/register");
      const { status, text } = await browser.post("/register", fields);
      expect(status).toBe(422);
      expect(text).toContain(`value="${fields.email}"`);
      expect(text).not.toContain(`value="${fields.password}"`);
      const input = new RegExp(`<input id="field-${field}"[^>]*>`).exec(text)![0];
      expect(input).toContain('aria-invalid="true"');
      expect(input).toContain(`aria-describedby="field-${field}-error`);
      expect(text).toMatch(new RegExp(`<p class="error" id="field-${field}-error">[^<]*${reason}`));
      expect(text).toContain(`<a href="#field-${field}">`);
      expect(portal.mails).toHaveLength(mailsBefore);
    },
  );

  it("sends at most five mails an hour to one address, whatever the client", async () => {
    const browser = portal.browser();
    await browser.get("/register");
    const register = () => browser.post("/register", { email: "flooded@example.org", password: PASSWORD });
    for (let count = 0; count < 5; count++) expect((await register()).status).toBe(303);
    const refused = await register();
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "3600"]);
    expect(portal.mails.filter(({ to }) => to === "flooded@example.org")).toHaveLength(5);
  });
});

describe("a gateway with closed registration", () => {
  let closed: OpenPortal;
  beforeAll(async () => {
    closed = await openPortal({ isRegistrationOpen: false });
    await closed.addAccount("known@example.org");
    await closed.addAccount("admin@example.org", { administrator: true });
  });
  afterAll(() => closed.close());

  it("has no account for whoever comes by", async () => {
    const browser = closed.browser();
    const page = await browser.get("/register");
    expect([page.status, page.text]).toEqual([403, expect.stringContaining("Registration is closed")]);
    expect((await browser.post("/register", { email: "new@example.org" })).status).toBe(403);
    expect(closed.mails).toEqual([]);
    expect((await browser.get("/login")).text).not.toContain('href="/register"');
  });

  it("has one for whom the administrator invites", async () => {
    const admin = await closed.signedIn("admin@example.org");
    await admin.get("/admin");
    expect((await admin.post("/admin/invitation", { invited: "known@example.org" })).status).toBe(422);
    expect((await admin.post("/admin/invitation", { invited: "New@Example.org" })).status).toBe(303);
    expect((await admin.get("/admin")).text).toContain("An invitation was sent to New@Example.org");
    const mail = closed.mails.at(-1)!;
    expect([mail.to, mail.subject]).toEqual(["new@example.org", "Your account at hourgate"]);
    const link = /(\/confirm\?token=[\w-]{43})/.exec(mail.text)![1]!;
    const browser = closed.browser();
    await browser.get(link);
    const confirmed = await browser.post("/confirm", { token: link.slice(-43), password: OTHER });
    expect([confirmed.status, confirmed.location]).toEqual([303, "/dashboard"]);
    const used = await closed.browser().get(link);
    expect([used.status, used.text]).toEqual([404, expect.stringContaining("for a new invitation")]);
    expect(used.text).not.toContain('href="/register"');
  });
});
