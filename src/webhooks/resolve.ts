import { lookup } from "node:dns/promises";
import type { LookupFunction } from "node:net";
import { type AddressReach, reachOfAddress } from "./address.js";

/** One address of a name. */
export interface Resolved {
  address: string;
  family: number;
}

/** All addresses of a name; rejects where it has none. */
export type Resolve = (hostname: string) => Promise<Resolved[]>;

/** The machine's own resolver: hosts file, DNS and whatever else it is set up with. */
export const systemResolve: Resolve = (hostname) => lookup(hostname, { all: true });

/** Raised by a lookup whose name leads where webhooks do not go. */
export class RefusedAddressError extends Error {
  override readonly name = "RefusedAddressError";
}

/** Whether webhooks go to addresses of this reach. */
export function isOpen(reach: AddressReach, allowPrivateHosts: boolean): boolean {
  return reach === "public" || (reach === "private" && allowPrivateHosts);
}

/**
 * A lookup for `net.connect` that hands on only addresses that webhooks may go to. The socket connects to exactly what
 * was checked here: a name that answers otherwise a moment later (DNS rebinding) changes nothing. One address that is
 * not open refuses the name as a whole, for no honest receiver is both on the internet and in here.
 */
export function checkedLookup(resolve: Resolve, allowPrivateHosts: boolean): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname).then(
      (found) => {
        const [first] = found;
        if (first === undefined) {
          const error: NodeJS.ErrnoException = new Error(`${hostname} has no address.`);
          error.code = "ENOTFOUND";
          callback(error, "", 0);
        } else if (!found.every(({ address }) => isOpen(reachOfAddress(address), allowPrivateHosts))) {
          callback(new RefusedAddressError(`${hostname} resolves to an address that is not public.`), "", 0);
        } else if (options.all === true) {
          callback(null, found);
        } else {
          callback(null, first.address, first.family);
        }
      },
      (error: NodeJS.ErrnoException) => callback(error, "", 0),
    );
  };
}
