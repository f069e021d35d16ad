import { type Bus, subscribe } from "../core/bus.js";
import type { Site, Sites } from "./site.js";

/** One site from its creation to its removal. */
export interface SiteRuntime {
  /** With the settings in force: another object after each change. */
  site: Site;
}

/** How a service makes its part of a site, and what has to end when the site is removed, such as timers. */
export interface PartLifecycle<Part> {
  create(runtime: SiteRuntime): Part;
  remove?(part: Part, runtime: SiteRuntime): void;
}

/** What one service keeps of each site. A part exists exactly as long as its site. */
export class SiteParts<Part> {
  readonly #parts = new Map<string, Part>();
  readonly #lifecycle: PartLifecycle<Part>;

  /** To be made with `SiteRuntimes.parts`. */
  constructor(lifecycle: PartLifecycle<Part>) {
    this.#lifecycle = lifecycle;
  }

  get size(): number {
    return this.#parts.size;
  }

  get(siteId: string): Part | undefined {
    return this.#parts.get(siteId);
  }

  /** Throws RangeError for an unknown site. */
  of(siteId: string): Part {
    const part = this.#parts.get(siteId);
    if (part === undefined) throw new RangeError(`There is no plant "${siteId}".`);
    return part;
  }

  /** In the order of the sites; one that is removed meanwhile is left out. */
  [Symbol.iterator](): IterableIterator<Part> {
    return this.#parts.values();
  }

  /** Does the work on the parts of all sites at the same time, such as reading what is stored of each. */
  async forAll(work: (part: Part) => Promise<unknown>): Promise<void> {
    await Promise.all([...this].map(work));
  }

  add(runtime: SiteRuntime): void {
    this.#parts.set(runtime.site.id, this.#lifecycle.create(runtime));
  }

  remove(runtime: SiteRuntime): void {
    const { id } = runtime.site;
    const part = this.of(id);
    this.#parts.delete(id);
    this.#lifecycle.remove?.(part, runtime);
  }
}

/**
 * The runtimes of all sites: one is made when a site appears, with the part of each service, and dropped when the site is removed.
 * It follows the bus before all other subscribers, so they find the parts of a new site, and none of a removed one.
 */
export class SiteRuntimes implements Sites {
  readonly #runtimes = new Map<string, SiteRuntime>();
  readonly #services: Pick<SiteParts<unknown>, "add" | "remove">[] = [];

  constructor(bus: Bus, sites: readonly Site[]) {
    for (const site of sites) this.#runtimes.set(site.id, { site });
    subscribe(bus, {
      "site.changed": (site) => this.#put(site),
      "site.removed": ({ siteId }) => this.#remove(siteId),
    });
  }

  list(): readonly Site[] {
    return [...this.#runtimes.values()].map(({ site }) => site);
  }

  get(id: string): Site | undefined {
    return this.#runtimes.get(id)?.site;
  }

  /** A part of a service for each site: for those that exist, and for each one that is added. */
  parts<Part>(lifecycle: PartLifecycle<Part>): SiteParts<Part> {
    const parts = new SiteParts(lifecycle);
    for (const runtime of this.#runtimes.values()) parts.add(runtime);
    this.#services.push(parts);
    return parts;
  }

  #put(site: Site): void {
    const known = this.#runtimes.get(site.id);
    if (known !== undefined) {
      known.site = site;
      return;
    }
    const runtime = { site };
    this.#runtimes.set(site.id, runtime);
    for (const parts of this.#services) parts.add(runtime);
  }

  #remove(siteId: string): void {
    const runtime = this.#runtimes.get(siteId);
    if (runtime === undefined) return;
    this.#runtimes.delete(siteId);
    for (const parts of this.#services) parts.remove(runtime);
  }
}
