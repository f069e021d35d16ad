import type { SitePlan } from "./site-plan.js";

/** What is stored of a site for a restart: its plan, and the last material one. */
export interface KeptPlans {
  plan: SitePlan;
  pushed: SitePlan;
}

/** Increases when the shape of a stored plan changes; an older one is then ignored. */
const VERSION = 5;

const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?Z$/;

/** The plans as plain JSON. */
export function plansToJson(kept: KeptPlans): unknown {
  return { version: VERSION, json: JSON.stringify(kept) };
}

/** Reads what `plansToJson` wrote; undefined for anything else. */
export function plansFromJson(stored: unknown): KeptPlans | undefined {
  const { version, json } = (stored ?? {}) as { version?: unknown; json?: unknown };
  if (version !== VERSION || typeof json !== "string") return undefined;
  return JSON.parse(json, (_, value) =>
    typeof value === "string" && INSTANT.test(value) ? new Date(value) : value,
  ) as KeptPlans;
}
