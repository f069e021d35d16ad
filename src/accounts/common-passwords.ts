/** Passwords of public leaks, most frequent first; loaded with the first new password. */
let common: Promise<ReadonlySet<string>> | undefined;

/** Whether a password is on the list of common passwords, in any case, or is only a repetition or a sequence. */
export async function isCommonPassword(password: string): Promise<boolean> {
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
