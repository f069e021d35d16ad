/** Ports that an address without one means. */
const DEFAULT_PORTS: Readonly<Record<string, string>> = {
  "http:": "80",
  "https:": "443",
  "mqtt:": "1883",
  "mqtts:": "8883",
  "ws:": "80",
  "wss:": "443",
};

/** Host and port of a URL, the port also where it is the usual one. */
export function hostAndPort({ protocol, hostname, port }: URL): string {
  return `${hostname.toLowerCase()}:${port || DEFAULT_PORTS[protocol]}`;
}

/** Whether a device at `url` may be used: its host is in the list, without a port (then any is meant) or with this one. */
export function isReleased(url: URL, hosts: readonly string[]): boolean {
  const bare = url.hostname.replace(/^\[|\]$/g, "");
  const withPort = hostAndPort(url);
  return hosts.some((host) => {
    const wanted = host.toLowerCase();
    return wanted === bare || wanted === withPort;
  });
}
