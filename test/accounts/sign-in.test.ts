import { expect, it } from "vitest";
import { SignIn } from "../../src/accounts/sign-in.js";
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
    security: { hasTotp: () => false, useTotpCode: async () => false, deviceSecret: () => "" },
    audit: { record: async ({ event }) => void events.push(event) },
  });
  const attempt = { email: "a@example.org", password: "wrong", address: "192.0.2.1" };
  for (let count = 0; count < 30; count++)
    expect(await signIn.attempt(attempt)).toEqual({ outcome: "wait", retryAfterSeconds: 5 });
  expect(events).toEqual([]);
  isBusy = false;
  expect(await signIn.attempt(attempt)).toEqual({ outcome: "wrong" });
});
