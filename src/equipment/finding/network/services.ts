import type { Probe } from "../probes.js";
import { pause } from "./pause.js";

/** An address that a device announces in the network. */
export interface Announced {
  host: string;
  port: number;
}

/** Types of announcements of devices whose templates do not name theirs. */
const OTHERS = ["shelly", "http"];

/** Addresses that are looked at; a home has a few dozen. */
const MOST_ANNOUNCED = 256;

/** The addresses that devices announce over mDNS within a time. Never rejects. */
export async function announced(
  probes: readonly Probe[],
  listenMs: number,
  signal: AbortSignal,
): Promise<Announced[]> {
  const types = new Set([
    ...OTHERS,
    ...probes.map(({ detect }) => detect.mdns!.replace(/^_|\._(tcp|udp)$/g, "")),
  ]);
  const found = new Map<string, Announced>();
  // Without a network that takes multicast there is nothing to be heard.
  const { default: bonjour } = await import("bonjour-service");
  const browser = new bonjour.Bonjour({}, () => {});
  try {
    for (const type of types)
      browser.find({ type }, ({ addresses = [], port }) => {
        for (const host of addresses.filter((one) => /^\d+(\.\d+){3}$/.test(one)))
          if (found.size < MOST_ANNOUNCED) found.set(`${host}:${port}`, { host, port });
      });
    await pause(listenMs, signal);
  } finally {
    browser.destroy();
  }
  return [...found.values()];
}
