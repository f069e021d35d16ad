import { networkInterfaces } from "node:os";

/**
 * Address under which people and devices reach the gateway: the configured one, else the first address of this machine in
 * its network (the loopback one where it has none) with the port that is listened on.
 */
export function baseUrlOf({ base_url: configured, port }: { base_url: string | null; port: number }): string {
  return configured ?? `http://${lanAddress()}:${port}`;
}

function lanAddress(): string {
  const addresses = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
  return addresses.find(({ family, internal }) => family === "IPv4" && !internal)?.address ?? "127.0.0.1";
}
