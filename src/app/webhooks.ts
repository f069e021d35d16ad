import type { SiteRegistry } from "../accounts/site-registry.js";
import { webhookEvents } from "../api/documents/webhook-events.js";
import type { Settings } from "../config/settings.js";
import type { Log } from "../core/log.js";
import { VERSION } from "../core/version.js";
import type { EventSite } from "../messages/webhooks/event-documents.js";
import { Webhooks } from "../messages/webhooks/service.js";
import type { StateView } from "../store/state-schema.js";
import type { Foundation } from "./foundation.js";

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
    events: webhookEvents,
    baseUrl,
    siteCard: (siteId) => siteCard(siteId, registry, store.state.data.keys),
    allowPrivateHosts: settings.webhooks.allow_private_hosts,
    version: VERSION,
    log,
  });
}

/** How events name the site of a partner (an account with several sites); undefined for other accounts. */
function siteCard(siteId: string, sites: SiteRegistry, keys: StateView["keys"]): EventSite | undefined {
  const site = sites.get(siteId);
  if (site === undefined || sites.of(site.accountId).length < 2) return undefined;
  const { label, customerRef } = sites.card(siteId);
  const key = keys.find((one) => one.siteId === siteId && one.revokedAt === null);
  return { api_key_id: key?.id ?? "", label, customer_ref: customerRef };
}
