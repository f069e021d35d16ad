import type { ActuatorService } from "../equipment/service.js";
import { monthlyReport } from "../messages/notifications/monthly-report.js";
import { NotificationService } from "../messages/notifications/service.js";
import { type Improvement, weeklyStory } from "../messages/notifications/weekly-story.js";
import { rankedEur } from "../money/compare/compare-tariff.js";
import type { ComparisonRun } from "../money/compare/service.js";
import type { WhatIfResult } from "../money/compare/what-if.js";
import { tariffPresets } from "../tariff/presets.js";
import type { Core } from "./core.js";

/** Notifications with the reports of the ledger. */
export function notificationsOf(
  core: Core,
  {
    actuators,
    comparison,
  }: { actuators: ActuatorService; comparison: (siteId: string) => ComparisonRun | undefined },
): NotificationService {
  const { ledger, bills, services } = core;
  const improvements = async (siteId: string) => [
    ...cheaperTariff(comparison(siteId)),
    ...(await services.whatIf.results(siteId)).flatMap(improvementOf),
  ];
  return new NotificationService({
    ...core,
    actuators,
    report: (site, month) => monthlyReport({ ledger, bills }, site, month),
    story: (site, from) => weeklyStory({ ledger, improvements }, site, from),
  });
}

/** The cheapest tariff of a comparison over the newest year, if the tariff of the site was compared and is another one. */
function cheaperTariff(run: ComparisonRun | undefined): Improvement[] {
  if (run?.status !== "done" || run.year !== null) return [];
  const [best] = run.rows.toSorted((a, b) => rankedEur(a.cost) - rankedEur(b.cost));
  const current = run.rows.find(({ name }) => name === "current");
  if (best === undefined || current === undefined || best === current) return [];
  return [
    {
      kind: "tariff",
      name: supplierName(best.name),
      worthEur: rankedEur(current.cost) - rankedEur(best.cost),
    },
  ];
}

/** What an answer says about one change that an owner can make, over a year of the own home. */
function improvementOf({ period, basis, change, savedEur: worthEur }: WhatIfResult): Improvement[] {
  const { batteryKwh, pvKwpMore, tariff } = change;
  if (period !== "year" || basis !== "measured" || Object.values(change).filter(Boolean).length !== 1)
    return [];
  if (tariff !== undefined) return [{ kind: "tariff", name: supplierName(tariff), worthEur }];
  if (batteryKwh !== undefined) return [{ kind: "battery", size: batteryKwh, worthEur }];
  return pvKwpMore === undefined ? [] : [{ kind: "pv", size: pvKwpMore, worthEur }];
}

function supplierName(id: string): string {
  return tariffPresets().suppliers.find((supplier) => supplier.id === id)?.name ?? id;
}
