import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { WorkError } from "../core/work/work-error.js";
import type { AccountRepository } from "./account-repository.js";
import type { AccountSecurity } from "./account-security.js";
import type { Accounts } from "./accounts.js";
import type { AuditLog } from "./audit-log.js";
import { normalizeEmail } from "./credentials.js";
import { quotaAddress } from "./quota-address.js";
import { SignInThrottle } from "./sign-in-throttle.js";

/** No account has a longer e-mail; a longer one must not fill the memory. */
const EMAIL_MAX = 254;
/** Time to enter the code after the password, wrong codes in that time, and open tickets at most. */
const TICKET_MS = 5 * 60_000;
const TICKET_FAILURES = 5;
const TICKETS = 1000;
/** An account is warned of wrong codes at most once in this time. */
const WARNING_MS = 24 * 60 * 60_000;
/** When to try again while too many passwords are being checked, s. */
const BUSY_SECONDS = 5;

export interface SignInAttempt {
  email: string;
  password: string;
  /** Code of the authenticator app, if the account has one. */
  code?: string;
  /** Address of the client. */
  address: string;
  /** What `device` of an earlier result was, kept by the browser. */
  device?: string | undefined;
}

interface SignedIn {
  outcome: "signed_in";
  accountId: string;
  email: string;
  administrator: boolean;
  /** Proves to later attempts that this browser has signed in before. */
  device: string;
}

export type PasswordSignInResult =
  | SignedIn
  /** The password is right, and the account needs a code, which `complete` takes with the ticket. */
  | { outcome: "code_needed"; ticket: string }
  | { outcome: "wrong" }
  /** The password is right, and another shard of the fleet has the account. */
  | { outcome: "moved"; shard: number }
  | { outcome: "wait"; retryAfterSeconds: number };

interface Ticket {
  accountId: string;
  email: string;
  administrator: boolean;
  device: string | undefined;
  untilMs: number;
  failures: number;
}

type CodeResult = { outcome: "right" | "wrong" } | { outcome: "wait"; retryAfterSeconds: number };

/** Checks passwords and codes, with throttling and audit log. */
export class SignIn {
  readonly #accounts: Pick<Accounts, "signIn">;
  readonly #book: Pick<AccountRepository, "byEmail">;
  readonly #security: Pick<AccountSecurity, "hasTotp" | "useTotpCode" | "deviceSecret" | "warnOfWrongCodes">;
  readonly #audit: Pick<AuditLog, "record">;
  readonly #throttle: SignInThrottle;
  readonly #tickets = new Map<string, Ticket>();
  /** When accounts were warned of wrong codes, by id, monotonic ms. */
  readonly #warned = new Map<string, number>();

  constructor(options: {
    accounts: Pick<Accounts, "signIn">;
    book: Pick<AccountRepository, "byEmail">;
    security: Pick<AccountSecurity, "hasTotp" | "useTotpCode" | "deviceSecret" | "warnOfWrongCodes">;
    audit: Pick<AuditLog, "record">;
    throttle?: SignInThrottle;
  }) {
    this.#accounts = options.accounts;
    this.#book = options.book;
    this.#security = options.security;
    this.#audit = options.audit;
    this.#throttle = options.throttle ?? new SignInThrottle();
  }

  /** Takes equally long for an unknown e-mail. Throws StoreError. */
  async attempt({
    email: input,
    password,
    code = "",
    address,
    device,
  }: SignInAttempt): Promise<PasswordSignInResult> {
    const email = normalizeEmail(input).slice(0, EMAIL_MAX);
    const known = this.#isDevice(email, device) ? device : undefined;
    const attempt = this.#throttle.begin({ account: email, address: quotaAddress(address), device: known });
    const record = (event: string) => this.#audit.record({ event, account: email, from: address });
    if ("retryAfterSeconds" in attempt) {
      record("sign_in.delayed");
      return { outcome: "wait", ...attempt };
    }
    try {
      const caller = known === undefined ? { address: quotaAddress(address) } : "known";
      const found = await this.#accounts.signIn(email, password, caller);
      if (found === undefined) {
        record("sign_in.failed");
        return { outcome: "wrong" };
      }
      if ("shard" in found) {
        attempt.succeed();
        return { outcome: "moved", shard: found.shard };
      }
      if (this.#security.hasTotp(found.accountId)) {
        if (code.trim() === "") {
          attempt.succeed();
          return { outcome: "code_needed", ticket: this.#newTicket({ ...found, email, device: known }) };
        }
        const { accountId } = found;
        const checked = await this.#checkCode({ accountId, email, device: known, code, address });
        if (checked.outcome !== "right") {
          // The password was right: only the failures of codes count.
          attempt.succeed();
          return checked.outcome === "wait" ? checked : { outcome: "wrong" };
        }
      }
      attempt.succeed();
      record("sign_in.succeeded");
      return { outcome: "signed_in", ...found, email, device: this.#newDevice(found.accountId) };
    } catch (error) {
      attempt.cancel();
      if (error instanceof WorkError && error.fault === "busy")
        return { outcome: "wait", retryAfterSeconds: BUSY_SECONDS };
      throw error;
    }
  }

  /** Completes a sign-in with the code of the authenticator app; undefined for an expired ticket. Throws StoreError. */
  async complete({
    ticket: id,
    code,
    address,
  }: {
    ticket: string;
    code: string;
    address: string;
  }): Promise<SignedIn | { outcome: "wrong" } | { outcome: "wait"; retryAfterSeconds: number } | undefined> {
    const ticket = this.#tickets.get(id);
    if (ticket === undefined || ticket.untilMs < performance.now() || ticket.failures >= TICKET_FAILURES)
      return undefined;
    const { accountId, email, administrator, device } = ticket;
    ticket.failures++;
    const checked = await this.#checkCode({ accountId, email, device, code, address });
    if (checked.outcome === "wait") {
      ticket.failures--;
      return checked;
    }
    if (checked.outcome === "wrong") return { outcome: "wrong" };
    this.#audit.record({ event: "sign_in.succeeded", account: email, from: address });
    this.#tickets.delete(id);
    return { outcome: "signed_in", accountId, email, administrator, device: this.#newDevice(accountId) };
  }

  /** Lets an account sign in again without delay. */
  unlock(email: string): void {
    this.#throttle.unlock(normalizeEmail(email));
  }

  /** Checks and uses up a code; wrong ones are counted by account, over all tickets. Throws StoreError. */
  async #checkCode({
    accountId,
    email,
    device,
    code,
    address,
  }: Pick<Ticket, "accountId" | "email" | "device"> & {
    code: string;
    address: string;
  }): Promise<CodeResult> {
    const record = (event: string) => this.#audit.record({ event, account: email, from: address });
    const attempt = this.#throttle.beginCode({ account: email, device });
    if ("retryAfterSeconds" in attempt) {
      record("sign_in.delayed");
      return { outcome: "wait", ...attempt };
    }
    const isRight = await this.#security.useTotpCode(accountId, code).catch((error: unknown) => {
      attempt.cancel();
      throw error;
    });
    if (isRight) {
      attempt.succeed();
      return { outcome: "right" };
    }
    record("sign_in.code_failed");
    if (this.#throttle.isDelayingCodes(email)) this.#warn({ accountId, email, address });
    return { outcome: "wrong" };
  }

  /** A person who knows the password guesses codes: the holder of the account gets a mail. */
  #warn({ accountId, email, address }: { accountId: string; email: string; address: string }): void {
    const nowMs = performance.now();
    if (nowMs - (this.#warned.get(accountId) ?? Number.NEGATIVE_INFINITY) < WARNING_MS) return;
    this.#warned.set(accountId, nowMs);
    this.#audit.record({ event: "account.codes_guessed", account: email, from: address });
    this.#security.warnOfWrongCodes(accountId);
  }

  #newTicket(found: Omit<Ticket, "untilMs" | "failures">): string {
    const id = randomBytes(24).toString("base64url");
    this.#tickets.set(id, { ...found, untilMs: performance.now() + TICKET_MS, failures: 0 });
    if (this.#tickets.size > TICKETS) this.#tickets.delete(this.#tickets.keys().next().value!);
    return id;
  }

  #newDevice(accountId: string): string {
    const id = randomBytes(12).toString("base64url");
    return `${id}.${macOf(this.#security.deviceSecret(accountId), id)}`;
  }

  #isDevice(email: string, device: string | undefined): boolean {
    const [id, mac, ...rest] = (device ?? "").split(".");
    const account = this.#book.byEmail(email);
    if (!id || !mac || rest.length > 0 || account === undefined) return false;
    const expected = Buffer.from(macOf(this.#security.deviceSecret(account.id), id));
    const given = Buffer.from(mac);
    return given.length === expected.length && timingSafeEqual(given, expected);
  }
}

function macOf(secret: string, id: string): string {
  return createHmac("sha256", secret).update(`device ${id}`).digest("base64url");
}
