/** Ports that an address without one means. */
const DEFAULT_PORTS: Readonly<Record<string, string>> = {
  "http:": "80",
  "https:": "443",
  "mqtt:": "1883",
  "mqtts:": "8883",
  "ws:": "80",
  "wss:": "443",
};

/** Whether a device at `url` may be used: its host is in the list, without a port (then any is meant) or with this one. */
export function isReleased({ protocol, hostname, port }: URL, hosts: readonly string[]): boolean {
  const bare = hostname.replace(/^\[|\]$/g, "");
  const withPort = `${hostname}:${port || DEFAULT_PORTS[protocol]}`;
  return hosts.some((host) => {
    const wanted = host.toLowerCase();
    return wanted === bare || wanted === withPort;
  });
}
