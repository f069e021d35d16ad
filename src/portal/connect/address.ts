import type { PageContext } from "../context.js";

/**
 * The address for other devices: the one under which the browser reached the gateway, or `baseUrl` if that is a loopback
 * address. With TLS of the gateway itself the plain address, which many devices need.
 */
export function addressOf(
  { reachedAt }: Pick<PageContext, "reachedAt">,
  { baseUrl, hasTls }: { baseUrl: string; hasTls: boolean },
): string {
  if (reachedAt === undefined || isLoopback(new URL(reachedAt).hostname)) return baseUrl.replace(/\/+$/, "");
  return hasTls ? reachedAt.replace(/^https:/, "http:") : reachedAt;
}

/** Host and port of the broker for other devices; one on the gateway's own machine has the host of `address`. */
export function brokerOf(
  address: string,
  { url, port }: { url: string | null; port: number | null },
): { host: string; port: number } {
  const broker = new URL(url ?? address);
  const { hostname } = isLoopback(broker.hostname) ? new URL(address) : broker;
  const host = hostname.replace(/^\[|\]$/g, "");
  const usual = /s:$/.test(broker.protocol) ? 8883 : 1883;
  return { host, port: url === null ? (port ?? 1883) : Number(broker.port) || usual };
}

/** Whether an address is only valid on the machine itself. */
export function isLoopback(host: string): boolean {
  return host === "localhost" || host === "[::1]" || host.startsWith("127.");
}
