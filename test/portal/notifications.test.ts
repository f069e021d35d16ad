import { afterAll, beforeAll, expect, it } from "vitest";
import type { Browser } from "./form-browser.js";
import { type OpenPortal, openPortal } from "./harness.js";

const PATH = "/settings/notifications";
const TOKEN = "tk_verysecrettoken";
const FORM = {
  kind_actuator_failed: "true",
  kind_negative_prices: "false",
  from: "21:30",
  to: "7:00",
  language: "de",
  email: "false",
  address: "",
  ntfy: "true",
  server: "https://ntfy.example",
  topic: "my-home",
  token: TOKEN,
  webhook: "true",
  url: "https://example.com/hook",
};

let portal: OpenPortal;
let owner: Browser;
beforeAll(async () => {
  portal = await openPortal();
  await portal.addAccount("owner@example.org", { administrator: true });
  await portal.addAccount("anna@example.org");
  owner = await portal.signedIn("owner@example.org");
});
afterAll(() => portal.close());

it("stores what is to be reported and how, and never shows the token or the signing secret again", async () => {
  expect((await owner.get(PATH)).text).toContain("This gateway has no mail server");
  expect(await owner.post(PATH, FORM)).toMatchObject({ status: 303, location: PATH });
  const first = await owner.get(PATH);
  const [secret = ""] = /whsec_[\w-]+/.exec(first.text) ?? [];
  expect(secret).not.toBe("");
  const again = await owner.get(PATH);
  expect(again.text).toContain('value="my-home"');
  expect(again.text).toContain("A token is stored");
  expect(again.text).toContain("Quiet hours (21:30 to 07:00)");
  for (const text of [TOKEN, secret]) expect(again.text).not.toContain(text);
  for (const text of [TOKEN, secret, "my-home"]) expect(portal.lines.join()).not.toContain(text);
  const { settings } = portal.notifications;
  expect(settings.kinds("owner")).toEqual(["actuator_failed"]);
  expect(settings.channels("owner")).toEqual(["ntfy", "webhook"]);
  expect(settings.recipient("owner").language).toBe("de");
  expect((await portal.audit.latest(1))[0]).toMatchObject({
    event: "notifications.changed",
    account: "owner@example.org",
  });
  // Leaving the field of the token empty keeps it.
  await owner.post(PATH, { ...FORM, token: "" });
  expect(settings.of("owner").ntfy.token).toBe(TOKEN);
});

it("says what is wrong beside each field, and keeps everything that was typed", async () => {
  const { settings } = portal.notifications;
  const before = settings.of("owner");
  const wrong = { ...FORM, from: "25", topic: "no spaces!", url: "http://example.com", language: "en" };
  const refused = await owner.post(PATH, wrong);
  expect(refused.status).toBe(422);
  for (const [field, text] of [
    ["from", "Enter a time such as 22:00"],
    ["topic", "Enter a topic of at most 64"],
    ["url", "The address must begin with https://."],
  ])
    expect(refused.text, field).toMatch(new RegExp(`id="field-${field}-error">${text}`));
  for (const typed of ["25", "no spaces!", "http://example.com"])
    expect(refused.text).toContain(`value="${typed}"`);
  expect(settings.of("owner")).toEqual(before);
  // The script marks what is typed and not saved; a refused form is not saved from the beginning.
  const page = await owner.get(PATH);
  expect(page.text).toContain("/client/settings.js");
  expect(page.text).toMatch(/<form[^>]* class="guard"[\s\S]*<span class="unsaved" role="status" hidden>/);
  expect(refused.text).toMatch(/<form[^>]* class="guard typed"[\s\S]*<span class="unsaved" role="status">/);
});

it("sends a test message of each channel, says in plain words how it ended, and limits them", async () => {
  expect((await owner.post(PATH, { ...FORM, test: "email" })).status).toBe(303);
  const page = await owner.get(PATH);
  expect(page.text).toContain("The settings are saved.");
  expect(page.text).toContain(
    "The test message (E-mail) did not arrive: No mail server is configured (smtp).",
  );
  // The name resolves to nothing in this test.
  await owner.post(PATH, { ...FORM, test: "ntfy" });
  expect((await owner.get(PATH)).text).toContain(
    "The test message (ntfy) did not arrive: The name of the server is unknown.",
  );
  for (let count = 2; count < 20; count++) await owner.post(PATH, { ...FORM, test: "email" });
  expect((await owner.post(PATH, { ...FORM, test: "email" })).status).toBe(429);
});

it("belongs to the account: another one has its own, without a choice of the address, and deletion erases it", async () => {
  const anna = await portal.signedIn("anna@example.org");
  const page = await anna.get(PATH);
  expect(page.text).toContain("The messages go to anna@example.org");
  expect(page.text).not.toContain("my-home");
  await anna.post(PATH, { ...FORM, topic: "topic-of-anna", server: "http://192.168.1.20:8090" });
  expect(JSON.stringify(portal.state.data)).not.toContain("topic-of-anna");
  await anna.post(PATH, { ...FORM, topic: "topic-of-anna" });
  expect(JSON.stringify(portal.state.data)).toContain("topic-of-anna");
  await portal.book.remove("account-anna@example.org");
  expect(JSON.stringify(portal.state.data)).not.toContain("topic-of-anna");
});
