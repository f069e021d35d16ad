import { networkInterfaces } from "node:os";

/**
 * Address under which the gateway is reachable: the configured one, else the first external IPv4 address of this machine
 * (or the loopback address) with the listening port.
 */
export function baseUrlOf({ base_url: configured, port }: { base_url: string | null; port: number }): string {
  return configured ?? `http://${lanAddress()}:${port}`;
}

function lanAddress(): string {
  const addresses = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
  return addresses.find(({ family, internal }) => family === "IPv4" && !internal)?.address ?? "127.0.0.1";
}
