import type { ActuatorService } from "../equipment/service.js";
import type { Webhooks } from "../messages/webhooks/service.js";
import { billServiceOf } from "../money/bill/bill-service.js";
import type { AdminServices } from "../ops/admin/operation.js";
import { AdminServer } from "../ops/admin/server.js";
import type { Foundation } from "./foundation.js";
import type { Planning } from "./planning.js";

/** The socket of the command line. */
export function adminServerOf(
  { foundation, planning, webhooks }: { foundation: Foundation; planning: Planning; webhooks: Webhooks },
  actuators: ActuatorService,
  { baseUrl, portalUrl }: Pick<AdminServices, "baseUrl" | "portalUrl">,
): AdminServer {
  const { clock, bus, store, registry, dataFolder, accountServices, log } = foundation;
  return new AdminServer({
    folder: dataFolder,
    services: {
      ...accountServices,
      webhooks,
      baseUrl,
      ...(portalUrl && { portalUrl }),
      runForecast: () => planning.forecast.run("manual"),
      actuators,
      bills: billServiceOf(store, registry),
      ledger: planning.ledger,
      samples: store.samples,
      meter: {
        archive: store.meter,
        now: () => clock.now(),
        onChange: (siteId) => bus.emit("meter.changed", { siteId }),
      },
    },
    log,
  });
}
