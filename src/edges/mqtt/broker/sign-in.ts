import { createHash, timingSafeEqual } from "node:crypto";
import type { Access } from "../../../accounts/access.js";
import type { Log } from "../../../core/log.js";
import type { Rights } from "./rights.js";
import { type KnownAddress, MqttSignInThrottle } from "./sign-in-throttle.js";

/** A user of `mqtt.broker.users`. */
export interface BrokerUser {
  username: string;
  password: string;
  plant: string;
  /** Filters that the user may use besides the topics of the plant. */
  publish?: readonly string[];
  subscribe?: readonly string[];
}

export interface BrokerSignInOptions {
  access(key: string): Access;
  users: readonly BrokerUser[];
  /** Admits clients without a password. */
  anonymous: boolean;
  /** Stores from where a user has signed in for the first time. */
  remember(known: KnownAddress): void;
  log: Log;
  /** Milliseconds of a monotonic clock. */
  nowMs?: () => number;
}

/** One client's sign-in. `rights()` is evaluated for each action, so a revoked key takes effect immediately. */
export interface SignedIn {
  rights(): Rights | undefined;
  /** `Access.keyId` of the API key that it signed in with. */
  keyId?: string | undefined;
}

/** `refused`: wrong credentials; `throttled`: too many wrong ones before. */
export type SignInResult = SignedIn | "refused" | "throttled";

/** Longer passwords are refused unchecked: no key or configured password has this length. */
const MAX_PASSWORD_BYTES = 1024;

interface User {
  name: Buffer;
  secret: Buffer;
  rights: Rights;
}

const digest = (text: string) => createHash("sha256").update(text).digest();

/** Decides who may connect to the embedded broker. Secrets are compared in constant time. */
export class BrokerSignIn {
  readonly #options: BrokerSignInOptions;
  readonly #throttle: MqttSignInThrottle;
  readonly #users: User[];

  constructor(options: BrokerSignInOptions) {
    this.#options = options;
    this.#throttle = new MqttSignInThrottle({ log: options.log, nowMs: options.nowMs });
    this.#users = options.users.map(({ username, password, plant, publish = [], subscribe = [] }) => ({
      name: digest(username),
      secret: digest(password),
      rights: { kind: "plant", plant, publish, subscribe },
    }));
  }

  /** Checks the credentials of a client that connects from the address. */
  check(username: string | undefined, password: Buffer | undefined, address: string): SignInResult {
    if (password === undefined || password.length === 0) {
      const rights: Rights = { kind: "anonymous" };
      if (this.#options.anonymous) return { rights: () => rights };
      this.#throttle.logRefused({ user: username, address });
      return "refused";
    }
    const user = username ?? "";
    if (password.length > MAX_PASSWORD_BYTES) return this.#failed(user, address);
    const key = password.toString("utf8");
    const name = digest(user);
    const secret = digest(key);
    // API keys have 256 random bits and cannot be guessed: they are never throttled.
    if (this.#rightsOfKey(key) !== undefined)
      return { rights: () => this.#rightsOfKey(key), keyId: this.#options.access(key).keyId };
    let found: Rights | undefined;
    for (const one of this.#users) if (matches(one, name, secret)) found ??= one.rights;
    const isKnown = found !== undefined && this.#throttle.isKnown({ user, address });
    if (!isKnown && this.#throttle.isBlocked({ user, address })) {
      this.#throttle.failed({ user, address });
      return "throttled";
    }
    if (found === undefined) return this.#failed(user, address);
    const rights = found;
    const known = this.#throttle.succeeded({ user, address });
    if (known !== undefined) this.#options.remember(known);
    return { rights: () => rights };
  }

  /** A user has signed in from there before the start. */
  know(known: KnownAddress): void {
    this.#throttle.know(known);
  }

  #failed(user: string, address: string): "refused" {
    this.#throttle.failed({ user, address });
    return "refused";
  }

  #rightsOfKey(key: string): Rights | undefined {
    const { tokenValid, site, administrator } = this.#options.access(key);
    if (!tokenValid || site === undefined) return undefined;
    return { kind: administrator ? "administrator" : "plant", plant: site.id };
  }
}

/** Takes the same time for all inputs. */
function matches(user: User, name: Buffer, secret: Buffer): boolean {
  const nameMatches = timingSafeEqual(user.name, name);
  const secretMatches = timingSafeEqual(user.secret, secret);
  return nameMatches && secretMatches;
}
