import type { ComponentHealth } from "../health-registry.js";
import type { SourceState } from "./source-runner.js";

export interface SourcesSituation {
  /** What they give: `price`, `weather`. */
  kind: string;
  /** In order of preference. */
  sources: readonly SourceState[];
  /** What is held, and what serves where it is not; a sentence. */
  held: string;
  /** A sentence when what is held ends before it should. */
  short?: string | undefined;
}

/**
 * State and one sentence for the status page: `down` when no source works, `degraded` when not the first one serves, when
 * what it gave could not all be used, or when what is held ends before it should.
 */
export function sourcesStatus(situation: SourcesSituation): Pick<ComponentHealth, "state" | "detail"> {
  const { kind, sources, held, short } = situation;
  if (sources.length === 0) return { state: "degraded", detail: `No ${kind} source is configured. ${held}` };
  const failing = sources.filter(({ state }) => state === "failing");
  const faults = failing.map(({ name, detail }) => `${name}: ${detail} `).join("");
  if (failing.length === sources.length)
    return { state: "down", detail: `No ${kind} source works. ${faults}${held}` };
  const working = sources.filter(({ state }) => state === "ok");
  if (working.length === 0)
    return { state: "degraded", detail: `No ${kind} source has answered yet. ${faults}${held}` };
  const serve = `${working.map(({ name }) => name).join(" and ")} ${working.length > 1 ? "serve" : "serves"}.`;
  if (sources[0]?.state !== "ok") return { state: "degraded", detail: `${faults}${serve} ${held}` };
  if (short !== undefined) return { state: "degraded", detail: `${faults}${serve} ${short} ${held}` };
  const warnings = working.map(({ detail }) => (detail === "" ? "" : `${detail} `)).join("");
  if (warnings !== "") return { state: "degraded", detail: `${warnings}The rest serves. ${held}` };
  return { state: "ok", detail: `${serve} ${held}` };
}
