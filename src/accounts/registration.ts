import { DAY_MS } from "../domain/interval.js";
import type { Language } from "../language.js";
import type { Log } from "../log.js";
import { linkMail } from "../mail/link-mail.js";
import type { Mailer } from "../mail/mailer.js";
import type { State, StateFile } from "../store/state.js";
import type { Clock } from "../time/clock.js";
import { checkPassword, normalizeEmail, parseEmail } from "./credentials.js";
import { AccountInputError } from "./input-error.js";
import { makeAccount, type NewAccount } from "./new-account.js";
import { hashPassword } from "./passwords.js";
import { hashToken, newToken } from "./secret-token.js";
import type { SiteRegistry } from "./site-registry.js";

export { type AccountField, type AccountInputCode, AccountInputError } from "./input-error.js";

/** Validity of a confirmation link, on the gateway's clock. */
const CONFIRMATION_MS = DAY_MS;
const TOKEN_BYTES = 32;
/** Maximum number of pending registrations; above it the oldest ones are dropped. */
const CAPACITY = 1000;

/** Creates accounts in two steps: registration, then confirmation by the mailed link. */
export class AccountRegistration {
  readonly #state: StateFile;
  readonly #clock: Clock;
  readonly #sites: SiteRegistry;
  readonly #mail: Mailer;
  readonly #baseUrl: () => string;
  readonly #log: Pick<Log, "info">;
  /** Hashes of the tokens that are being redeemed. */
  readonly #confirming = new Set<string>();

  constructor(options: {
    state: StateFile;
    clock: Clock;
    sites: SiteRegistry;
    mail: Mailer;
    /** Public address of the gateway. */
    baseUrl: () => string;
    log: Pick<Log, "info">;
  }) {
    this.#state = options.state;
    this.#clock = options.clock;
    this.#sites = options.sites;
    this.#mail = options.mail;
    this.#baseUrl = options.baseUrl;
    this.#log = options.log;
  }

  /**
   * Sends the link that activates the account; a second registration before that takes the place of the first. Whether
   * there is such an account already shows neither in the outcome nor in its time: both ways make one slow hash, one
   * write and one mail. Throws AccountInputError, StoreError.
   */
  async register({
    email: input,
    password,
    language,
  }: {
    email: string;
    password: string;
    language: Language;
  }): Promise<void> {
    const email = parseEmail(input);
    checkPassword(password);
    const passwordHash = await hashPassword(password);
    const { token, hash: tokenHash } = newToken(TOKEN_BYTES);
    const isKnown = await this.#state.update((draft) => {
      const now = this.#clock.now();
      const known = draft.accounts.some((account) => normalizeEmail(account.email) === email);
      draft.registrations = stillOpen(draft, now).filter((one) => one.email !== email);
      if (known) return true;
      const createdAt = now.toISOString();
      const expiresAt = new Date(now.getTime() + CONFIRMATION_MS).toISOString();
      draft.registrations.push({ email, passwordHash, tokenHash, language, createdAt, expiresAt });
      draft.registrations = draft.registrations.slice(-CAPACITY);
      return false;
    });
    const baseUrl = this.#baseUrl().replace(/\/+$/, "");
    const mail = isKnown
      ? linkMail("alreadyRegistered", { link: `${baseUrl}/login`, language })
      : linkMail("confirmation", { link: `${baseUrl}/confirm?token=${token}`, language });
    await this.#mail.send({ to: email, ...mail });
  }

  /**
   * Makes the account whose link was followed, with its first site and that site's key, which is in the answer and
   * nowhere else. Undefined for a token that is unknown, used or older than a day. Throws StoreError.
   */
  async confirm(token: string): Promise<NewAccount | undefined> {
    const tokenHash = hashToken(token);
    const waiting = stillOpen(this.#state.data, this.#clock.now()).find((one) => one.tokenHash === tokenHash);
    if (waiting === undefined || this.#confirming.has(tokenHash)) return undefined;
    this.#confirming.add(tokenHash);
    try {
      const { email, passwordHash, language } = waiting;
      const made = await makeAccount(
        { state: this.#state, clock: this.#clock, sites: this.#sites },
        { email, passwordHash, language },
        (draft) => redeem(draft, tokenHash),
      );
      this.#log.info({ account: made.accountId, site: made.siteId }, "An account was confirmed.");
      return made;
    } catch (error) {
      // Another caller created the account meanwhile, or a later registration replaced this one.
      if (error instanceof AccountInputError) return undefined;
      throw error;
    } finally {
      this.#confirming.delete(tokenHash);
    }
  }
}

/** The registrations whose link is still valid. */
function stillOpen<One extends { readonly expiresAt: string }>(
  { registrations }: { readonly registrations: readonly One[] },
  now: Date,
): One[] {
  return registrations.filter(({ expiresAt }) => now < new Date(expiresAt));
}

function redeem(draft: State, tokenHash: string): void {
  const left = draft.registrations.filter((one) => one.tokenHash !== tokenHash);
  if (left.length === draft.registrations.length)
    throw new AccountInputError("email", "unknown_account", "This link is not valid any more.");
  draft.registrations = left;
}
