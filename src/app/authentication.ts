import type { IncomingMessage } from "node:http";
import type { Accounts } from "../accounts/accounts.js";
import type { Links } from "../accounts/links.js";
import { hashToken } from "../accounts/secret-token.js";
import { bearerToken } from "../core/net/bearer-token.js";
import { unescaped } from "../core/net/fetch.js";
import type { StateView } from "../store/state-schema.js";

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
    const key = keyOf(req);
    if (key !== undefined && accounts.access(key).tokenValid) return true;
    const token = linkTokenOf(req);
    if (token !== undefined) return links.find(token) !== undefined;
    return req.headers.cookie !== undefined && isSignedIn(req);
  };
}

/** Creates the check whether the key or link of a request belongs to an account that was moved to another shard. */
export function departureCheck(state: { readonly data: StateView }): (req: IncomingMessage) => boolean {
  let known: { of: StateView["departed"]; hashes: Set<string> } = { of: undefined, hashes: new Set() };
  return (req) => {
    const { departed } = state.data;
    if (departed !== known.of)
      known = {
        of: departed,
        hashes: new Set(departed?.flatMap(({ tokenHashes }) => tokenHashes)),
      };
    if (known.hashes.size === 0) return false;
    const token = linkTokenOf(req) ?? keyOf(req);
    return token !== undefined && known.hashes.has(hashToken(unescaped(token)));
  };
}

function keyOf({ headers }: IncomingMessage): string | undefined {
  const key = headers["x-api-key"] ?? bearerToken(headers);
  return typeof key === "string" ? key.trim() : undefined;
}

function linkTokenOf({ url = "" }: IncomingMessage): string | undefined {
  return /^\/c\/([^/?]+)/.exec(url)?.[1];
}
