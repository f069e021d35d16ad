import type { ComponentSentence } from "../domain/component-sentence.js";
import type { ComponentHealth } from "../health-registry.js";
import type { SourceState } from "./source-runner.js";

export interface SourcesSituation {
  /** What the sources provide. */
  kind: "price" | "weather";
  /** In order of preference. */
  sources: readonly SourceState[];
  /** Which data is available, and what is used where it is missing. */
  available: ComponentSentence;
  /** Set if the available data ends before it should. */
  short?: ComponentSentence | undefined;
}

/**
 * State and sentences for the status page: `down` if no source works; `degraded` if the first one is not in use, part
 * of its data could not be used, or the available data ends before it should.
 */
export function sourcesStatus(situation: SourcesSituation): Pick<ComponentHealth, "state" | "detail"> {
  const { kind, sources, available, short } = situation;
  if (sources.length === 0) return { state: "degraded", detail: [{ code: "sources_none", kind }, available] };
  const failing = sources.filter(({ state }) => state === "failing");
  const faults = failing.map(
    ({ name, detail, fault }): ComponentSentence => ({
      code: "source_failed",
      source: name,
      fault: fault ?? { kind: "other" },
      message: detail,
    }),
  );
  if (failing.length === sources.length)
    return { state: "down", detail: [{ code: "sources_down", kind }, ...faults, available] };
  const working = sources.filter(({ state }) => state === "ok");
  if (working.length === 0)
    return { state: "degraded", detail: [{ code: "sources_untried", kind }, ...faults, available] };
  const warnings = working
    .filter(({ detail }) => detail !== "")
    .map(
      ({ name, detail }): ComponentSentence => ({ code: "source_warning", source: name, message: detail }),
    );
  const inUse: ComponentSentence = { code: "sources_serve", names: working.map(({ name }) => name) };
  if (sources[0]?.state !== "ok")
    return { state: "degraded", detail: [...faults, ...warnings, inUse, available] };
  if (short !== undefined)
    return { state: "degraded", detail: [...faults, ...warnings, inUse, short, available] };
  if (warnings.length > 0)
    return { state: "degraded", detail: [...warnings, { code: "rest_serves" }, available] };
  return { state: "ok", detail: [inUse, available] };
}
