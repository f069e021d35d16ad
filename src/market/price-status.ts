import type { ComponentHealth } from "../health-registry.js";
import type { SourceState } from "../net/source-runner.js";
import { sourcesStatus } from "../net/source-status.js";
import type { ComponentSentence } from "../texts/component-text.js";

export interface PriceSituation {
  /** In order of preference. */
  sources: SourceState[];
  now: Date;
  /** End of the gapless prices from the current hour on; the start of that hour if there are none. */
  coveredUntil: Date;
  /** Time up to which prices should be available. */
  dueUntil: Date;
}

/** State and sentences for the status page, see `sourcesStatus`. */
export function priceStatus(situation: PriceSituation): Pick<ComponentHealth, "state" | "detail"> {
  return sourcesStatus({
    kind: "price",
    sources: situation.sources,
    held: heldSentence(situation),
    short: situation.coveredUntil < situation.dueUntil ? { code: "prices_short" } : undefined,
  });
}

function heldSentence({ now, coveredUntil }: PriceSituation): ComponentSentence {
  return coveredUntil <= now ? { code: "prices_missing" } : { code: "prices_held", until: coveredUntil };
}
