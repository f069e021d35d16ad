import type { Language } from "../language.js";
import type { Account, State, StateFile } from "../store/state.js";
import type { Clock } from "../time/clock.js";
import { type Plan, type Tier, tierOf } from "./access.js";
import { checkPassword, normalizeEmail, parseEmail } from "./credentials.js";
import { AccountInputError, accountExists } from "./input-error.js";
import { makeAccount, removeOrphanedSites } from "./new-account.js";
import { hashPassword, verifyPassword } from "./passwords.js";
import { endOfMonth, isPaid, planInForce, TRIAL_MS } from "./plan-in-force.js";
import type { SiteRegistry } from "./site-registry.js";

/** A plan that can be given to an account. */
export type GivenPlan = Account["plan"];

/** An account as people see it. */
export interface AccountView {
  id: string;
  email: string;
  /** The plan that was given. */
  plan: GivenPlan;
  /** The plan in force now: a period may have ended, a trial may run. */
  effectivePlan: Exclude<Plan, "basic">;
  tier: Tier;
  label: string;
  administrator: boolean;
  createdAt: Date;
  /** The one trial of the account, also when it is over. */
  trial?: { startedAt: Date; endsAt: Date };
  /** End of the paid period, where it is known. */
  paidUntil?: Date;
  /** When the plan was cancelled; it runs on to `paidUntil`. */
  cancelledAt?: Date;
  language: Language;
}

/** The accounts and their plans. */
export class AccountRepository {
  readonly #state: StateFile;
  readonly #clock: Clock;
  readonly #sites: SiteRegistry;

  constructor({ state, clock, sites }: { state: StateFile; clock: Clock; sites: SiteRegistry }) {
    this.#state = state;
    this.#clock = clock;
    this.#sites = sites;
  }

  /** Clears away what a process that was killed while it made an account left behind. Throws StoreError. */
  async start(): Promise<void> {
    await removeOrphanedSites(this.#state, this.#sites);
  }

  async stop(): Promise<void> {}

  /** All accounts, in order of their making. */
  list(): AccountView[] {
    return this.#state.data.accounts.map((account) => this.#viewOf(account));
  }

  get(id: string): AccountView | undefined {
    const found = this.#state.data.accounts.find((account) => account.id === id);
    return found && this.#viewOf(found);
  }

  byEmail(email: string): AccountView | undefined {
    const wanted = normalizeEmail(email);
    const found = this.#state.data.accounts.find((account) => normalizeEmail(account.email) === wanted);
    return found && this.#viewOf(found);
  }

  /**
   * Makes a community account that needs no confirmation, with its first site and that site's key, which is in the answer
   * and nowhere else. Throws AccountInputError, StoreError.
   */
  async create({
    email: typed,
    password,
    language = "de",
  }: {
    email: string;
    password: string;
    language?: Language;
  }): Promise<AccountView & { siteId: string; key: string }> {
    const email = parseEmail(typed);
    checkPassword(password);
    if (this.byEmail(email) !== undefined) throw accountExists(email);
    const passwordHash = await hashPassword(password);
    const { accountId, siteId, key } = await makeAccount(
      { state: this.#state, clock: this.#clock, sites: this.#sites },
      { email, passwordHash, language },
      // Who was on the way to the same account has it now.
      (draft) => {
        draft.registrations = draft.registrations.filter((one) => one.email !== email);
      },
    );
    return { ...this.get(accountId)!, siteId, key };
  }

  /**
   * Gives an account a plan from now on: to the end of time, or up to `until`. Takes back a cancellation. Throws
   * AccountInputError, StoreError.
   */
  async setPlan(id: string, plan: GivenPlan, { until }: { until?: Date } = {}): Promise<void> {
    const now = this.#clock.now();
    if (until !== undefined && !(until > now))
      throw new AccountInputError("until", "until_past", "The end of the paid period must lie ahead.");
    if (until !== undefined && plan === "community")
      throw new AccountInputError("until", "no_paid_plan", "Community has no end; leave the date out.");
    await this.#change(id, (account) => {
      const goesOn = account.plan === plan && isPaid(account, now) && account.planSince !== undefined;
      account.plan = plan;
      delete account.cancelledAt;
      delete account.paidUntil;
      if (plan === "community") delete account.planSince;
      else if (!goesOn) account.planSince = now.toISOString();
      if (until !== undefined) account.paidUntil = until.toISOString();
    });
  }

  /** Starts the one trial of an account: 14 days with the limits of Professional. Throws AccountInputError, StoreError. */
  async startTrial(id: string): Promise<void> {
    const now = this.#clock.now();
    await this.#change(id, (account) => {
      if (account.trial !== undefined) {
        throw new AccountInputError(
          "plan",
          "trial_used",
          "The trial of this account was used already; choose a plan.",
        );
      }
      if (isPaid(account, now)) {
        throw new AccountInputError(
          "plan",
          "trial_not_needed",
          "This account has the full version; it needs no trial.",
        );
      }
      const endsAt = new Date(now.getTime() + TRIAL_MS);
      account.trial = { startedAt: now.toISOString(), endsAt: endsAt.toISOString() };
    });
  }

  /**
   * Cancels the paid plan; it runs on to the end of the paid period, which is returned: the one that is known, else the
   * end of the month in progress, counted from when the plan was given. Throws AccountInputError, StoreError.
   */
  cancel(id: string): Promise<Date> {
    const now = this.#clock.now();
    return this.#change(id, (account) => {
      if (!isPaid(account, now)) throw noPaidPlan();
      account.paidUntil ??= endOfMonth(new Date(account.planSince ?? account.createdAt), now).toISOString();
      account.cancelledAt ??= now.toISOString();
      return new Date(account.paidUntil);
    });
  }

  /** Takes a cancellation back as long as the plan runs. Throws AccountInputError, StoreError. */
  async resume(id: string): Promise<void> {
    const now = this.#clock.now();
    await this.#change(id, (account) => {
      if (!isPaid(account, now) || account.cancelledAt === undefined) throw noPaidPlan();
      const since = new Date(account.planSince ?? account.createdAt);
      // The end that only came of the cancellation goes with it; one that was agreed stays.
      const ofCancelling = endOfMonth(since, new Date(account.cancelledAt)).toISOString();
      if (account.paidUntil === ofCancelling) delete account.paidUntil;
      delete account.cancelledAt;
    });
  }

  /** Changes a password whose owner knows the current one. Throws AccountInputError (`wrong_password`), StoreError. */
  async changePassword(id: string, current: string, next: string): Promise<void> {
    const stored = this.#state.data.accounts.find((account) => account.id === id);
    if (stored === undefined) throw unknownAccount();
    checkPassword(next);
    if (!(await verifyPassword(current, stored.passwordHash))) {
      throw new AccountInputError(
        "current_password",
        "wrong_password",
        "This is not the current password of the account.",
      );
    }
    const passwordHash = await hashPassword(next);
    await this.#change(id, (account) => {
      account.passwordHash = passwordHash;
    });
  }

  #change<Result>(id: string, mutate: (account: State["accounts"][number]) => Result): Promise<Result> {
    return this.#state.update((draft) => {
      const account = draft.accounts.find((one) => one.id === id);
      if (account === undefined) throw unknownAccount();
      return mutate(account);
    });
  }

  #viewOf(account: Readonly<Account>): AccountView {
    const { id, email, plan, administrator, trial, paidUntil, cancelledAt } = account;
    const effectivePlan = planInForce(account, this.#clock.now());
    return {
      id,
      email,
      plan,
      effectivePlan,
      ...tierOf(effectivePlan),
      administrator,
      createdAt: new Date(account.createdAt),
      ...(trial && { trial: { startedAt: new Date(trial.startedAt), endsAt: new Date(trial.endsAt) } }),
      ...(paidUntil !== undefined && { paidUntil: new Date(paidUntil) }),
      ...(cancelledAt !== undefined && { cancelledAt: new Date(cancelledAt) }),
      language: account.language ?? "de",
    };
  }
}

function unknownAccount(): AccountInputError {
  return new AccountInputError("email", "unknown_account", "There is no such account.");
}

function noPaidPlan(): AccountInputError {
  return new AccountInputError(
    "plan",
    "no_paid_plan",
    "There is no paid plan in force, or none that was cancelled.",
  );
}
