import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type OpenPortal, openPortal, PASSWORD } from "./harness.js";

let portal: OpenPortal;

beforeAll(async () => {
  portal = await openPortal();
  await portal.addAccount("known@example.org");
});
afterAll(() => portal.close());

describe("the registration without a mail server", () => {
  it("does not claim that a mail was sent", async () => {
    const portal = await openPortal({ sendsMail: false });
    try {
      const { text } = await portal.browser().get("/register?sent=1");
      expect(text).toContain("no mail server");
      expect(text).toContain("owner@example.org");
      expect(text).not.toContain("We have sent");
    } finally {
      await portal.close();
    }
  });
});

describe("the registration", () => {
  it("leads by the link of the mail to the dashboard, which shows the key once", async () => {
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
    // A program that checks the links of mails by HEAD uses nothing up.
    await portal.browser().send(link, { method: "HEAD" });
    const confirmed = await browser.get(link);
    expect([confirmed.status, confirmed.location]).toEqual([303, "/dashboard"]);
    const key = /key=(hg_live_[\w-]{43})$/.exec((await browser.get("/dashboard")).text)![1]!;
    expect(portal.accounts.access(key)).toMatchObject({ tokenValid: true, plan: "community" });
    expect((await browser.get("/dashboard")).text).toContain("key=none");

    const again = await portal.browser().get(link);
    expect(again.status).toBe(404);
    expect(again.text).toContain("is not valid");
    expect(portal.lines.join()).not.toContain(key);
    expect(portal.lines.join()).not.toContain(link.slice(-43));
  });

  it("answers the same for known and unknown e-mails, and sends a mail to both", async () => {
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

  it.each([
    [{ email: "no address", password: PASSWORD }, "email", "Enter an e-mail address"],
    [{ email: "a@example.org", password: "short" }, "password", "at least 10 characters"],
    [{ email: "known@example.org", password: "x".repeat(201) }, "password", "at most 200 characters"],
  ])("brings a refused form back with the reason: %j", async (fields, field, reason) => {
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
  });

  it("sends at most five mails per hour to one mailbox, regardless of the sender", async () => {
    const browser = portal.browser();
    await browser.get("/register");
    const register = () => browser.post("/register", { email: "flooded@example.org", password: PASSWORD });
    for (let count = 0; count < 5; count++) expect((await register()).status).toBe(303);
    const refused = await register();
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "3600"]);
    expect(portal.mails.filter(({ to }) => to === "flooded@example.org")).toHaveLength(5);
  });
});
