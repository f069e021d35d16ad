import { h } from "preact";
import { render } from "preact-render-to-string";
import { parsePlant } from "../../src/config/plant.js";
import type { ChargeRun, SitePlan } from "../../src/plan/site-plan.js";
import { outputsParts } from "../../src/portal/dashboard/outputs-page.js";
import { dashboardParts } from "../../src/portal/dashboard/page.js";
import type { DashboardView } from "../../src/portal/dashboard/view.js";
import { samplePlan } from "../api/fake-services.js";

/** The time of the pages: 09:20 in Vienna. */
export const NOW = new Date("2026-01-15T08:20:00Z");

/** The view of a home with a battery and a plan; `battery` and `name` are settings of the plant. */
export function house(
  changes: Partial<DashboardView> & { battery?: object | null; name?: string } = {},
): DashboardView {
  const { battery = {}, name = "Home", ...rest } = changes;
  const parsed = parsePlant({ id: "home", name, battery }, []);
  if ("findings" in parsed) throw new Error(JSON.stringify(parsed.findings));
  return {
    now: NOW,
    site: { id: "home", accountId: "owner", plant: parsed.plant },
    plan: samplePlan(),
    hours: [],
    tariff: undefined,
    slots: [],
    live: { soc_pct: { value: 34.4, at: new Date("2026-01-15T08:15:00Z") } },
    limits: { staleMinutes: 15, lostMinutes: 120 },
    components: [],
    quota: { limit: 120, remaining: 77, resetAt: new Date("2026-01-16T07:00:00Z") },
    baseUrl: "http://192.168.1.5:8080",
    socTopic: "hourgate/home/telemetry/soc_pct",
    ...rest,
  };
}

/** All parts of overview and outputs. */
export const partsOf = (of: DashboardView, language: "de" | "en") => ({
  ...dashboardParts(of, language, 24),
  ...outputsParts(of, language),
});

/** The text of a part as a person reads it. */
export function read(
  part: keyof ReturnType<typeof partsOf>,
  of: DashboardView,
  language: "de" | "en" = "de",
): string {
  const html = render(h("div", {}, partsOf(of, language)[part]));
  return html
    .replace(/<[^>]+>/g, " ")
    .replace(/&lt;/g, "<")
    .replace(/\s+/g, " ")
    .trim();
}

/** The plan of the fake services with other scalars and charge runs. */
export function planWith(scalars: Partial<SitePlan["scalars"]>, runs?: ChargeRun[]): SitePlan {
  const plan = samplePlan();
  return { ...plan, scalars: { ...plan.scalars, ...scalars }, chargeHours: runs ?? plan.chargeHours };
}
