import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { people, tokenOf } from "./people.js";

const someone = { email: " New@Example.org ", password: "long enough", language: "en" } as const;

it("creates a community account with a site and a key on confirmation, once", async () => {
  const { registration, mails, accounts, accountBook, sites, folder } = await people();
  await registration.register(someone);
  expect(mails).toMatchObject([{ to: "new@example.org", subject: "Confirm your e-mail address" }]);
  const token = tokenOf(mails[0]);
  expect(accountBook.list()).toEqual([]);
  expect(await readFile(join(folder, "state.json"), "utf8")).not.toContain(token);

  // A mail scanner and a person at the same instant: one of them gets it.
  const both = await Promise.all([registration.confirm(token), registration.confirm(token)]);
  const made = both.find((one) => one !== undefined)!;
  expect(both.filter((one) => one !== undefined)).toHaveLength(1);
  expect(await registration.confirm(token)).toBeUndefined();
  expect(accounts.access(made.key)).toMatchObject({ tier: "community", site: { id: made.siteId } });
  expect(accountBook.list()).toMatchObject([{ email: "new@example.org", language: "en", plan: "community" }]);
  expect(sites.of(made.accountId).map(({ id }) => id)).toEqual([made.siteId]);
  expect(await accounts.signIn("NEW@example.org", someone.password)).toMatchObject({ administrator: false });
});

it("accepts the last of two registrations, and none after 24 hours", async () => {
  const { registration, mails, clock, state } = await people();
  await registration.register({ ...someone, password: "the first one" });
  await registration.register({ ...someone, password: "the second one" });
  const [first, second] = mails.map(tokenOf);
  expect(await registration.confirm(first!)).toBeUndefined();
  await clock.advance(24 * 3_600_000);
  expect(await registration.confirm(second!)).toBeUndefined();
  await registration.register(someone);
  expect(state.data.registrations).toHaveLength(1);
  await clock.advance(24 * 3_600_000 - 1);
  expect(await registration.confirm(tokenOf(mails[2]))).toBeDefined();
});

it("reveals only to the owner of the address that there is an account", async () => {
  const { registration, mails, account, state } = await people();
  await account("new@example.org");
  const before = structuredClone(state.data);
  expect(await registration.register({ ...someone, language: "de" })).toBeUndefined();
  expect(mails).toMatchObject([{ to: "new@example.org", subject: "Sie haben schon ein Konto" }]);
  expect(mails[0]?.text).not.toContain("token");
  expect(mails[0]?.text).toContain("http://gateway.example/login");
  expect(state.data).toEqual(before);
});

it("rejects a link when the account was created otherwise meanwhile, and leaves no site behind", async () => {
  const { registration, mails, account, sites } = await people();
  await registration.register(someone);
  const { accountId } = await account("new@example.org");
  expect(await registration.confirm(tokenOf(mails[0]))).toBeUndefined();
  expect(sites.list().map((site) => site.accountId)).toEqual(["owner", accountId]);
});

it.each([
  ["", "invalid_email"],
  ["nobody", "invalid_email"],
  ["a@b@c.org", "invalid_email"],
  ["a b@example.org", "invalid_email"],
  ["a@example.org\r\nBcc: x@example.org", "invalid_email"],
  ["a@example.org, b@example.org", "invalid_email"],
  ["<a@example.org>", "invalid_email"],
  ["a.@example.org", "invalid_email"],
  ["a@.org", "invalid_email"],
  [`${"a".repeat(64)}@${"b".repeat(190)}`, "invalid_email"],
])("refuses the address %j", async (email, code) => {
  const { registration, mails, state } = await people();
  await expect(registration.register({ ...someone, email })).rejects.toMatchObject({ field: "email", code });
  expect([mails, state.data.registrations]).toEqual([[], []]);
});

it.each([
  ["nine char", "password_too_short"],
  ["😀".repeat(9), "password_too_short"],
  ["x".repeat(201), "password_too_long"],
])("refuses a password of the wrong length", async (password, code) => {
  const { registration } = await people();
  await expect(registration.register({ ...someone, password })).rejects.toMatchObject({
    field: "password",
    code,
  });
});

it("removes the site of an account whose creation was interrupted by a kill", async () => {
  const { sites, state, accountBook, account, folder } = await people();
  await state.update((draft) => {
    draft.accounts.push({
      id: "owner",
      email: "o@example.org",
      passwordHash: "x",
      plan: "professional",
      administrator: true,
      createdAt: "2026-01-01T00:00:00Z",
    });
  });
  const { siteId } = await account();
  await sites.add("nobody", { label: "", customerRef: "" });
  await accountBook.start();
  expect(sites.list().map(({ id }) => id)).toEqual(["home", siteId]);
  expect((await people(folder)).sites.list().map(({ id }) => id)).toEqual(["home", siteId]);
});
