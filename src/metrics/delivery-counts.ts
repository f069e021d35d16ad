/** The part of a webhook delivery that is counted. */
export interface CountedDelivery {
  error: { code: string } | null;
}

/**
 * Counts webhook deliveries from the histories, which hold the last 50 each, the latest first. Exact as long
 * as no webhook has more than that between two calls.
 */
export class DeliveryCounts {
  readonly #lastSeen = new Map<string, CountedDelivery | undefined>();

  /** Marks the deliveries in a site's history as counted. */
  begin(siteId: string, deliveries: readonly CountedDelivery[]): void {
    this.#lastSeen.set(siteId, deliveries[0]);
  }

  /** The deliveries since the last call. */
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
