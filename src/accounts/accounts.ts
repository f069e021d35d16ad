import type { OwnerSettings } from "../config/settings.js";
import type { Site, Sites } from "../config/site.js";
import type { Log } from "../core/log.js";
import type { Clock } from "../core/time/clock.js";
import { isUnwritable } from "../store/errors.js";
import type { StateFile } from "../store/state.js";
import type { State, StateView } from "../store/state-schema.js";
import { type Access, basicAccess, tierOf } from "./access.js";
import { normalizeEmail } from "./credentials.js";
import { newKeyOf, voidPersonalKeys } from "./key-record.js";
import { accessIdOf, hashKey, isKey, newKey } from "./keys.js";
import { hashPassword, newPassword, type PasswordCaller, verifyPassword } from "./passwords.js";
import { planInForce } from "./plan-in-force.js";
import { hashToken } from "./secret-token.js";
import { OWNER_ID } from "./site-registry.js";

/** Verified against when there is no account, so that both cases take equally long. */
const UNKNOWN_ACCOUNT_HASH = `scrypt$32768$8$3$${"A".repeat(22)}$${"A".repeat(43)}`;

type StoredKey = StateView["keys"][number];

/** Result of `ensureOwner`; only this value holds the generated secrets in plain text. */
export interface OwnerReport {
  created: boolean;
  key?: string;
  password?: string;
}

/** Authenticates API keys and account passwords. */
export class Accounts {
  readonly #state: StateFile;
  readonly #clock: Clock;
  readonly #log: Pick<Log, "info" | "warn">;
  readonly #sites: Sites;
  /** The configured owner password, while it may differ from the stored one. */
  #ownerPassword: string | null = null;
  /** Keys by hash, and the state they were read from. */
  #keys: { of: StateView; byHash: Map<string, StoredKey> } | undefined;

  constructor(options: {
    state: StateFile;
    clock: Clock;
    /** At least one. */
    sites: Sites;
    log: Pick<Log, "info" | "warn">;
  }) {
    this.#state = options.state;
    this.#clock = options.clock;
    this.#log = options.log;
    this.#sites = options.sites;
  }

  /**
   * Creates the owner's account (Professional, administrator) with a key for the first site if there is none, and returns
   * the generated secrets. On later starts a configured key or password that differs from the last applied one replaces
   * the stored one; null keeps it. The e-mail is that of the first start.
   *
   * A configured password is compared at the next sign-in, not here: the comparison needs the slow hash, and a fast
   * fingerprint on disk would defeat its purpose. Throws StoreError.
   */
  async ensureOwner(owner: OwnerSettings): Promise<OwnerReport> {
    const account = this.#state.data.accounts.find(({ id }) => id === OWNER_ID);
    if (account !== undefined) {
      this.#ownerPassword = owner.password;
      if (owner.key !== null)
        await this.#applyOwnerKey(owner.key).catch((error: unknown) => {
          // A home without a plan would be worse: the gateway starts, and says so.
          if (!isUnwritable(error)) throw error;
          this.#log.warn(
            {},
            "The configured owner.key is not applied because the disk takes nothing: restart the gateway when it can be written.",
          );
        });
      return { created: false };
    }
    const key = owner.key ?? newKey(this.#state.data.shard);
    const password = owner.password ?? newPassword();
    const passwordHash = await hashPassword(password);
    await this.#state.update((draft) => {
      draft.accounts.push({
        id: OWNER_ID,
        email: owner.email,
        passwordHash,
        plan: "professional",
        administrator: true,
        createdAt: this.#clock.now().toISOString(),
      });
      this.#putOwnerKey(draft, key);
    });
    return {
      created: true,
      ...(owner.key === null ? { key } : {}),
      ...(owner.password === null ? { password } : {}),
    };
  }

  /** The access granted by a key now; basic for a missing, unknown, revoked or malformed key. */
  access(key: string | undefined): Access {
    if (key === undefined) return basicAccess(false);
    if (!isKey(key)) return basicAccess(true);
    const stored = this.#keysByHash(this.#state.data).get(hashKey(key));
    return stored === undefined ? basicAccess(true) : this.#accessOf(stored);
  }

  /** The access granted by the newest key of a site, for callers identified by other means; undefined without a key. */
  siteAccess(siteId: string): Access | undefined {
    const key = this.#state.data.keys.findLast((one) => one.siteId === siteId && one.revokedAt === null);
    return key && this.#accessOf(key);
  }

  #accessOf(stored: StoredKey): Access {
    const account = this.#state.data.accounts.find(({ id }) => id === stored.accountId);
    if (stored.revokedAt !== null || account === undefined) return basicAccess(true);
    // An administrator's key stays valid when its plant is renamed; it then belongs to the first plant.
    const site =
      this.#sites.get(stored.siteId) ?? (account.administrator ? this.#sites.list()[0] : undefined);
    if (site === undefined) return basicAccess(true);
    const plan = planInForce(account, this.#clock.now());
    return {
      ...tierOf(plan),
      plan,
      tokenPresent: true,
      tokenValid: true,
      site,
      accountId: account.id,
      keyId: accessIdOf(stored.hash),
      administrator: account.administrator,
      ...(stored.hourlyLimit === undefined ? {} : { hourlyLimit: stored.hourlyLimit }),
    };
  }

  /**
   * The account with this e-mail and password, or the shard that it was moved to (its password then counts). Takes equally long
   * for an unknown e-mail. Throws StoreError, WorkError.
   */
  async signIn(
    email: string,
    password: string,
    caller: PasswordCaller = "known",
  ): Promise<{ accountId: string; administrator: boolean } | { shard: number } | undefined> {
    const wanted = normalizeEmail(email);
    const found = this.#state.data.accounts.find((account) => normalizeEmail(account.email) === wanted);
    if (found?.id === OWNER_ID) await this.#applyOwnerPassword();
    const account = this.#state.data.accounts.find(({ id }) => id === found?.id);
    const emailHash = hashToken(wanted);
    const departed = this.#state.data.departed?.find((one) => one.emailHash === emailHash);
    const passwordHash = (account ?? departed)?.passwordHash ?? UNKNOWN_ACCOUNT_HASH;
    const isRight = await verifyPassword(password, passwordHash, caller);
    if (!isRight) return undefined;
    if (account === undefined) return departed && { shard: departed.shard };
    return { accountId: account.id, administrator: account.administrator };
  }

  site(id: string): Site | undefined {
    return this.#sites.get(id);
  }

  sites(): readonly Site[] {
    return this.#sites.list();
  }

  #keysByHash(state: StateView): Map<string, StoredKey> {
    if (this.#keys?.of !== state) {
      this.#keys = { of: state, byHash: new Map(state.keys.map((key) => [key.hash, key])) };
    }
    return this.#keys.byHash;
  }

  async #applyOwnerKey(key: string): Promise<void> {
    const hash = hashKey(key);
    if (this.#state.data.ownerKeyHash === hash) {
      const stored = this.#keysByHash(this.#state.data).get(hash);
      if (stored?.revokedAt !== null) {
        // Revoked after it was configured: a restart must not reactivate it.
        this.#log.warn({}, "The configured owner.key was revoked; set a new key or null.");
      }
      return;
    }
    await this.#state.update((draft) => this.#putOwnerKey(draft, key));
    this.#log.info({}, "The configured owner.key was applied; the previous key of the owner is revoked.");
  }

  /** Makes `key` the personal key of the owner's first site; added keys and keys of other sites stay. */
  #putOwnerKey(draft: State, key: string): void {
    const now = this.#clock.now().toISOString();
    const siteId = this.#firstSite().id;
    const hash = hashKey(key);
    for (const stored of draft.keys) {
      if (stored.hash === draft.ownerKeyHash) stored.revokedAt ??= now;
    }
    voidPersonalKeys(draft, siteId, { sites: this.#sites, now });
    draft.keys = draft.keys.filter((stored) => stored.hash !== hash);
    draft.keys.push(
      newKeyOf(draft, { siteId, accountId: OWNER_ID, label: "owner", createdAt: now }, key).record,
    );
    draft.ownerKeyHash = hash;
  }

  #firstSite(): Site {
    const first = this.#sites.list()[0];
    if (first === undefined)
      throw new RangeError("The configuration has no plant; set at least one under plants.");
    return first;
  }

  async #applyOwnerPassword(): Promise<void> {
    const configured = this.#ownerPassword;
    const owner = this.#state.data.accounts.find(({ id }) => id === OWNER_ID);
    if (configured === null || owner === undefined) return;
    if (!(await verifyPassword(configured, owner.passwordHash))) {
      const passwordHash = await hashPassword(configured);
      await this.#state.update((draft) => {
        for (const account of draft.accounts)
          if (account.id === OWNER_ID) account.passwordHash = passwordHash;
      });
    }
    this.#ownerPassword = null;
  }
}
