import type { SiteRegistry } from "../../accounts/site-registry.js";
import type { StateView } from "../../store/state-schema.js";
import type { EventSite } from "./event-documents.js";

/** How events name the site of a partner (an account with several sites); undefined for other accounts. */
export function siteCard(
  siteId: string,
  sites: SiteRegistry,
  { keys }: Pick<StateView, "keys">,
): EventSite | undefined {
  const site = sites.get(siteId);
  if (site === undefined || sites.of(site.accountId).length < 2) return undefined;
  const { label, customerRef } = sites.card(siteId);
  const key = keys.find((one) => one.siteId === siteId && one.revokedAt === null);
  return { api_key_id: key?.id ?? "", label, customer_ref: customerRef };
}
