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

/** Passwords of public leaks, most frequent first; loaded with the first new password. */
let common: Promise<ReadonlySet<string>> | undefined;

/** Whether a password is on the list of common passwords, in any case, or is only a repetition or a sequence. */
async function isCommonPassword(password: string): Promise<boolean> {
  common ??= load();
  const text = password.trim().toLowerCase();
  const known = await common;
  // "Password2024!" is as common as "password": digits and signs at the end do not help.
  const stem = text.replace(/[^\p{L}]+$/u, "");
  return (
    known.has(text) ||
    (stem.length >= 4 && text.length - stem.length <= 4 && known.has(stem)) ||
    isPattern(text)
  );
}

async function load(): Promise<ReadonlySet<string>> {
  const { dictionary } = await import("@zxcvbn-ts/language-common");
  return new Set((dictionary["passwords-common"] as string[]).map((password) => password.toLowerCase()));
}

/** One character repeated, a repeated short text, or characters that follow each other, such as 23456789ab. */
function isPattern(text: string): boolean {
  if (/^(.{1,4})\1+$/u.test(text)) return true;
  const codes = [...text].map((character) => character.codePointAt(0)!);
  const steps = codes.slice(1).map((code, index) => code - codes[index]!);
  return steps.every((step) => step === 1) || steps.every((step) => step === -1);
}
