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
  | { outcome: "wait"; retryAfterSeconds: number };

interface Ticket {
  accountId: string;
  email: string;
  administrator: boolean;
  untilMs: number;
  failures: number;
}

/** Checks passwords and codes, with throttling and audit log. */
export class SignIn {
  readonly #accounts: Pick<Accounts, "signIn">;
  readonly #book: Pick<AccountRepository, "byEmail">;
  readonly #security: Pick<AccountSecurity, "hasTotp" | "useTotpCode" | "deviceSecret">;
  readonly #audit: Pick<AuditLog, "record">;
  readonly #throttle: SignInThrottle;
  readonly #tickets = new Map<string, Ticket>();

  constructor(options: {
    accounts: Pick<Accounts, "signIn">;
    book: Pick<AccountRepository, "byEmail">;
    security: Pick<AccountSecurity, "hasTotp" | "useTotpCode" | "deviceSecret">;
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
      if (this.#security.hasTotp(found.accountId)) {
        if (code.trim() === "") {
          attempt.succeed();
          return { outcome: "code_needed", ticket: this.#newTicket({ ...found, email }) };
        }
        if (!(await this.#security.useTotpCode(found.accountId, code))) {
          record("sign_in.code_failed");
          return { outcome: "wrong" };
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
  }): Promise<SignedIn | { outcome: "wrong" } | undefined> {
    const ticket = this.#tickets.get(id);
    if (ticket === undefined || ticket.untilMs < performance.now() || ticket.failures >= TICKET_FAILURES)
      return undefined;
    const { accountId, email, administrator } = ticket;
    ticket.failures++;
    const isRight = await this.#security.useTotpCode(accountId, code);
    const event = isRight ? "sign_in.succeeded" : "sign_in.code_failed";
    this.#audit.record({ event, account: email, from: address });
    if (!isRight) return { outcome: "wrong" };
    this.#tickets.delete(id);
    return { outcome: "signed_in", accountId, email, administrator, device: this.#newDevice(accountId) };
  }

  /** Lets an account sign in again without delay. */
  unlock(email: string): void {
    this.#throttle.unlock(normalizeEmail(email));
  }

  #newTicket(found: { accountId: string; email: string; administrator: boolean }): string {
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
