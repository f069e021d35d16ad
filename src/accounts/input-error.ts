/** Stable code of the error, for translation. */
export type AccountInputCode =
  | "invalid_email"
  | "password_too_short"
  | "password_too_long"
  | "password_common"
  | "wrong_password"
  | "wrong_code"
  | "account_exists"
  /** The owner's account and administrators cannot be deleted. */
  | "not_deletable"
  | "unknown_account"
  | "trial_used"
  /** A paid plan is in effect, so a trial has no use. */
  | "trial_not_needed"
  | "until_past"
  /** There is no paid plan to cancel or to resume. */
  | "no_paid_plan"
  | "unknown_site"
  | "unknown_key"
  /** Several keys start with the given prefix. */
  | "ambiguous_key"
  | "unknown_link"
  | "too_many_links"
  | "invalid_filter"
  | "too_many_filters"
  | "unknown_filter"
  | "invalid_limit"
  | "invalid_label";

/** The form field that the error is about. */
export type AccountField =
  | "email"
  | "password"
  | "current_password"
  | "code"
  | "plan"
  | "until"
  | "site"
  | "prefix"
  | "link"
  | "filter"
  | "label"
  | "hourly_limit";

/** A request that cannot be fulfilled; the message says what to do instead. */
export class AccountInputError extends Error {
  override readonly name = "AccountInputError";

  constructor(
    readonly field: AccountField,
    readonly code: AccountInputCode,
    message: string,
  ) {
    super(message);
  }
}

/** The error for an e-mail address in use; only for callers that may learn this. */
export function accountExists(email: string): AccountInputError {
  return new AccountInputError("email", "account_exists", `There is already an account for ${email}.`);
}

export function unknownAccount(): AccountInputError {
  return new AccountInputError("email", "unknown_account", "There is no such account.");
}
