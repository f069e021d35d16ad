import { expect, it } from "vitest";
import { RegistrationRule } from "../../src/accounts/registration-rule.js";
import { parse } from "../../src/config/load.js";
import { recordingLog } from "../store/support/folder.js";

/** An installation that starts again and again, with its documents. */
function installation() {
  const stored = new Map<string, unknown>();
  const documents = {
    get: async (name: string) => stored.get(name),
    put: async (name: string, document: unknown) => void stored.set(name, document),
  };
  return async (accounts: number, setting: "auto" | "open" | "closed" = "auto", isFleet = false) => {
    const rule = new RegistrationRule({
      setting,
      isFleet,
      accountCount: () => accounts,
      documents,
      log: recordingLog(),
    });
    await rule.start();
    return rule.isOpen;
  };
}

it("registration is closed by default, and stays so when somebody was invited", async () => {
  expect(parse("").settings.accounts.registration).toBe("auto");
  const start = installation();
  expect(await start(1)).toBe(false);
  expect(await start(2)).toBe(false);
  expect(await start(2, "open")).toBe(true);
});

it("an installation that had several accounts stays open, unless it is closed", async () => {
  const start = installation();
  expect(await start(3)).toBe(true);
  expect(await start(3, "closed")).toBe(false);
  expect(await start(1)).toBe(true);
});

it("a fleet is open", async () => {
  expect(await installation()(1, "auto", true)).toBe(true);
});

it("is closed when it cannot be stored", async () => {
  const fail = () => Promise.reject(new Error("The disk is full."));
  const documents = { get: async () => undefined, put: fail };
  const log = recordingLog();
  const rule = new RegistrationRule({
    setting: "auto",
    isFleet: false,
    accountCount: () => 1,
    documents,
    log,
  });
  await rule.start();
  expect(rule.isOpen).toBe(false);
});
