/** The counted parts of a webhook delivery: time and outcome. */
export interface CountedDelivery {
  error: { code: string } | null;
}

/**
 * Counts the deliveries of webhooks from their histories (the last 50 each, newest first). Exact unless a webhook has more
 * than 50 between two calls.
 */
export class DeliveryCounts {
  readonly #lastSeen = new Map<string, CountedDelivery | undefined>();

  /** Marks the current history of a site as counted. */
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
