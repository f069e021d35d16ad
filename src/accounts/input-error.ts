/** What is wrong, for whoever translates it. */
export type AccountInputCode =
  | "invalid_email"
  | "password_too_short"
  | "password_too_long"
  | "wrong_password"
  | "account_exists"
  | "unknown_account"
  | "trial_used"
  /** A paid plan is in force: a trial would give nothing. */
  | "trial_not_needed"
  | "until_past"
  /** There is no paid plan to cancel, or none that could be resumed. */
  | "no_paid_plan"
  | "unknown_site"
  | "unknown_key"
  /** Several keys begin with what was given. */
  | "ambiguous_key"
  | "unknown_link"
  | "invalid_limit"
  | "invalid_label";

/** What of an account, a key or a link the error is about; named as the field of the form. */
export type AccountField =
  | "email"
  | "password"
  | "current_password"
  | "plan"
  | "until"
  | "site"
  | "prefix"
  | "link"
  | "label"
  | "hourly_limit";

/** Something that a person asked for and that cannot be done; the message is a sentence that says what to do instead. */
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

/** The error of an e-mail that another account has; only for those who may know that. */
export function accountExists(email: string): AccountInputError {
  return new AccountInputError("email", "account_exists", `There is already an account of ${email}.`);
}
