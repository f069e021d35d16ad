import type { ActuatorService } from "../equipment/service.js";
import { monthlyReport } from "../messages/notifications/monthly-report.js";
import { NotificationService } from "../messages/notifications/service.js";
import { weeklyStory } from "../messages/notifications/weekly-story.js";
import { rankedEur } from "../money/compare/compare-tariff.js";
import type { ComparisonRun } from "../money/compare/service.js";
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
  const { ledger, bills } = core;
  return new NotificationService({
    ...core,
    actuators,
    report: (site, month) => monthlyReport({ ledger, bills }, site, month),
    story: (site, from) =>
      weeklyStory({ ledger, cheaperTariff: (siteId) => cheaperTariff(comparison(siteId)) }, site, from),
  });
}

/** The cheapest tariff of a comparison, if the tariff of the site was compared and is another one. */
function cheaperTariff(run: ComparisonRun | undefined): { name: string; savedEur: number } | undefined {
  if (run?.status !== "done") return undefined;
  const [best] = run.rows.toSorted((a, b) => rankedEur(a.cost) - rankedEur(b.cost));
  const current = run.rows.find(({ name }) => name === "current");
  if (best === undefined || current === undefined || best === current) return undefined;
  const name = tariffPresets().suppliers.find(({ id }) => id === best.name)?.name ?? best.name;
  return { name, savedEur: rankedEur(current.cost) - rankedEur(best.cost) };
}
