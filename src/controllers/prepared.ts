import type { Site } from "../accounts/sites.js";

/**
 * Answers as they were last made, by site and page, for as long as what they are made of is the same: objects are told
 * apart by identity, so a new plan, tariff or forecast makes a new one at once. They go with their site.
 */
export class Prepared<Answer> {
  readonly #sites = new WeakMap<Site, Map<string, { parts: readonly unknown[]; answer: Answer }>>();

  /** The answer made of `parts`; `make` runs when one of them is another than last time. */
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
