import type { Site } from "../accounts/sites.js";

/**
 * Caches the answers by site and page while their inputs are the same. Inputs are compared by identity, so a new plan,
 * tariff or forecast invalidates the entry. Entries are garbage-collected with their site.
 */
export class Prepared<Answer> {
  readonly #sites = new WeakMap<Site, Map<string, { parts: readonly unknown[]; answer: Answer }>>();

  /** The answer for these inputs; `make` runs when one of `parts` differs from the previous call. */
  of(site: Site, page: string, parts: readonly unknown[], make: () => Answer): Answer {
    let pages = this.#sites.get(site);
    if (pages === undefined) {
      pages = new Map();
      this.#sites.set(site, pages);
    }
    const kept = pages.get(page);
    if (kept?.parts.length === parts.length && kept.parts.every((part, index) => part === parts[index]))
      return kept.answer;
    const answer = make();
    pages.set(page, { parts, answer });
    return answer;
  }
}
