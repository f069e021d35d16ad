import { randomUUID } from "node:crypto";
import type { OwnerSettings, PlantSettings } from "../config/settings.js";
import type { Log } from "../log.js";
import type { Account, State, StateFile, StateView } from "../store/state.js";
import type { Clock } from "../time/clock.js";
import { type Access, basicAccess, type Plan, tierOf } from "./access.js";
import { hashKey, isKey, keyPrefix, newKey } from "./keys.js";
import { hashPassword, newPassword, verifyPassword } from "./passwords.js";
import type { Site } from "./sites.js";

/** Id of the account that the gateway makes at its first start; the plants of the configuration are its own. */
export const OWNER_ID = "owner";
/** Something to verify against where there is no account, so that both cases take as long. */
const NOBODY = `scrypt$32768$8$3$${"A".repeat(22)}$${"A".repeat(43)}`;

type StoredKey = StateView["keys"][number];

/** What `ensureOwner` did; the generated secrets are in it and nowhere else in plain text. */
export interface OwnerReport {
  created: boolean;
  key?: string;
  password?: string;
}

/** Accounts, their keys and the sites these open. */
export class Accounts {
  readonly #state: StateFile;
  readonly #clock: Clock;
  readonly #log: Pick<Log, "info" | "warn">;
  readonly #sites: readonly Site[];
  readonly #siteById: ReadonlyMap<string, Site>;
  /** The owner's password of the configuration as long as it may differ from the stored one. */
  #ownerPassword: string | null = null;
  /** Keys by hash, for the state they were taken from. */
  #keys: { of: StateView; byHash: Map<string, StoredKey> } | undefined;

  constructor(options: {
    state: StateFile;
    clock: Clock;
    /** The plants of the configuration, at least one. */
    sites: readonly PlantSettings[];
    log: Pick<Log, "info" | "warn">;
  }) {
    this.#state = options.state;
    this.#clock = options.clock;
    this.#log = options.log;
    this.#sites = options.sites.map((plant) => ({ id: plant.id, accountId: OWNER_ID, plant }));
    this.#siteById = new Map(this.#sites.map((site) => [site.id, site]));
  }

  /**
   * Makes the owner's account (Professional, administrator) with a key for the first site where there is none, and
   * returns what it had to generate. Later a key or password of the configuration that is not the last one applied
   * takes the place of the owner's own; null leaves what is there. The e-mail is that of the first start.
   *
   * A configured password is compared at the next sign-in, not here: only the slow hash could tell, and a quick
   * fingerprint of it on disk would undo what the slow hash is for. Throws StoreError.
   */
  async ensureOwner(owner: OwnerSettings): Promise<OwnerReport> {
    const account = this.#state.data.accounts.find(({ id }) => id === OWNER_ID);
    if (account !== undefined) {
      this.#ownerPassword = owner.password;
      if (owner.key !== null) await this.#applyOwnerKey(owner.key);
      return { created: false };
    }
    const key = owner.key ?? newKey();
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

  /** The access that a key gives now; basic for none, an unknown, revoked or malformed one. */
  access(key: string | undefined): Access {
    if (key === undefined) return basicAccess(false);
    if (!isKey(key)) return basicAccess(true);
    const state = this.#state.data;
    const stored = this.#keysByHash(state).get(hashKey(key));
    const account = stored && state.accounts.find(({ id }) => id === stored.accountId);
    if (stored === undefined || stored.revokedAt !== null || account === undefined) return basicAccess(true);
    // A key of the administrator outlives a plant that was renamed; it then opens the first one.
    const site = this.#siteById.get(stored.siteId) ?? (account.administrator ? this.#sites[0] : undefined);
    if (site === undefined) return basicAccess(true);
    const plan = effectivePlan(account, this.#clock.now());
    return {
      ...tierOf(plan),
      plan,
      tokenPresent: true,
      tokenValid: true,
      site,
      accountId: account.id,
      keyId: stored.id,
      administrator: account.administrator,
      ...(stored.hourlyLimit === undefined ? {} : { hourlyLimit: stored.hourlyLimit }),
    };
  }

  /** The account whose e-mail and password these are. Takes as long for an unknown e-mail. Throws StoreError. */
  async signIn(
    email: string,
    password: string,
  ): Promise<{ accountId: string; administrator: boolean } | undefined> {
    const wanted = email.trim().toLowerCase();
    const found = this.#state.data.accounts.find((account) => account.email.toLowerCase() === wanted);
    if (found?.id === OWNER_ID) await this.#applyOwnerPassword();
    const account = this.#state.data.accounts.find(({ id }) => id === found?.id);
    const isRight = await verifyPassword(password, account?.passwordHash ?? NOBODY);
    if (account === undefined || !isRight) return undefined;
    return { accountId: account.id, administrator: account.administrator };
  }

  site(id: string): Site | undefined {
    return this.#siteById.get(id);
  }

  sites(): readonly Site[] {
    return this.#sites;
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
        // Revoked after it was configured: a restart must not bring back what somebody voided.
        this.#log.warn({}, "owner.key of the configuration was revoked; set a new one or set it to null.");
      }
      return;
    }
    await this.#state.update((draft) => this.#putOwnerKey(draft, key));
    this.#log.info({}, "The owner's key is now the one of the configuration; the one before it is revoked.");
  }

  /** Makes `key` the owner's own in place of the last one; other keys of the owner's account stay. */
  #putOwnerKey(draft: State, key: string): void {
    const now = this.#clock.now().toISOString();
    const hash = hashKey(key);
    for (const stored of draft.keys) {
      if (stored.hash === draft.ownerKeyHash) stored.revokedAt ??= now;
    }
    draft.keys = draft.keys.filter((stored) => stored.hash !== hash);
    draft.keys.push({
      id: randomUUID(),
      hash,
      prefix: keyPrefix(key),
      label: "owner",
      siteId: this.#firstSite().id,
      accountId: OWNER_ID,
      createdAt: now,
      revokedAt: null,
    });
    draft.ownerKeyHash = hash;
  }

  #firstSite(): Site {
    const first = this.#sites[0];
    if (first === undefined)
      throw new RangeError("The configuration has no plant; give at least one under plants.");
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

/** The plan that counts at `now`: a paid one until its period ends, else a trial that runs, else community. */
function effectivePlan(account: Readonly<Account>, now: Date): Exclude<Plan, "basic"> {
  const hasEnded = account.paidUntil !== undefined && new Date(account.paidUntil) <= now;
  if (account.plan !== "community" && !hasEnded) return account.plan;
  const { trial } = account;
  const isTrial = trial !== undefined && new Date(trial.startedAt) <= now && now < new Date(trial.endsAt);
  return isTrial ? "trial" : "community";
}
