import os from "node:os";
import ipaddr from "ipaddr.js";
import { reachOfAddress } from "../../../core/net/address.js";
import { LARGEST_PREFIX } from "../targets.js";

/** The private IPv4 subnets of this machine's interfaces; of a larger network the part around the own address. */
export function privateSubnets(interfaces = os.networkInterfaces()): string[] {
  return Object.values(interfaces).flatMap((all) =>
    (all ?? []).flatMap(({ family, internal, address, cidr }) => {
      if (family !== "IPv4" || internal || cidr === null || reachOfAddress(address, []) !== "private")
        return [];
      const prefix = Math.max(LARGEST_PREFIX, Number(cidr.split("/")[1]));
      return [`${ipaddr.IPv4.networkAddressFromCIDR(`${address}/${prefix}`).toString()}/${prefix}`];
    }),
  );
}
