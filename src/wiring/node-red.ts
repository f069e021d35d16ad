import type { IncomingMessage } from "node:http";
import type { Accounts } from "../accounts/accounts.js";
import type { AccountServices } from "../accounts/create.js";
import { quotaAddress } from "../accounts/quota-address.js";
import type { Settings } from "../config/settings.js";
import type { HealthRegistry } from "../health-registry.js";
import { clientAddress } from "../http/address.js";
import type { Log } from "../log.js";
import { VIENNA } from "../time/zone.js";

/** The embedded Node-RED. If it is disabled, none of its modules is loaded. */
export async function nodeRedOf(
  { http: { trust_proxy: trustProxy }, node_red: { enabled, path }, plants }: Settings,
  parts: {
    accounts: Accounts;
    accountServices: AccountServices;
    components: HealthRegistry;
    dataFolder: string;
    log: Log;
  },
) {
  if (!enabled) return undefined;
  const [{ createNodeRed }, { createEditorSignIn }, { SignInThrottle }] = await Promise.all([
    import("../node-red/service.js"),
    import("../node-red/sign-in.js"),
    import("../portal/throttle.js"),
  ]);
  const { accounts, accountServices, components, dataFolder, log } = parts;
  const signIn = createEditorSignIn({
    verify: (email, password) => accounts.signIn(email, password),
    isAdministrator: (email) => accountServices.accountBook.byEmail(email)?.administrator === true,
    throttle: new SignInThrottle({ limit: 10, windowMs: 15 * 60_000 }),
    addressName: quotaAddress,
    log,
  });
  const caller = (req: IncomingMessage) => ({
    address: clientAddress(req, trustProxy),
    protocol: trustProxy && req.headers["x-forwarded-proto"] === "https" ? "https" : "http",
  });
  const timezone = plants[0]?.timezone ?? VIENNA;
  return createNodeRed({ path, dataFolder, timezone, signIn, caller, components, log });
}
