import { createHash } from "node:crypto";
import type { Bus } from "../core/bus.js";
import { HOUR_MS } from "../core/domain/interval.js";
import type { Clock } from "../core/time/clock.js";
import type { StateFile } from "../store/state.js";
import type { Account, State } from "../store/state-schema.js";
import type { AccountMails } from "./account-mails.js";
import { checkPassword, normalizeEmail, parseEmail } from "./credentials.js";
import { AccountInputError, unknownAccount } from "./input-error.js";
import { hashPassword, verifyPassword } from "./passwords.js";
import { hashToken, newToken } from "./secret-token.js";
import { totpStep, totpUri } from "./totp.js";

/** Validity of a recovery link, on the gateway's clock. */
const RECOVERY_MS = HOUR_MS;
/** Maximum number of valid recovery links, of one account and of all; above it the oldest are dropped. */
const RECOVERIES_PER_ACCOUNT = 3;
const RECOVERIES = 200;
const TOKEN_BYTES = 32;

/** Passwords, recovery and second factors of the accounts. A change emits `account.credentials_changed` on the bus. */
export class AccountSecurity {
  readonly #state: StateFile;
  readonly #clock: Clock;
  readonly #bus: Bus;
  readonly #mails: AccountMails;
  readonly #baseUrl: () => string;
  /** Accounts one of whose links is being redeemed. */
  readonly #recovering = new Set<string>();

  constructor(options: {
    state: StateFile;
    clock: Clock;
    bus: Bus;
    mails: AccountMails;
    baseUrl: () => string;
  }) {
    this.#state = options.state;
    this.#clock = options.clock;
    this.#bus = options.bus;
    this.#mails = options.mails;
    this.#baseUrl = options.baseUrl;
  }

  /** A fingerprint that changes with password and second factor: sessions and tokens that contain another one are void. */
  credentials(accountId: string): string {
    const account = this.#find(accountId);
    if (account === undefined) return "";
    return createHash("sha256")
      .update(`${account.passwordHash}\n${account.totp?.secret ?? ""}`)
      .digest("base64url")
      .slice(0, 22);
  }

  /** Key of the tokens by which browsers that have signed in before are recognised; changes with the password. */
  deviceSecret(accountId: string): string {
    return this.#find(accountId)?.passwordHash ?? "";
  }

  /** Changes a password after checking the current one. Throws AccountInputError (`wrong_password`), StoreError. */
  async changePassword(accountId: string, current: string, next: string): Promise<void> {
    await checkPassword(next);
    await this.checkCurrent(accountId, current);
    await this.setPassword(accountId, next);
  }

  /** Throws AccountInputError (`wrong_password`) unless this is the account's password. */
  async checkCurrent(accountId: string, current: string): Promise<void> {
    const account = this.#find(accountId);
    if (account === undefined) throw unknownAccount();
    if (await verifyPassword(current, account.passwordHash)) return;
    throw new AccountInputError(
      "current_password",
      "wrong_password",
      "This is not the current password of the account.",
    );
  }

  /** Sets a password, and removes the second factor on request. Throws AccountInputError, StoreError. */
  async setPassword(
    accountId: string,
    password: string,
    { removeTotp = false }: { removeTotp?: boolean } = {},
  ): Promise<void> {
    await checkPassword(password);
    const passwordHash = await hashPassword(password);
    await this.#change(accountId, (account, draft) => {
      account.passwordHash = passwordHash;
      if (removeTotp) delete account.totp;
      draft.recoveries = draft.recoveries.filter((one) => one.accountId !== accountId);
    });
  }

  /**
   * Mails a link with which a new password can be set. The outcome and its duration do not reveal whether there is such an
   * account: without one, nothing is mailed. Throws AccountInputError for an invalid address, StoreError.
   */
  async requestRecovery(input: string): Promise<void> {
    const email = parseEmail(input);
    const { token, hash: tokenHash } = newToken(TOKEN_BYTES);
    const found = await this.#state.update((draft) => {
      const now = this.#clock.now();
      draft.recoveries = draft.recoveries.filter(({ expiresAt }) => now < new Date(expiresAt));
      const account = draft.accounts.find((one) => normalizeEmail(one.email) === email);
      if (account === undefined) return undefined;
      const own = draft.recoveries.filter(({ accountId }) => accountId === account.id);
      const dropped = own.slice(0, Math.max(0, own.length - RECOVERIES_PER_ACCOUNT + 1));
      const expiresAt = new Date(now.getTime() + RECOVERY_MS).toISOString();
      draft.recoveries = [
        ...draft.recoveries.filter((one) => !dropped.includes(one)),
        { accountId: account.id, tokenHash, expiresAt },
      ].slice(-RECOVERIES);
      return { to: account.email, language: account.language ?? ("de" as const) };
    });
    if (found === undefined) return;
    const link = `${this.#baseUrl().replace(/\/+$/, "")}/reset?token=${token}`;
    // Not awaited: a mail server's delay would reveal that there is an account.
    void this.#mails.send({ kind: "recovery", link, ...found }).catch(() => {});
  }

  /** Whether a recovery link is valid. */
  isRecovery(token: string): boolean {
    return this.#recoveryOf(token) !== undefined;
  }

  /**
   * Sets the password by a recovery link, which is then void; a second factor stays. Returns the account, undefined for an
   * invalid link. Throws AccountInputError, StoreError.
   */
  async recover(token: string, password: string): Promise<string | undefined> {
    const recovery = this.#recoveryOf(token);
    if (recovery === undefined || this.#recovering.has(recovery.accountId)) return undefined;
    const { accountId } = recovery;
    this.#recovering.add(accountId);
    try {
      await this.setPassword(accountId, password);
      return accountId;
    } finally {
      this.#recovering.delete(accountId);
    }
  }

  /** Key of signed tokens; changes with password and second factor. */
  tokenSecret(accountId: string): string {
    const account = this.#find(accountId);
    return `${account?.passwordHash}\n${account?.totp?.secret}`;
  }

  hasTotp(accountId: string): boolean {
    return this.#find(accountId)?.totp !== undefined;
  }

  totpUri(accountId: string, secret: string): string {
    return totpUri(secret, this.#find(accountId)?.email ?? "");
  }

  /** Enables the second factor after checking a code of the app. Throws AccountInputError (`wrong_code`), StoreError. */
  async enableTotp(accountId: string, secret: string, code: string): Promise<void> {
    const step = totpStep(secret, code, this.#clock.now());
    if (step === undefined) throw wrongCode();
    await this.#change(accountId, (account) => {
      account.totp = { secret, lastStep: step };
    });
  }

  /** Disables the second factor. Throws AccountInputError, StoreError. */
  async disableTotp(accountId: string): Promise<void> {
    await this.#change(accountId, (account) => {
      delete account.totp;
    });
  }

  /** Uses up a code of the account's app; false for a wrong or used one. Throws StoreError. */
  async useTotpCode(accountId: string, code: string): Promise<boolean> {
    const totp = this.#find(accountId)?.totp;
    const step = totp && totpStep(totp.secret, code, this.#clock.now());
    if (step === undefined) return false;
    return this.#state.update((draft) => {
      const account = draft.accounts.find(({ id }) => id === accountId);
      if (account?.totp === undefined || step <= account.totp.lastStep) return false;
      account.totp.lastStep = step;
      return true;
    });
  }

  /** Mails the holder of an account that somebody who knows the password has entered wrong codes. */
  warnOfWrongCodes(accountId: string): void {
    const account = this.#find(accountId);
    if (account === undefined) return;
    const { email: to, language = "de" } = account;
    const link = `${this.#baseUrl().replace(/\/+$/, "")}/settings/plan`;
    void this.#mails.send({ kind: "wrongCodes", to, link, language }).catch(() => {});
  }

  #find(accountId: string): Readonly<Account> | undefined {
    return this.#state.data.accounts.find(({ id }) => id === accountId);
  }

  #recoveryOf(token: string) {
    const tokenHash = hashToken(token);
    const now = this.#clock.now();
    return this.#state.data.recoveries.find(
      (one) => one.tokenHash === tokenHash && now < new Date(one.expiresAt),
    );
  }

  async #change(
    accountId: string,
    mutate: (account: State["accounts"][number], draft: State) => void,
  ): Promise<void> {
    await this.#state.update((draft) => {
      const account = draft.accounts.find(({ id }) => id === accountId);
      if (account === undefined) throw unknownAccount();
      mutate(account, draft);
    });
    this.#bus.emit("account.credentials_changed", { accountId });
  }
}

function wrongCode(): AccountInputError {
  return new AccountInputError("code", "wrong_code", "This is not the present code of the app.");
}
