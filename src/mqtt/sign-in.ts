import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import type { Access } from "../accounts/access.js";
import type { Rights } from "./rights.js";

/** A sign-in of its own for MQTT, from the configuration. */
export interface BrokerUser {
  username: string;
  password: string;
  plant: string;
}

export interface BrokerSignInOptions {
  access(key: string): Access;
  users: readonly BrokerUser[];
  /** Lets clients in that send no password. */
  anonymous: boolean;
}

/** One client's sign-in. `rights()` asks anew each time, so that a revoked key ends with its next action. */
export interface SignedIn {
  rights(): Rights | undefined;
}

export interface BrokerSignIn {
  /** User name and password that the gateway's own client signs in with; made anew at each start. */
  readonly loopback: { username: string; password: string };
  /** The sign-in of a client; undefined when it is refused. */
  check(username: string | undefined, password: Buffer | undefined): SignedIn | undefined;
}

/** Longer passwords are refused unread: no key or configured password has this length. */
const MAX_PASSWORD_BYTES = 1024;

const digest = (text: string) => createHash("sha256").update(text).digest();

/** Who may connect to the embedded broker. Comparisons of secrets take the same time whatever they hold. */
export function createBrokerSignIn({ access, users, anonymous }: BrokerSignInOptions): BrokerSignIn {
  const loopback = { username: "hourgate-gateway", password: randomBytes(32).toString("base64url") };
  const gateway: Rights = { kind: "gateway" };
  const listed = [
    { name: digest(loopback.username), secret: digest(loopback.password), rights: gateway },
    ...users.map(({ username, password, plant }) => ({
      name: digest(username),
      secret: digest(password),
      rights: { kind: "plant", plant } satisfies Rights,
    })),
  ];
  const rightsOfKey = (key: string): Rights | undefined => {
    const { tokenValid, site, administrator } = access(key);
    if (!tokenValid || site === undefined) return undefined;
    return { kind: administrator ? "administrator" : "plant", plant: site.id };
  };
  return {
    loopback,
    check: (username, password) => {
      if (password === undefined || password.length === 0) {
        const rights: Rights = { kind: "anonymous" };
        return anonymous ? { rights: () => rights } : undefined;
      }
      if (password.length > MAX_PASSWORD_BYTES) return undefined;
      const key = password.toString("utf8");
      const name = digest(username ?? "");
      const secret = digest(key);
      let found: Rights | undefined;
      for (const entry of listed) {
        const nameFits = timingSafeEqual(entry.name, name);
        const secretFits = timingSafeEqual(entry.secret, secret);
        if (nameFits && secretFits) found ??= entry.rights;
      }
      if (found !== undefined) {
        const rights = found;
        return { rights: () => rights };
      }
      return rightsOfKey(key) === undefined ? undefined : { rights: () => rightsOfKey(key) };
    },
  };
}
