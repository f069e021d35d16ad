import type { ActuatorService } from "../equipment/service.js";
import { monthlyReport } from "../messages/notifications/monthly-report.js";
import { NotificationService } from "../messages/notifications/service.js";
import { type Improvement, weeklyStory } from "../messages/notifications/weekly-story.js";
import { rankedEur } from "../money/compare/compare-tariff.js";
import type { WhatIfResult } from "../money/compare/service.js";
import { tariffPresets } from "../tariff/presets.js";
import type { Core } from "./core.js";

/** Notifications with the reports of the ledger. */
export function notificationsOf(
  core: Core,
  { actuators }: { actuators: ActuatorService },
): NotificationService {
  const { ledger, bills, services } = core;
  const improvements = async (siteId: string) =>
    (await services.whatIf.results(siteId)).flatMap(improvementOf);
  return new NotificationService({
    ...core,
    actuators,
    report: (site, month) => monthlyReport({ ledger, bills }, site, month),
    story: (site, from) => weeklyStory({ ledger, improvements }, site, from),
  });
}

/** What an answer says about one change that an owner can make, over a year of the own home. */
function improvementOf({ period, basis, change, rows, savedEur: worthEur }: WhatIfResult): Improvement[] {
  const { batteryKwh, pvKwpMore, tariff } = change;
  const changes = Object.values(change).filter(Boolean).length + (rows === undefined ? 0 : 1);
  if (period !== "year" || basis === "standard" || changes !== 1) return [];
  const best = rows?.toSorted((a, b) => rankedEur(a.cost) - rankedEur(b.cost))[0]?.name ?? tariff;
  if (best !== undefined)
    return best === "current" ? [] : [{ kind: "tariff", name: supplierName(best), worthEur }];
  if (batteryKwh !== undefined) return [{ kind: "battery", size: batteryKwh, worthEur }];
  return pvKwpMore === undefined ? [] : [{ kind: "pv", size: pvKwpMore, worthEur }];
}

function supplierName(id: string): string {
  return tariffPresets().suppliers.find((supplier) => supplier.id === id)?.name ?? id;
}
