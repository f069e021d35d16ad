import { type AddressReach, reachOfAddress, reachOfHost } from "../../core/net/address.js";
import { isOpen, type Resolve } from "../../core/net/resolve.js";
import { WebhookInputError } from "./input-error.js";

const MAX_URL_LENGTH = 2000;

/**
 * Checks a receiver URL and returns it in canonical form (docs/spec/webhooks.md section 1). `allowsPlain`: also http, for
 * hosts that are not public. Throws WebhookInputError.
 *
 * Uses the same URL parser as the later connection: decimal, octal, hex and short forms of an address are normalised
 * before the host is checked, so the check and the connection cannot disagree.
 */
export function parseReceiverUrl(
  typed: string,
  allowPrivateHosts: boolean,
  { allowsPlain = false }: { allowsPlain?: boolean } = {},
): URL {
  const text = typed.trim();
  if (!allowsPlain && /^http:\/\//i.test(text)) throw notHttps();
  const isReadable =
    text.length <= MAX_URL_LENGTH && /^https?:\/\/[^\s\\]+$/i.test(text) && URL.canParse(text);
  if (!isReadable) {
    throw new WebhookInputError(
      "url_invalid",
      `Give the whole URL of the receiver, such as https://example.com/hook, of at most ${MAX_URL_LENGTH} characters.`,
    );
  }
  const url = new URL(text);
  if (url.username !== "" || url.password !== "") {
    throw new WebhookInputError(
      "url_with_credentials",
      "Leave user name and password out of the URL; the receiver identifies the sender by the signature.",
    );
  }
  url.hash = "";
  refuseClosed(reachOfHost(url.hostname), url, allowPrivateHosts);
  return url;
}

/**
 * Refuses a name that resolves to a non-public address. A name that does not resolve before `signal` fires is accepted,
 * because every connection is checked again. Throws WebhookInputError.
 */
export async function checkReceiverName(
  url: URL,
  options: { resolve: Resolve; allowPrivateHosts: boolean; signal: AbortSignal },
): Promise<void> {
  const { resolve, allowPrivateHosts, signal } = options;
  if (reachOfHost(url.hostname) !== undefined) return;
  const timedOut = new Promise<[]>((done) => {
    if (signal.aborted) done([]);
    signal.addEventListener("abort", () => done([]), { once: true });
  });
  const found = await Promise.race([resolve(url.hostname).catch(() => []), timedOut]);
  for (const { address } of found) refuseClosed(reachOfAddress(address), url, allowPrivateHosts);
}

function refuseClosed(
  reach: AddressReach | undefined,
  { hostname, protocol }: URL,
  allowPrivateHosts: boolean,
): void {
  // In clear text only within the own network.
  if (protocol === "http:" && reach === "public") throw notHttps();
  if (reach === undefined || isOpen(reach, allowPrivateHosts)) return;
  const remedy =
    reach === "private"
      ? " The administrator can allow the local network with webhooks.allow_private_hosts."
      : "";
  throw new WebhookInputError(
    "host_not_public",
    `"${hostname}" is not on the internet: webhooks go to public hosts only.${remedy}`,
  );
}

function notHttps(): WebhookInputError {
  return new WebhookInputError("url_not_https", "The URL must begin with https://, not with http://.");
}
