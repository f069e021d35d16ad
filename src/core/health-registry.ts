import { type ComponentSentence, PUBLIC_SENTENCES } from "./domain/component-sentence.js";
import type { Clock } from "./time/clock.js";

/** State of one component; served by /v1/status, and by /health if it is `vital`. */
export interface ComponentHealth {
  name: string;
  state: "ok" | "degraded" | "down";
  since: Date;
  /** What is wrong and what still works; the text is made in the language of the reader by `componentText`. */
  detail: readonly ComponentSentence[];
  /** A vital component that is down makes /health answer 503: a restart of the gateway may help (store). */
  vital: boolean;
  /** The site that the component belongs to; undefined for those of the gateway. */
  siteId?: string | undefined;
}

/** Who reads the state of the components. */
export interface HealthReader {
  administrator: boolean;
  /** The reader's site, if any. */
  siteId: string | undefined;
}

/** The components as a reader may see them: without those of other sites, and only with sentences that the reader may see. */
export function visibleTo(
  reader: HealthReader,
  components: readonly ComponentHealth[],
): readonly ComponentHealth[] {
  if (reader.administrator) return components;
  return components
    .filter(({ siteId }) => siteId === undefined || siteId === reader.siteId)
    .map((component) => ({
      ...component,
      detail: component.detail.filter(({ code }) => PUBLIC_SENTENCES.has(code)),
    }));
}

/** Collects the state of all components. */
export class HealthRegistry {
  readonly #clock: Clock;
  readonly #components = new Map<string, ComponentHealth>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  report(
    name: string,
    state: ComponentHealth["state"],
    detail: readonly ComponentSentence[],
    { vital = false, siteId }: { vital?: boolean; siteId?: string } = {},
  ): void {
    const before = this.#components.get(name);
    const since = before?.state === state ? before.since : this.#clock.now();
    this.#components.set(name, { name, state, since, detail, vital, siteId });
  }

  /** Removes a component that no longer exists. */
  remove(name: string): void {
    this.#components.delete(name);
  }

  /** Removes the components of a site that is no longer served. */
  removeSite(siteId: string): void {
    for (const one of this.list()) if (one.siteId === siteId) this.#components.delete(one.name);
  }

  list(): ComponentHealth[] {
    return [...this.#components.values()];
  }

  /** The first vital component that is down; undefined when there is none. */
  failing(): ComponentHealth | undefined {
    return this.list().find(({ vital, state }) => vital && state === "down");
  }

  /** The first component that is away: one of the whole gateway that is down, or one of a site that is not ok. */
  degraded(): ComponentHealth | undefined {
    const all = this.list().filter(
      ({ state, siteId }) => state === "down" || (siteId !== undefined && state === "degraded"),
    );
    return all.find(({ siteId }) => siteId === undefined) ?? all[0];
  }
}
