import { energyKwh, moneyEur } from "../../core/domain/rounding.js";
import type { WhatIfRun } from "../../money/compare/service.js";
import type { SiteChange } from "../../money/compare/site-change.js";
import type { WhatIfRequest, WhatIfResult } from "../../money/compare/what-if-answers.js";
import { comparisonDocument } from "./comparison.js";

/** The questions about the past of a site: the one that is computed, and the answers that are kept. */
export function whatIfDocument(
  siteId: string,
  { run, results }: { run: WhatIfRun; results: readonly WhatIfResult[] },
) {
  return {
    schema: "what_if_v1" as const,
    site: siteId,
    status: run.status,
    progress_pct: run.status === "running" ? Math.floor(run.progress * 100) : null,
    fault: run.status === "failed" ? run.fault : null,
    ...(run.status !== "idle" && { asked: requestDocument(run.request) }),
    results: results.map((result) => ({
      id: result.id,
      from: result.from,
      to: result.to,
      basis: result.basis,
      cost_is: result.cost,
      cost_eur: result.costEur === null ? null : moneyEur(result.costEur),
      changed_eur: moneyEur(result.changedEur),
      saved_eur: result.savedEur === null ? null : moneyEur(result.savedEur),
      ...(result.metered && {
        metered: {
          import_kwh: energyKwh(result.metered.importKwh),
          export_kwh: energyKwh(result.metered.exportKwh),
          hours_missing: result.metered.hoursMissing,
          missing: result.metered.missing,
        },
      }),
      ...(result.rows && { comparison: comparisonDocument(result.rows) }),
      ...requestDocument(result),
    })),
  };
}

export type WhatIfDocument = ReturnType<typeof whatIfDocument>;

function requestDocument({ period, change, annualKwh, tariffs, area }: WhatIfRequest) {
  return {
    period,
    ...(annualKwh !== undefined && { annual_kwh: annualKwh }),
    ...(tariffs && { tariffs }),
    ...(area !== undefined && { area }),
    ...changeDocument(change),
  };
}

function changeDocument(change: SiteChange) {
  return {
    ...(change.batteryKwh !== undefined && { battery_kwh: change.batteryKwh }),
    ...(change.pvKwpMore !== undefined && { pv_kwp_more: change.pvKwpMore }),
    ...(change.tariff !== undefined && { tariff: change.tariff }),
    ...(change.withoutCar && { without_car: true as const }),
    ...(change.heatPumpKwhYear !== undefined && { heat_pump_kwh_year: change.heatPumpKwhYear }),
  };
}
