/** One mail; the sender is the gateway's. */
export interface Mail {
  to: string;
  subject: string;
  text: string;
  html?: string;
}

/** Sends mails or stores them for manual forwarding. */
export interface Mailer {
  /** Resolves when the mail was accepted by the server or is on disk. Throws StoreError if neither is possible. */
  send(mail: Mail): Promise<void>;
}

/** Why a mail was not sent. `reason`: codes only. */
export type MailRefusal = { fault: "no_mail_server" } | { fault: "mail_rejected"; reason: string };

/** Sends mails that are of no use as a file. */
export interface DirectMailer {
  /** One attempt by SMTP; null once the server has accepted the mail. Never rejects. */
  attempt(mail: Mail): Promise<MailRefusal | null>;
}
