import type { ComponentHealth } from "../health-registry.js";
import type { SourceState } from "../net/source-runner.js";
import { sourcesStatus } from "../net/source-status.js";
import { formatIso, VIENNA } from "../time/zone.js";

export interface PriceSituation {
  /** In order of preference. */
  sources: SourceState[];
  now: Date;
  /** End of the gapless prices from the hour in progress on; that hour's start when there are none. */
  coveredUntil: Date;
  /** Up to when prices are due. */
  dueUntil: Date;
}

/** State and one sentence for the status page, see `sourcesStatus`. */
export function priceStatus(situation: PriceSituation): Pick<ComponentHealth, "state" | "detail"> {
  return sourcesStatus({
    kind: "price",
    sources: situation.sources,
    held: heldSentence(situation),
    short: situation.coveredUntil < situation.dueUntil ? "Prices end before they should." : undefined,
  });
}

function heldSentence({ now, coveredUntil }: PriceSituation): string {
  if (coveredUntil <= now) return "No price is held for the hour in progress; the forecast serves.";
  return `Prices are held without a gap until ${formatIso(coveredUntil, VIENNA)}; where one is missing the forecast serves.`;
}
