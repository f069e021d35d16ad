import type { Bus } from "../core/bus.js";
import type { Log } from "../core/log.js";
import type { Clock } from "../core/time/clock.js";
import type { StateFile } from "../store/state.js";
import type { AccountMails } from "./account-mails.js";
import { AccountRepository } from "./account-repository.js";
import { AccountSecurity } from "./account-security.js";
import type { Accounts } from "./accounts.js";
import type { AuditLog } from "./audit-log.js";
import { KeyRing } from "./key-ring.js";
import { Links } from "./links.js";
import { MqttApprovals } from "./mqtt-approvals.js";
import { AccountRegistration } from "./registration.js";
import { SignIn } from "./sign-in.js";
import type { SiteRegistry } from "./site-registry.js";

/** Creates the account services over one state. */
export function createAccountServices(options: {
  state: StateFile;
  clock: Clock;
  bus: Bus;
  accounts: Accounts;
  audit: AuditLog;
  sites: SiteRegistry;
  mails: AccountMails;
  baseUrl: () => string;
  log: Pick<Log, "info">;
}) {
  const accountBook = new AccountRepository(options);
  const security = new AccountSecurity(options);
  const { accounts, audit } = options;
  return {
    registration: new AccountRegistration(options),
    accountBook,
    security,
    signIn: new SignIn({ accounts, book: accountBook, security, audit }),
    audit,
    keyRing: new KeyRing(options),
    links: new Links(options),
    mqttApprovals: new MqttApprovals(options),
    sites: options.sites,
  };
}

/** The services that manage accounts, used by the portal and the command line. */
export type AccountServices = ReturnType<typeof createAccountServices>;
