import { lookup } from "node:dns/promises";
import type { LookupFunction } from "node:net";
import { type AddressReach, reachOfAddress } from "./address.js";

/** One address of a name. */
export interface Resolved {
  address: string;
  family: number;
}

/** All addresses of a name; rejects if there are none. */
export type Resolve = (hostname: string) => Promise<Resolved[]>;

/** The resolver of the operating system. */
export const systemResolve: Resolve = (hostname) => lookup(hostname, { all: true });

/** The name resolves to an address that is not allowed. */
export class RefusedAddressError extends Error {
  override readonly name = "RefusedAddressError";
}

/** Whether webhooks may use addresses of this reach. */
export function isOpen(reach: AddressReach, allowPrivateHosts: boolean): boolean {
  return reach === "public" || (reach === "private" && allowPrivateHosts);
}

/** Whether a request to the URL may use addresses of this reach: in clear text only those of the operator's own network. */
export function mayConnect({ protocol }: URL, reach: AddressReach, allowPrivateHosts: boolean): boolean {
  return isOpen(reach, allowPrivateHosts) && (protocol === "https:" || reach === "private");
}

/** As `lookupOf`, for devices: the addresses of private networks, and public ones only if allowed. */
export function localLookup(resolve: Resolve, allowPublic: boolean): LookupFunction {
  return lookupOf(resolve, (reach) => reach === "private" || (reach === "public" && allowPublic));
}

/**
 * A lookup for `net.connect` that returns allowed addresses only. The socket connects to the checked address, so DNS
 * rebinding has no effect. One address that is not allowed refuses the whole name.
 */
export function lookupOf(resolve: Resolve, isAllowed: (reach: AddressReach) => boolean): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname).then(
      (found) => {
        const [first] = found;
        if (first === undefined) {
          const error: NodeJS.ErrnoException = new Error(`${hostname} has no address.`);
          error.code = "ENOTFOUND";
          callback(error, "", 0);
        } else if (!found.every(({ address }) => isAllowed(reachOfAddress(address)))) {
          callback(new RefusedAddressError(`${hostname} resolves to an address that is not allowed.`), "", 0);
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
