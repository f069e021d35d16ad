import { expect, it } from "vitest";
import { SignIn } from "../../src/accounts/sign-in.js";
import { SignInThrottle } from "../../src/accounts/sign-in-throttle.js";
import { WorkError } from "../../src/core/work/work-error.js";

it("asks to wait, without counting the attempt, while too many passwords are checked", async () => {
  const events: string[] = [];
  let isBusy = true;
  const signIn = new SignIn({
    accounts: {
      signIn: async () => {
        if (isBusy) throw new WorkError("busy", "The check of passwords is busy: try again later.");
        return undefined;
      },
    },
    book: { byEmail: () => undefined },
    security: {
      hasTotp: () => false,
      useTotpCode: async () => false,
      deviceSecret: () => "",
      warnOfWrongCodes: () => {},
    },
    audit: { record: async ({ event }) => void events.push(event) },
  });
  const attempt = { email: "a@example.org", password: "wrong", address: "192.0.2.1" };
  for (let count = 0; count < 30; count++)
    expect(await signIn.attempt(attempt)).toEqual({ outcome: "wait", retryAfterSeconds: 5 });
  expect(events).toEqual([]);
  isBusy = false;
  expect(await signIn.attempt(attempt)).toEqual({ outcome: "wrong" });
});

it("delays wrong codes of an account over all tickets and addresses, and tells its holder once", async () => {
  const events: string[] = [];
  const warned: string[] = [];
  let nowMs = 0;
  const signIn = new SignIn({
    accounts: { signIn: async () => ({ accountId: "a1", administrator: false }) },
    book: { byEmail: () => undefined },
    security: {
      hasTotp: () => true,
      useTotpCode: async (_account, code) => code === "000042",
      deviceSecret: () => "",
      warnOfWrongCodes: (accountId) => void warned.push(accountId),
    },
    audit: { record: ({ event }) => void events.push(event) },
    throttle: new SignInThrottle({ nowMs: () => nowMs }),
  });
  let guesses = 0;
  const guess = async (code: string) => {
    // A new ticket and a new address for each.
    const address = `192.0.2.${++guesses}`;
    const asked = await signIn.attempt({ email: "a@example.org", password: "right", address });
    if (asked.outcome !== "code_needed") throw new Error(`no ticket: ${asked.outcome}`);
    return signIn.complete({ ticket: asked.ticket, code, address });
  };
  for (let count = 0; count < 5; count++) expect(await guess("111111")).toEqual({ outcome: "wrong" });
  // The right code does not get in while the account waits, by whatever way it is entered.
  expect(await guess("000042")).toEqual({ outcome: "wait", retryAfterSeconds: 1 });
  const code = { email: "a@example.org", password: "right", code: "000042", address: "192.0.2.99" };
  expect(await signIn.attempt(code)).toEqual({ outcome: "wait", retryAfterSeconds: 1 });
  for (const seconds of [2, 4, 8, 16]) {
    nowMs += (seconds / 2) * 1000;
    expect(await guess("111111")).toEqual({ outcome: "wrong" });
    expect(await guess("000042")).toEqual({ outcome: "wait", retryAfterSeconds: seconds });
  }
  expect(warned).toEqual(["a1"]);
  expect(events.filter((event) => event === "account.codes_guessed")).toHaveLength(1);
  nowMs += 16_000;
  expect(await guess("000042")).toMatchObject({ outcome: "signed_in" });
  expect(await guess("111111")).toEqual({ outcome: "wrong" });
  expect(await guess("000042")).toMatchObject({ outcome: "signed_in" });
});
