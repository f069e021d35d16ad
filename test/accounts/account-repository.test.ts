import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { endOfMonth } from "../../src/accounts/plan-in-force.js";
import { people } from "./people.js";

const DAY_MS = 86_400_000;

describe("a trial", () => {
  it("lasts 14 days, can be used once, then reverts to community", async () => {
    const { accountBook, account, accounts, clock } = await people();
    const { accountId, key } = await account();
    await accountBook.startTrial(accountId);
    expect(accountBook.get(accountId)).toMatchObject({
      plan: "community",
      effectivePlan: "trial",
      tier: "full_trial",
      label: "Full version (trial)",
      trial: { endsAt: new Date("2026-02-14T12:00:00Z") },
    });
    expect(accounts.access(key).tier).toBe("full_trial");
    await clock.advance(14 * DAY_MS);
    expect(accounts.access(key).tier).toBe("community");
    await expect(accountBook.startTrial(accountId)).rejects.toMatchObject({ code: "trial_used" });
  });

  it("is refused while a paid plan is in effect", async () => {
    const { accountBook, account } = await people();
    const { accountId } = await account();
    await accountBook.setPlan(accountId, "oem");
    await expect(accountBook.startTrial(accountId)).rejects.toMatchObject({ code: "trial_not_needed" });
    expect(accountBook.get(accountId)?.trial).toBeUndefined();
  });
});

it("the language of an account is the first one known until the user chooses another", async () => {
  const { accountBook, account, bus } = await people();
  const { accountId } = await account();
  const changes: unknown[] = [];
  bus.on("account.language_changed", (change) => changes.push(change));
  const before = accountBook.get(accountId)!.language;
  const other = before === "de" ? "en" : "de";
  await accountBook.keepLanguage(accountId, before, { isChoice: false });
  const known = changes.length;
  await accountBook.keepLanguage(accountId, other, { isChoice: false });
  expect([accountBook.get(accountId)!.language, changes.length]).toEqual([before, known]);
  await accountBook.keepLanguage(accountId, other, { isChoice: true });
  await accountBook.keepLanguage(accountId, other, { isChoice: true });
  expect(accountBook.get(accountId)!.language).toBe(other);
  expect(changes.slice(known)).toEqual([{ accountId }]);
});

describe("a paid plan", () => {
  it("stays in effect after cancellation until the end of its billing month, and can be resumed until then", async () => {
    const { accountBook, account, clock } = await people();
    const { accountId } = await account();
    await accountBook.setPlan(accountId, "professional");
    await clock.set(new Date("2026-03-01T00:00:00Z"));
    // Given on 31 January: months end on 28 February, 31 March, 30 April.
    expect(await accountBook.cancel(accountId)).toEqual(new Date("2026-03-31T12:00:00Z"));
    await clock.set(new Date("2026-03-31T11:59:59Z"));
    expect(await accountBook.cancel(accountId)).toEqual(new Date("2026-03-31T12:00:00Z"));
    expect(accountBook.get(accountId)).toMatchObject({
      effectivePlan: "professional",
      cancelledAt: new Date("2026-03-01T00:00:00Z"),
    });
    await accountBook.resume(accountId);
    await clock.set(new Date("2026-04-01T00:00:00Z"));
    expect(accountBook.get(accountId)?.effectivePlan).toBe("professional");
    await accountBook.cancel(accountId);
    await clock.set(new Date("2026-04-30T12:00:00Z"));
    expect(accountBook.get(accountId)).toMatchObject({ plan: "professional", effectivePlan: "community" });
    await expect(accountBook.resume(accountId)).rejects.toMatchObject({ code: "no_paid_plan" });
    await expect(accountBook.cancel(accountId)).rejects.toMatchObject({ code: "no_paid_plan" });
  });

  it("keeps an agreed end date through cancelling and resuming", async () => {
    const { accountBook, account, clock } = await people();
    const { accountId } = await account();
    const until = new Date("2026-12-31T23:00:00Z");
    await accountBook.setPlan(accountId, "oem", { until });
    expect(await accountBook.cancel(accountId)).toEqual(until);
    await accountBook.resume(accountId);
    expect(accountBook.get(accountId)).toMatchObject({ paidUntil: until, tier: "full_active" });
    expect(accountBook.get(accountId)?.cancelledAt).toBeUndefined();
    await clock.set(until);
    expect(accountBook.get(accountId)?.effectivePlan).toBe("community");
  });

  it("is refused with an end in the past, or for an unknown account", async () => {
    const { accountBook, account, clock } = await people();
    const { accountId } = await account();
    const refused = accountBook.setPlan(accountId, "oem", { until: clock.now() });
    await expect(refused).rejects.toMatchObject({ code: "until_past" });
    await expect(accountBook.setPlan("nobody", "oem")).rejects.toMatchObject({ code: "unknown_account" });
    expect(accountBook.get(accountId)?.plan).toBe("community");
  });

  it("ends a billing month within 31 days, on the starting day or the last day of a shorter month", () => {
    const day = (min: string) =>
      fc.date({ min: new Date(min), max: new Date("2040-01-01"), noInvalidDate: true });
    fc.assert(
      fc.property(day("2020-01-01"), fc.integer({ min: 0, max: 4000 * DAY_MS }), (since, afterMs) => {
        const now = new Date(since.getTime() + afterMs);
        const end = endOfMonth(since, now);
        const aheadMs = end.getTime() - now.getTime();
        expect(aheadMs).toBeGreaterThan(0);
        expect(aheadMs).toBeLessThanOrEqual(31 * DAY_MS);
        const isLastOfMonth = new Date(end.getTime() + DAY_MS).getUTCDate() === 1;
        expect(end.getUTCDate() === since.getUTCDate() || isLastOfMonth).toBe(true);
        expect(end.getTime() % DAY_MS).toBe(since.getTime() % DAY_MS);
      }),
    );
  });
});

describe("an account", () => {
  it("is created once per address, and its password changes only with the current password", async () => {
    const { accountBook, security, accounts } = await people();
    const made = await accountBook.create({ email: "A@example.org", password: "long enough" });
    expect(accounts.access(made.key)).toMatchObject({ accountId: made.id, site: { id: made.siteId } });
    expect(accountBook.byEmail(" a@EXAMPLE.org")?.id).toBe(made.id);
    const again = accountBook.create({ email: "a@example.org", password: "long enough" });
    await expect(again).rejects.toMatchObject({ code: "account_exists" });
    const guess = security.changePassword(made.id, "long enough?", "another one");
    await expect(guess).rejects.toMatchObject({ code: "wrong_password", field: "current_password" });
    await security.changePassword(made.id, "long enough", "another one");
    expect(await accounts.signIn("a@example.org", "another one")).toBeDefined();
    expect(await accounts.signIn("a@example.org", "long enough")).toBeUndefined();
  });
});
