/** Error codes; the texts of the portal are keyed by them. */
export type WebhookInputCode =
  /** Not a usable URL. */
  | "url_invalid"
  | "url_not_https"
  /** The URL contains a user name or a password. */
  | "url_with_credentials"
  /** The host is, or resolves to, an address that is not public. */
  | "host_not_public"
  | "unknown_site"
  /** The site has no webhook. */
  | "not_registered";

/** Invalid input of a user; the message is a sentence that says what to do. */
export class WebhookInputError extends Error {
  override readonly name = "WebhookInputError";

  constructor(
    readonly code: WebhookInputCode,
    message: string,
  ) {
    super(message);
  }
}
