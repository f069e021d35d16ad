import { createLog } from "../core/log.js";
import { FleetRouter } from "../ops/fleet/router.js";
import type { FleetConfiguration } from "../ops/fleet/settings.js";
import { Running } from "./running.js";
import { tlsIdentityOf } from "./tls.js";

/** The router of a fleet with its certificate. */
export function createRouter(settings: FleetConfiguration) {
  const log = createLog(settings.log);
  const running = new Running(log);
  return {
    async start(): Promise<void> {
      const tls = await tlsIdentityOf(settings.http.tls, { running, log });
      await running.begin(new FleetRouter({ settings, tls, log }));
    },
    stop: () => running.stop(),
  };
}
