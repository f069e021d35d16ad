import type { IncomingMessage } from "node:http";
import type { Accounts } from "../accounts/accounts.js";
import type { Links } from "../accounts/links.js";
import { bearerToken } from "../core/net/bearer-token.js";

/** Creates the check whether a request carries a valid key, controller link or portal session. */
export function authenticationCheck({
  accounts,
  links,
  isSignedIn,
}: {
  accounts: Pick<Accounts, "access">;
  links: Pick<Links, "find">;
  isSignedIn: (req: IncomingMessage) => boolean;
}): (req: IncomingMessage) => boolean {
  return (req) => {
    const key = req.headers["x-api-key"] ?? bearerToken(req.headers);
    if (typeof key === "string" && accounts.access(key.trim()).tokenValid) return true;
    const token = /^\/c\/([^/?]+)/.exec(req.url ?? "")?.[1];
    if (token !== undefined) return links.find(token) !== undefined;
    return req.headers.cookie !== undefined && isSignedIn(req);
  };
}
