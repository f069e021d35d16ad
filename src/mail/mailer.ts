/** One mail; the sender is the gateway's. */
export interface Mail {
  to: string;
  subject: string;
  text: string;
  html?: string;
}

/** Sends mails, or keeps them where somebody finds them. */
export interface Mailer {
  /** Resolves when the mail was handed on or is on disk. Throws StoreError when neither is possible. */
  send(mail: Mail): Promise<void>;
}
