import { isCommonPassword } from "./common-passwords.js";
import { AccountInputError } from "./input-error.js";

const PASSWORD_MIN = 10;
const PASSWORD_MAX = 200;
const EMAIL_MAX = 254;
const LABEL_MAX = 80;

/**
 * One @, no spaces, quotes, commas, brackets or control characters, so that the text is one mailbox in a mail header too.
 * The confirmation mail checks whether the mailbox exists. The domain needs no dot: home networks use such names.
 */
const EMAIL = /^[^\s@"'(),:;<>[\]\\\p{C}]{1,64}@[^\s@"'(),:;<>[\]\\\p{C}]+$/u;

/** An e-mail address in stored form: trimmed and in lower case. Throws AccountInputError. */
export function parseEmail(text: string): string {
  const email = normalizeEmail(text);
  if (email.length > EMAIL_MAX || !EMAIL.test(email) || /(^|[.@])\.|\.(@|$)|@-/.test(email)) {
    throw new AccountInputError(
      "email",
      "invalid_email",
      "This is not an e-mail address; enter one such as name@example.org.",
    );
  }
  return email;
}

/** The form in which addresses are compared. */
export function normalizeEmail(text: string): string {
  return text.trim().toLowerCase();
}

/** Throws AccountInputError for a password that is too short, too long or common. */
export async function checkPassword(password: string): Promise<void> {
  const length = [...password].length;
  if (length < PASSWORD_MIN) {
    throw new AccountInputError(
      "password",
      "password_too_short",
      `The password is too short; use at least ${PASSWORD_MIN} characters.`,
    );
  }
  if (length > PASSWORD_MAX) {
    throw new AccountInputError(
      "password",
      "password_too_long",
      `The password is too long; use at most ${PASSWORD_MAX} characters.`,
    );
  }
  if (await isCommonPassword(password)) {
    throw new AccountInputError(
      "password",
      "password_common",
      "This password is on the lists that attackers try first; use another one.",
    );
  }
}

/** A label in stored form: trimmed, at most 80 characters on one line. Throws AccountInputError. */
export function parseLabel(text: string): string {
  const label = text.trim();
  if ([...label].length > LABEL_MAX || /\p{Cc}/u.test(label)) {
    throw new AccountInputError(
      "label",
      "invalid_label",
      `The label must be one line of at most ${LABEL_MAX} characters.`,
    );
  }
  return label;
}
