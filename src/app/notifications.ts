import { DAY_MS } from "../core/domain/interval.js";
import type { ActuatorService } from "../equipment/service.js";
import { monthlyReport } from "../messages/notifications/monthly-report.js";
import { NotificationService } from "../messages/notifications/service.js";
import { type Improvement, weeklyStory } from "../messages/notifications/weekly-story.js";
import { rankedEur } from "../money/compare/compare-tariff.js";
import type { WhatIfResult } from "../money/compare/what-if-answers.js";
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

/** Less is not called a year. */
const LEAST_YEAR_MS = 330 * DAY_MS;

/** What an answer says about one change that an owner can make, over a year of the own home. */
export function improvementOf(result: WhatIfResult): Improvement[] {
  const { period, basis, change, rows, savedEur: worthEur, from, to } = result;
  const { batteryKwh, pvKwpMore, tariff } = change;
  const changes = Object.values(change).filter(Boolean).length + (rows === undefined ? 0 : 1);
  if (period !== "year" || basis === "standard" || changes !== 1 || worthEur === null) return [];
  // A tariff is also computed of the part that is known.
  if (Date.parse(to) - Date.parse(from) < LEAST_YEAR_MS) return [];
  const best = rows?.toSorted((a, b) => rankedEur(a.cost) - rankedEur(b.cost))[0]?.name ?? tariff;
  if (best !== undefined)
    return best === "current" ? [] : [{ kind: "tariff", name: supplierName(best), worthEur }];
  if (batteryKwh !== undefined) return [{ kind: "battery", size: batteryKwh, worthEur }];
  return pvKwpMore === undefined ? [] : [{ kind: "pv", size: pvKwpMore, worthEur }];
}

function supplierName(id: string): string {
  return tariffPresets().suppliers.find((supplier) => supplier.id === id)?.name ?? id;
}
