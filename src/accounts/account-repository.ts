import type { Bus } from "../core/bus.js";
import type { GivenPlan, Plan, Tier } from "../core/domain/tier.js";
import type { Language } from "../core/language.js";
import type { Clock } from "../core/time/clock.js";
import { isUnwritable } from "../store/errors.js";
import type { StateFile } from "../store/state.js";
import type { Account, State } from "../store/state-schema.js";
import { tierOf } from "./access.js";
import { checkPassword, normalizeEmail, parseEmail } from "./credentials.js";
import { AccountInputError, accountExists, unknownAccount } from "./input-error.js";
import { makeAccount, removeOrphanedSites } from "./new-account.js";
import { hashPassword } from "./passwords.js";
import { endOfMonth, isPaid, planInForce, TRIAL_MS } from "./plan-in-force.js";
import type { SiteRegistry } from "./site-registry.js";

/** The public view of an account. */
export interface AccountView {
  id: string;
  email: string;
  /** The assigned plan. */
  plan: GivenPlan;
  /** The plan in effect now: a paid period may have ended or a trial may be running. */
  effectivePlan: Exclude<Plan, "basic">;
  tier: Tier;
  label: string;
  administrator: boolean;
  createdAt: Date;
  /** The account's only trial, including one that has ended. */
  trial?: { startedAt: Date; endsAt: Date };
  /** End of the paid period, if known. */
  paidUntil?: Date;
  /** When the plan was cancelled; it stays in effect until `paidUntil`. */
  cancelledAt?: Date;
  language: Language;
}

/** The accounts and their plans. */
export class AccountRepository {
  readonly #state: StateFile;
  readonly #clock: Clock;
  readonly #bus: Bus;
  readonly #sites: SiteRegistry;

  constructor({
    state,
    clock,
    bus,
    sites,
  }: {
    state: StateFile;
    clock: Clock;
    bus: Bus;
    sites: SiteRegistry;
  }) {
    this.#bus = bus;
    this.#state = state;
    this.#clock = clock;
    this.#sites = sites;
  }

  /** Removes sites left behind when the process was killed while creating an account. Throws StoreError. */
  async start(): Promise<void> {
    await removeOrphanedSites(this.#state, this.#sites).catch((error: unknown) => {
      // At the next start.
      if (!isUnwritable(error)) throw error;
    });
  }

  async stop(): Promise<void> {}

  get count(): number {
    return this.#state.data.accounts.length;
  }

  /** All accounts in order of creation. */
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
   * Creates a community account that needs no confirmation, with its first site and key. Only the returned value holds the
   * key in plain text. Throws AccountInputError, StoreError.
   */
  async create({
    email: input,
    password,
    language = "de",
  }: {
    email: string;
    password: string;
    language?: Language;
  }): Promise<AccountView & { siteId: string; key: string }> {
    const email = parseEmail(input);
    await checkPassword(password);
    if (this.byEmail(email) !== undefined) throw accountExists(email);
    const passwordHash = await hashPassword(password);
    const { accountId, siteId, key } = await makeAccount(
      { state: this.#state, clock: this.#clock, sites: this.#sites },
      { email, passwordHash, language },
      // A pending registration of the same address is obsolete now.
      (draft) => {
        draft.registrations = draft.registrations.filter((one) => one.email !== email);
      },
    );
    return { ...this.get(accountId)!, siteId, key };
  }

  /**
   * Sets the account's plan from now on, without an end or up to `until`. Removes a cancellation. Throws AccountInputError,
   * StoreError.
   */
  async setPlan(id: string, plan: GivenPlan, { until }: { until?: Date } = {}): Promise<void> {
    const now = this.#clock.now();
    if (until !== undefined && !(until > now))
      throw new AccountInputError("until", "until_past", "The end of the paid period must be in the future.");
    if (until !== undefined && plan === "community")
      throw new AccountInputError(
        "until",
        "no_paid_plan",
        "The community plan has no end date; omit the date.",
      );
    await this.#change(id, (account) => {
      const continues = account.plan === plan && isPaid(account, now) && account.planSince !== undefined;
      account.plan = plan;
      delete account.cancelledAt;
      delete account.paidUntil;
      if (plan === "community") delete account.planSince;
      else if (!continues) account.planSince = now.toISOString();
      if (until !== undefined) account.paidUntil = until.toISOString();
    });
  }

  /**
   * Keeps the language in which the user reads the portal, for texts elsewhere. `isChoice`: the user chose it; otherwise a
   * language that is known stays. Throws AccountInputError, StoreError.
   */
  async keepLanguage(id: string, language: Language, { isChoice }: { isChoice: boolean }): Promise<void> {
    const known = this.#state.data.accounts.find((one) => one.id === id)?.language;
    if (known === language || (known !== undefined && !isChoice)) return;
    await this.#change(id, (account) => {
      account.language = language;
    });
    this.#bus.emit("account.language_changed", { accountId: id });
  }

  /** Starts the account's only trial: 14 days with the limits of Professional. Throws AccountInputError, StoreError. */
  async startTrial(id: string): Promise<void> {
    const now = this.#clock.now();
    await this.#change(id, (account) => {
      if (account.trial !== undefined) {
        throw new AccountInputError(
          "plan",
          "trial_used",
          "The trial of this account was already used; choose a plan.",
        );
      }
      if (isPaid(account, now)) {
        throw new AccountInputError(
          "plan",
          "trial_not_needed",
          "This account already has the full version and needs no trial.",
        );
      }
      const endsAt = new Date(now.getTime() + TRIAL_MS);
      account.trial = { startedAt: now.toISOString(), endsAt: endsAt.toISOString() };
    });
  }

  /**
   * Cancels the paid plan and returns the end of the paid period, until which the plan stays in effect: the stored end, or
   * else the end of the current month counted from when the plan was set. Throws AccountInputError, StoreError.
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

  /** Removes a cancellation while the plan is still in effect. Throws AccountInputError, StoreError. */
  async resume(id: string): Promise<void> {
    const now = this.#clock.now();
    await this.#change(id, (account) => {
      if (!isPaid(account, now) || account.cancelledAt === undefined) throw noPaidPlan();
      const since = new Date(account.planSince ?? account.createdAt);
      // An end set by the cancellation is removed with it; an agreed end stays.
      const endByCancellation = endOfMonth(since, new Date(account.cancelledAt)).toISOString();
      if (account.paidUntil === endByCancellation) delete account.paidUntil;
      delete account.cancelledAt;
    });
  }

  /**
   * Deletes an account with its sites, keys, links, webhooks and settings; the other modules delete the sites' data on
   * `site.removed`. Throws AccountInputError (`not_deletable`), StoreError.
   */
  async remove(id: string): Promise<void> {
    const account = this.get(id);
    if (account === undefined) throw unknownAccount();
    if (account.administrator)
      throw new AccountInputError("email", "not_deletable", "An administrator's account cannot be deleted.");
    // The account first, so that an interruption leaves sites without an account, which the next start removes.
    await this.#state.update((draft) => {
      draft.accounts = draft.accounts.filter((one) => one.id !== id);
      draft.keys = draft.keys.filter((one) => one.accountId !== id);
      draft.recoveries = draft.recoveries.filter((one) => one.accountId !== id);
    });
    this.#bus.emit("account.credentials_changed", { accountId: id });
    for (const site of this.#sites.of(id)) await this.#sites.remove(site.id);
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

function noPaidPlan(): AccountInputError {
  return new AccountInputError(
    "plan",
    "no_paid_plan",
    "No paid plan is in effect, or none that was cancelled.",
  );
}
