import { DAY_MS } from "../core/domain/interval.js";
import type { Language } from "../core/language.js";
import type { Log } from "../core/log.js";
import type { Clock } from "../core/time/clock.js";
import type { StateFile } from "../store/state.js";
import type { AccountMails } from "./account-mails.js";
import { checkPassword, normalizeEmail, parseEmail } from "./credentials.js";
import { AccountInputError, accountExists } from "./input-error.js";
import { makeAccount, type NewAccount } from "./new-account.js";
import { hashPassword } from "./passwords.js";
import { hashToken, newToken } from "./secret-token.js";
import type { SiteRegistry } from "./site-registry.js";

export { type AccountField, type AccountInputCode, AccountInputError } from "./input-error.js";

/** Validity of a confirmation link, on the gateway's clock. */
const CONFIRMATION_MS = DAY_MS;
/** Validity of an invitation: who is invited does not wait for it. */
const INVITATION_MS = 7 * DAY_MS;
const TOKEN_BYTES = 32;
/** Maximum number of pending registrations without an invitation; above it the oldest ones are dropped. */
const CAPACITY = 1000;

/** Creates accounts in two steps: registration, then confirmation by the mailed link. */
export class AccountRegistration {
  readonly #state: StateFile;
  readonly #clock: Clock;
  readonly #sites: SiteRegistry;
  readonly #mails: AccountMails;
  readonly #baseUrl: () => string;
  readonly #log: Pick<Log, "info">;
  /** Hashes of the tokens that are being redeemed. */
  readonly #confirming = new Set<string>();

  constructor(options: {
    state: StateFile;
    clock: Clock;
    sites: SiteRegistry;
    mails: AccountMails;
    /** Public address of the gateway. */
    baseUrl: () => string;
    log: Pick<Log, "info">;
  }) {
    this.#state = options.state;
    this.#clock = options.clock;
    this.#sites = options.sites;
    this.#mails = options.mails;
    this.#baseUrl = options.baseUrl;
    this.#log = options.log;
  }

  /**
   * Mails a link with which the account can be created. Earlier links to the address stay valid, so nobody can make another
   * person's link invalid. The outcome does not reveal whether there is such an account: both cases make one write and one
   * mail. Throws AccountInputError, StoreError.
   */
  async register({ email: input, language }: { email: string; language: Language }): Promise<void> {
    const email = parseEmail(input);
    const link = await this.#newLink({ email, language, validMs: CONFIRMATION_MS });
    await this.#mails.send({
      to: email,
      language,
      ...(link === undefined
        ? { kind: "alreadyRegistered", link: this.#url("/login") }
        : { kind: "confirmation", link }),
    });
  }

  /**
   * Mails a link of an administrator with which the account can be created, also where registration is closed. Throws
   * AccountInputError, also for an address that has an account; StoreError.
   */
  async invite({ email: input, language }: { email: string; language: Language }): Promise<void> {
    const email = parseEmail(input);
    const link = await this.#newLink({ email, language, validMs: INVITATION_MS, invited: true });
    if (link === undefined) throw accountExists(email);
    await this.#mails.send({ kind: "invitation", to: email, link, language });
  }

  /** The e-mail of a registration by its link; undefined for one that is unknown, used or older than a day. */
  pending(token: string): { email: string } | undefined {
    return this.#find(hashToken(token));
  }

  /**
   * Creates the account of a link with the password, with its first site and that site's key, which only the returned value
   * holds. Undefined for an invalid link. Throws AccountInputError for an invalid password, StoreError.
   */
  async confirm(token: string, password: string): Promise<NewAccount | undefined> {
    const tokenHash = hashToken(token);
    if (this.#find(tokenHash) === undefined) return undefined;
    await checkPassword(password);
    const passwordHash = await hashPassword(password);
    const registration = this.#find(tokenHash);
    if (registration === undefined || this.#confirming.has(tokenHash)) return undefined;
    this.#confirming.add(tokenHash);
    try {
      const { email, language } = registration;
      const created = await makeAccount(
        { state: this.#state, clock: this.#clock, sites: this.#sites },
        { email, passwordHash, language },
        (draft) => {
          draft.registrations = draft.registrations.filter((one) => one.email !== email);
        },
      );
      this.#log.info({ account: created.accountId, site: created.siteId }, "An account was confirmed.");
      return created;
    } catch (error) {
      // Another caller created the account meanwhile.
      if (error instanceof AccountInputError) return undefined;
      throw error;
    } finally {
      this.#confirming.delete(tokenHash);
    }
  }

  /** Stores a registration and returns its link; undefined if there is such an account. Throws StoreError. */
  async #newLink(options: {
    email: string;
    language: Language;
    validMs: number;
    invited?: true;
  }): Promise<string | undefined> {
    const { validMs, ...registration } = options;
    const { email } = registration;
    const { token, hash: tokenHash } = newToken(TOKEN_BYTES);
    const isKnown = await this.#state.update((draft) => {
      const now = this.#clock.now();
      const pending = stillOpen(draft, now);
      draft.registrations = pending;
      if (draft.accounts.some((account) => normalizeEmail(account.email) === email)) return true;
      const createdAt = now.toISOString();
      const expiresAt = new Date(now.getTime() + validMs).toISOString();
      draft.registrations = [...pending, { ...registration, tokenHash, createdAt, expiresAt }];
      // Strangers cannot push out who is invited.
      const strangers = draft.registrations.filter(({ invited }) => invited !== true);
      const dropped = new Set(strangers.slice(0, -CAPACITY));
      draft.registrations = draft.registrations.filter((one) => !dropped.has(one));
      return false;
    });
    return isKnown ? undefined : this.#url(`/confirm?token=${token}`);
  }

  #url(path: string): string {
    return this.#baseUrl().replace(/\/+$/, "") + path;
  }

  #find(tokenHash: string) {
    return stillOpen(this.#state.data, this.#clock.now()).find((one) => one.tokenHash === tokenHash);
  }
}

/** The registrations whose link is still valid. */
function stillOpen<One extends { readonly expiresAt: string }>(
  { registrations }: { readonly registrations: readonly One[] },
  now: Date,
): One[] {
  return registrations.filter(({ expiresAt }) => now < new Date(expiresAt));
}
