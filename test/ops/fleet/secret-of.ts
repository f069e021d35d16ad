import { parse } from "../../../src/config/load.js";
import { FleetSecret } from "../../../src/ops/fleet/secret.js";

/** The secret of a fleet with this `fleet.secret`. */
export function secretOf(secret: string): FleetSecret {
  return new FleetSecret({
    ...parse("").settings,
    fleet: { ...parse("").settings.fleet, shards: 2, secret },
  });
}
