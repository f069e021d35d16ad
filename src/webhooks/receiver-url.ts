import { type AddressReach, reachOfAddress, reachOfHost } from "./address.js";
import { WebhookInputError } from "./input-error.js";
import { isOpen, type Resolve } from "./resolve.js";

const LONGEST_URL = 2000;

/**
 * A receiver's URL as a person typed it, checked and in its canonical form (docs/spec/webhooks.md section 1).
 * Throws WebhookInputError.
 *
 * The parser of the platform is the one that connects later, too: it has turned decimal, octal, hex and short forms of
 * an address into the address before the host is looked at, so no spelling means one thing here and another there.
 */
export function parseReceiverUrl(typed: string, allowPrivateHosts: boolean): URL {
  const text = typed.trim();
  if (/^http:\/\//i.test(text)) {
    throw new WebhookInputError("url_not_https", "The URL must begin with https://, not with http://.");
  }
  const isReadable = text.length <= LONGEST_URL && /^https:\/\/[^\s\\]+$/i.test(text) && URL.canParse(text);
  if (!isReadable) {
    throw new WebhookInputError(
      "url_invalid",
      `Give the whole URL of the receiver, such as https://example.com/hook, of at most ${LONGEST_URL} characters.`,
    );
  }
  const url = new URL(text);
  if (url.username !== "" || url.password !== "") {
    throw new WebhookInputError(
      "url_with_credentials",
      "Leave user name and password out of the URL; the receiver knows the sender by the signature.",
    );
  }
  url.hash = "";
  refuseClosed(reachOfHost(url.hostname), url.hostname, allowPrivateHosts);
  return url;
}

/**
 * Refuses a name that resolves to an address where webhooks do not go. A name that does not resolve (yet), or not until
 * `signal` fires, is accepted: every connection is checked again. Throws WebhookInputError.
 */
export async function checkReceiverName(
  url: URL,
  options: { resolve: Resolve; allowPrivateHosts: boolean; signal: AbortSignal },
): Promise<void> {
  const { resolve, allowPrivateHosts, signal } = options;
  if (reachOfHost(url.hostname) !== undefined) return;
  const givenUp = new Promise<[]>((done) => {
    if (signal.aborted) done([]);
    signal.addEventListener("abort", () => done([]), { once: true });
  });
  const found = await Promise.race([resolve(url.hostname).catch(() => []), givenUp]);
  for (const { address } of found) refuseClosed(reachOfAddress(address), url.hostname, allowPrivateHosts);
}

function refuseClosed(reach: AddressReach | undefined, hostname: string, allowPrivateHosts: boolean): void {
  if (reach === undefined || isOpen(reach, allowPrivateHosts)) return;
  const remedy =
    reach === "private"
      ? " Whoever runs the gateway can open the local network with webhooks.allow_private_hosts."
      : "";
  throw new WebhookInputError(
    "host_not_public",
    `"${hostname}" is not on the internet: webhooks go to public hosts only.${remedy}`,
  );
}
