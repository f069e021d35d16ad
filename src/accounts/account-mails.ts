import type { Language } from "../core/language.js";

/** Mails of the account services: a link to confirm an address, of an invitation, to sign in to an account that exists, to set a password, or to change it. */
export type AccountMailKind = "confirmation" | "invitation" | "alreadyRegistered" | "recovery" | "wrongCodes";

export interface AccountMail {
  kind: AccountMailKind;
  to: string;
  link: string;
  language: Language;
}

/** How the account services send mail. */
export interface AccountMails {
  /** Resolves when the mail was accepted by a server or is on disk. Throws StoreError if neither is possible. */
  send(mail: AccountMail): Promise<void>;
}
