import type { Component } from "../components.js";
import { formatIso, VIENNA } from "../time/zone.js";

/** How one source is doing. */
export interface SourceState {
  name: string;
  state: "untried" | "ok" | "failing";
  /** Why it fails, or what of its last answer could not be used; a sentence, or empty. */
  detail: string;
}

export interface PriceSituation {
  /** In order of preference. */
  sources: SourceState[];
  now: Date;
  /** End of the gapless prices from the hour in progress on; that hour's start when there are none. */
  coveredUntil: Date;
  /** Up to when prices are due. */
  dueUntil: Date;
}

/**
 * State and one sentence for the status page: `down` when no source works, `degraded` when not the first one serves, when
 * what it gave could not all be used, or when prices end before they should.
 */
export function priceStatus(situation: PriceSituation): Pick<Component, "state" | "detail"> {
  const { sources, dueUntil } = situation;
  const held = heldSentence(situation);
  if (sources.length === 0) return { state: "degraded", detail: `No price source is configured. ${held}` };
  const failing = sources.filter(({ state }) => state === "failing");
  const faults = failing.map(({ name, detail }) => `${name}: ${detail} `).join("");
  if (failing.length === sources.length)
    return { state: "down", detail: `No price source works. ${faults}${held}` };
  const working = sources.filter(({ state }) => state === "ok");
  if (working.length === 0)
    return { state: "degraded", detail: `No price source has answered yet. ${faults}${held}` };
  const serve = `${working.map(({ name }) => name).join(" and ")} ${working.length > 1 ? "serve" : "serves"}.`;
  if (sources[0]?.state !== "ok") return { state: "degraded", detail: `${faults}${serve} ${held}` };
  if (situation.coveredUntil < dueUntil)
    return { state: "degraded", detail: `${faults}${serve} Prices end before they should. ${held}` };
  const warnings = working.map(({ detail }) => (detail === "" ? "" : `${detail} `)).join("");
  if (warnings !== "") return { state: "degraded", detail: `${warnings}The rest serves. ${held}` };
  return { state: "ok", detail: `${serve} ${held}` };
}

function heldSentence({ now, coveredUntil }: PriceSituation): string {
  if (coveredUntil <= now) return "No price is held for the hour in progress; the forecast serves.";
  return `Prices are held without a gap until ${formatIso(coveredUntil, VIENNA)}; where one is missing the forecast serves.`;
}
