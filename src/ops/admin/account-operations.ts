import type { AccountView } from "../../accounts/account-repository.js";
import { AccountInputError } from "../../accounts/input-error.js";
import { newPassword } from "../../accounts/passwords.js";
import { GIVEN_PLANS } from "../../core/domain/tier.js";
import { type AdminServices, ArgumentError, adminOperation, name, textField } from "./operation.js";

/** Commands for accounts and their plans. */
export const accountOperations = {
  "account create": adminOperation(
    {
      required: { email: name },
      optional: {
        password: textField,
        confirmed: { type: "boolean" },
        language: { ...textField, enum: ["de", "en"] },
      },
    },
    async (
      { accountBook, registration, portalUrl },
      { email, password: given, confirmed = false, language = "de" },
    ) => {
      if (confirmed) {
        const password = given ?? newPassword();
        const generated = given === undefined ? { password } : {};
        const { siteId, key, ...account } = await accountBook.create({ email, password, language });
        const portal = portalUrl && { portal_url: portalUrl() };
        return { ...accountDocument(account), confirmed, site_id: siteId, key, ...generated, ...portal };
      }
      // The owner of the address sets the password with the mailed link.
      await registration.invite({ email, language });
      return { email: email.trim().toLowerCase(), confirmed };
    },
  ),

  "account list": adminOperation({}, async ({ accountBook, sites }) => ({
    accounts: accountBook.list().map((account) => ({
      ...accountDocument(account),
      sites: sites.of(account.id).map(({ id }) => id),
    })),
  })),

  "account reset-password": adminOperation(
    { required: { email: name }, optional: { password: textField, remove_totp: { type: "boolean" } } },
    async (
      { accountBook, security, signIn },
      { email, password: given, remove_totp: removeTotp = false },
    ) => {
      const { id, email: own } = accountOf(accountBook, email);
      const password = given ?? newPassword();
      await security.setPassword(id, password, { removeTotp });
      signIn.unlock(own);
      return { email: own, ...(given === undefined && { password }), totp: security.hasTotp(id) };
    },
  ),

  "account unlock": adminOperation(
    { required: { email: name } },
    async ({ accountBook, signIn }, { email }) => {
      const { email: own } = accountOf(accountBook, email);
      signIn.unlock(own);
      return { email: own };
    },
  ),

  "account delete": adminOperation({ required: { email: name } }, async ({ accountBook }, { email }) => {
    const { id, email: own } = accountOf(accountBook, email);
    await accountBook.remove(id);
    return { email: own };
  }),

  "plan set": adminOperation(
    { required: { email: name, plan: { ...textField, enum: GIVEN_PLANS } }, optional: { until: textField } },
    async ({ accountBook }, { email, plan, until }) => {
      const { id } = accountOf(accountBook, email);
      await accountBook.setPlan(id, plan, until === undefined ? {} : { until: instant(until) });
      return accountDocument(accountBook.get(id)!);
    },
  ),
};

function accountOf(accountBook: AdminServices["accountBook"], email: string): AccountView {
  const account = accountBook.byEmail(email);
  if (account === undefined) {
    throw new AccountInputError(
      "email",
      "unknown_account",
      `There is no account for ${email}; hourgate account list shows all accounts.`,
    );
  }
  return account;
}

function instant(iso: string): Date {
  const date = new Date(iso);
  if (Number.isNaN(date.getTime())) throw new ArgumentError(`"${iso}" is not an ISO 8601 time.`);
  return date;
}

function accountDocument(account: AccountView) {
  const { id, email, plan, effectivePlan, tier, label, administrator, createdAt, trial, paidUntil } = account;
  return {
    id,
    email,
    plan,
    effective_plan: effectivePlan,
    tier,
    label,
    administrator,
    created_at: createdAt.toISOString(),
    trial_ends_at: trial?.endsAt.toISOString() ?? null,
    paid_until: paidUntil?.toISOString() ?? null,
    cancelled_at: account.cancelledAt?.toISOString() ?? null,
  };
}
