import type { Settings } from "../config/settings.js";
import type { Log } from "../log.js";
import { VERSION } from "../version.js";
import { Webhooks } from "../webhooks/service.js";
import type { Foundation } from "./foundation.js";
import { siteCard } from "./site-card.js";

/** The webhooks of all sites. */
export function webhooksOf(
  settings: Settings,
  { clock, bus, components, store, registry }: Foundation,
  { baseUrl, log }: { baseUrl: () => string; log: Log },
): Webhooks {
  return new Webhooks({
    clock,
    bus,
    components,
    state: store.state,
    documents: store.documents,
    sites: registry,
    baseUrl,
    siteCard: (siteId) => siteCard(siteId, registry, store.state.data.keys),
    allowPrivateHosts: settings.webhooks.allow_private_hosts,
    version: VERSION,
    log,
  });
}
