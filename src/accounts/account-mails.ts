import type { Language } from "../core/language.js";

/** Mails of the account services: a link to confirm an address, to sign in to an account that exists, or to set a password. */
export type AccountMailKind = "confirmation" | "alreadyRegistered" | "recovery";

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
