import { join } from "node:path";
import { Accounts } from "../../src/accounts/accounts.js";
import { AuditLog } from "../../src/accounts/audit-log.js";
import { createAccountServices } from "../../src/accounts/create.js";
import { makeAccount } from "../../src/accounts/new-account.js";
import { SiteRegistry } from "../../src/accounts/site-registry.js";
import { defaultSettings } from "../../src/config/load.js";
import { createBus } from "../../src/core/bus.js";
import { accountMails } from "../../src/messages/mail/link-mail.js";
import type { Mail } from "../../src/messages/mail/mailer.js";
import { StateFile } from "../../src/store/state.js";
import { recordingLog, temporaryFolder } from "../store/support/folder.js";
import { manualClock } from "../support/manual-clock.js";

/** The services over a state file of their own (or, as after a restart, over that of `folder`), with mails in a list. */
export async function people(folder?: string) {
  const dataFolder = folder ?? (await temporaryFolder());
  const clock = manualClock(new Date("2026-01-31T12:00:00Z"));
  const log = recordingLog();
  const state = await StateFile.open(join(dataFolder, "state.json"), log);
  const { plants } = defaultSettings();
  const bus = createBus();
  const sites = new SiteRegistry({ state, clock, bus, plants, telemetry: [], log });
  const accounts = new Accounts({ state, clock, sites, log });
  const audit = new AuditLog({ folder: dataFolder, log });
  const mails: Mail[] = [];
  const mail = { send: async (one: Mail) => void mails.push(one) };
  const services = createAccountServices({
    state,
    clock,
    bus,
    accounts,
    audit,
    sites,
    mails: accountMails(mail),
    baseUrl: () => "http://gateway.example/",
    log,
  });
  /** An account whose password nobody needs, without the cost of hashing one. */
  const account = (email = "a@example.org") =>
    makeAccount({ state, clock, sites }, { email, passwordHash: "x", language: "de" });
  return { folder: dataFolder, clock, bus, log, state, mails, accounts, account, ...services };
}

/** The token in a mail's text. */
export function tokenOf(mail: Mail | undefined): string {
  return /^http:\/\/gateway\.example\/confirm\?token=([\w-]{43})$/m.exec(mail?.text ?? "")?.[1] ?? "none";
}
