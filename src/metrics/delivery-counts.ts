/** What is counted of a webhook's delivery: when, and whether it arrived. */
export interface CountedDelivery {
  error: { code: string } | null;
}

/**
 * Counts the deliveries of webhooks from their histories, which hold the last 50 each, the latest first. Exact as long
 * as no webhook has more than that between two looks.
 */
export class DeliveryCounts {
  readonly #lastSeen = new Map<string, CountedDelivery | undefined>();

  /** Takes what a site's history holds now as counted already. */
  begin(siteId: string, deliveries: readonly CountedDelivery[]): void {
    this.#lastSeen.set(siteId, deliveries[0]);
  }

  /** The deliveries that are new since the last look. */
  fresh(siteId: string, deliveries: readonly CountedDelivery[]): readonly CountedDelivery[] {
    const last = this.#lastSeen.get(siteId);
    this.#lastSeen.set(siteId, deliveries[0]);
    const known = last === undefined ? -1 : deliveries.indexOf(last);
    return known < 0 ? deliveries : deliveries.slice(0, known);
  }

  forget(siteId: string): void {
    this.#lastSeen.delete(siteId);
  }
}
