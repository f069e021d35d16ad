import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { people, tokenOf } from "./people.js";

const someone = { email: " New@Example.org ", language: "en" } as const;
const PASSWORD = "long enough";

it("creates a community account with a site and a key on confirmation, once", async () => {
  const { registration, mails, accounts, accountBook, sites, folder } = await people();
  await registration.register(someone);
  expect(mails).toMatchObject([{ to: "new@example.org", subject: "Confirm your e-mail address" }]);
  const token = tokenOf(mails[0]);
  expect(accountBook.list()).toEqual([]);
  expect(await readFile(join(folder, "state.json"), "utf8")).not.toContain(token);

  // The form was sent twice: only one of them creates the account.
  const both = await Promise.all([
    registration.confirm(token, PASSWORD),
    registration.confirm(token, PASSWORD),
  ]);
  const made = both.find((one) => one !== undefined)!;
  expect(both.filter((one) => one !== undefined)).toHaveLength(1);
  expect(await registration.confirm(token, PASSWORD)).toBeUndefined();
  expect(accounts.access(made.key)).toMatchObject({ tier: "community", site: { id: made.siteId } });
  expect(accountBook.list()).toMatchObject([{ email: "new@example.org", language: "en", plan: "community" }]);
  expect(sites.of(made.accountId).map(({ id }) => id)).toEqual([made.siteId]);
  expect(await accounts.signIn("NEW@example.org", PASSWORD)).toMatchObject({ administrator: false });
});

it("does not let a later registration replace an earlier one, and accepts links for 24 hours", async () => {
  const { registration, mails, clock, state, accounts } = await people();
  await registration.register(someone);
  await registration.register(someone);
  const [first, second] = mails.map(tokenOf);
  expect(registration.pending(second!)).toMatchObject({ email: "new@example.org" });
  expect(await registration.confirm(first!, PASSWORD)).toBeDefined();
  expect(await accounts.signIn("new@example.org", PASSWORD)).toBeDefined();
  // The other link is void: it cannot set another password.
  expect(await registration.confirm(second!, "another password")).toBeUndefined();
  expect(state.data.registrations).toEqual([]);

  await registration.register({ ...someone, email: "late@example.org" });
  await clock.advance(24 * 3_600_000 - 1);
  expect(registration.pending(tokenOf(mails[2]))).toBeDefined();
  await clock.advance(1);
  expect(await registration.confirm(tokenOf(mails[2]), PASSWORD)).toBeUndefined();
});

it("keeps an invitation, however many strangers register", async () => {
  const { registration, mails, state } = await people();
  await registration.invite({ email: "guest@example.org", language: "en" });
  await state.update((draft) => {
    const { invited: _, ...stranger } = draft.registrations[0]!;
    for (let at = 0; at < 1000; at++) draft.registrations.push({ ...stranger, email: `s${at}@example.org` });
  });
  await registration.register({ email: "last@example.org", language: "en" });
  expect(registration.pending(tokenOf(mails[0]))).toEqual(
    expect.objectContaining({ email: "guest@example.org" }),
  );
  expect(state.data.registrations).toHaveLength(1001);
});

it("sets one password by the recovery links of an account, also when they are used at the same time", async () => {
  const { security, mails, account, accounts } = await people();
  const { accountId } = await account("lost@example.org");
  for (let at = 0; at < 2; at++) await security.requestRecovery("lost@example.org");
  const [first, second] = mails.map(({ text }) => /reset\?token=([\w-]{43})$/m.exec(text)![1]!);
  const passwords = ["that of the owner", "that of a stranger", "that of a reader"];
  const used = await Promise.all(
    [first!, first!, second!].map((token, at) => security.recover(token, passwords[at]!)),
  );
  expect(used).toEqual([accountId, undefined, undefined]);
  expect(await accounts.signIn("lost@example.org", passwords[0]!)).toBeDefined();
});

it("reveals only to the owner of the address that there is an account", async () => {
  const { registration, mails, account, state } = await people();
  await account("new@example.org");
  const before = structuredClone(state.data);
  expect(await registration.register({ ...someone, language: "de" })).toBeUndefined();
  expect(mails).toMatchObject([{ to: "new@example.org", subject: "Sie haben bereits ein Konto" }]);
  expect(mails[0]?.text).not.toContain("token");
  expect(mails[0]?.text).toContain("http://gateway.example/login");
  expect(state.data).toEqual(before);
});

it("rejects a link when the account was created otherwise meanwhile, and leaves no site behind", async () => {
  const { registration, mails, account, sites } = await people();
  await registration.register(someone);
  const { accountId } = await account("new@example.org");
  expect(await registration.confirm(tokenOf(mails[0]), PASSWORD)).toBeUndefined();
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
  ["1234567890", "password_common"],
  ["Password123!", "password_common"],
  ["abcabcabcabc", "password_common"],
])("refuses the password %j, and keeps the link valid", async (password, code) => {
  const { registration, mails } = await people();
  await registration.register(someone);
  const token = tokenOf(mails[0]);
  await expect(registration.confirm(token, password)).rejects.toMatchObject({ field: "password", code });
  expect(registration.pending(token)).toBeDefined();
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
