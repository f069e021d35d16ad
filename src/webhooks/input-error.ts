/** What is wrong, for whoever translates it. */
export type WebhookInputCode =
  /** It is no URL, or none that could be called. */
  | "url_invalid"
  | "url_not_https"
  /** It holds a user name or a password. */
  | "url_with_credentials"
  /** The host is, or resolves to, an address that webhooks do not go to. */
  | "host_not_public"
  | "unknown_site"
  /** The site has no webhook to test or to give another secret. */
  | "not_registered";

/** Something that a person asked for and that cannot be done; the message is a sentence that says what to do instead. */
export class WebhookInputError extends Error {
  override readonly name = "WebhookInputError";

  constructor(
    readonly code: WebhookInputCode,
    message: string,
  ) {
    super(message);
  }
}
