import type { Log } from "../core/log.js";
import type { Command } from "./policy/policy-input.js";
import type { PlanSources } from "./site-facts.js";
import type { SiteInput } from "./site-input.js";

/** Writes a decision with all its inputs to the log at level `trace`, so that it can be repeated with `planPolicy`. */
export function traceDecision(
  { log, loads }: Pick<PlanSources, "loads"> & { log: Pick<Log, "trace"> },
  { previous, ...input }: SiteInput,
  command: Command,
): void {
  const site = input.siteId;
  log.trace(
    { site, input, previous: previous?.command, loadModel: loads.model(site), command },
    "A command was decided.",
  );
}
