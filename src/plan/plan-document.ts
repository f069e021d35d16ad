import type { SitePlan } from "./site-plan.js";

/** What is kept of a site over a restart: its plan, and the last one that anybody had to act on. */
export interface KeptPlans {
  plan: SitePlan;
  pushed: SitePlan;
}

/** Counts up when the shape of a kept plan changes; an older one is then planned anew, not misread. */
const VERSION = 4;

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
