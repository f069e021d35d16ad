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
