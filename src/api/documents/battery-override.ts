import { sharePct } from "../../core/domain/rounding.js";
import { formatIso } from "../../core/time/zone.js";
import type { SitePlan } from "../../plan/site-plan.js";

/** The override of the battery in force; `auto` without one. */
export function batteryOverrideDocument(plan: SitePlan | undefined, zone: string) {
  const override = plan?.override;
  return {
    override: override?.action ?? "auto",
    override_until: override === undefined ? null : formatIso(override.until, zone),
    target_soc_pct: override?.action === "charge" ? sharePct(override.targetSocPct) : null,
  };
}
