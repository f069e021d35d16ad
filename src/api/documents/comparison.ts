import type { Interval } from "../../core/domain/interval.js";
import { energyKwh, moneyEur } from "../../core/domain/rounding.js";
import { formatIso } from "../../core/time/zone.js";
import { rankedEur, type TariffCost } from "../../money/compare/compare-tariff.js";

/** The result of a comparison of tariffs as a JSON document. */
export function comparisonDocument(rows: readonly { name: string; cost: TariffCost }[]) {
  const euro = (eur: number | null) => (eur === null ? null : moneyEur(eur));
  return rows.map(({ name, cost }) => ({
    tariff: name,
    ...(cost.meteredEur !== null && { metered_eur: moneyEur(cost.meteredEur) }),
    no_battery_eur: euro(cost.noBatteryEur),
    uncontrolled_eur: euro(cost.uncontrolledEur),
    hourgate_eur: euro(cost.hourgateEur),
    perfect_eur: euro(cost.perfectEur),
  }));
}

interface ComparisonView {
  siteId: string;
  zone: string;
  run:
    | ({ year: string | null } & (
        | { status: "running"; progress: number }
        | {
            status: "done";
            basis: {
              period: Interval;
              loadKwh: number;
              loadHoursMissing: number;
              pv: string;
              metered?: { importKwh: number; exportKwh: number; missing: readonly string[] };
            };
            rows: readonly { name: string; cost: TariffCost }[];
          }
        | { status: "failed"; fault: string }
      ))
    | undefined;
}

/** The comparison that was started last in the portal, with its progress or result; `none` before the first one. */
export function comparisonRunDocument({ siteId, zone, run }: ComparisonView) {
  if (run === undefined) return { site: siteId, status: "none" as const };
  const { year } = run;
  if (run.status === "running")
    return { site: siteId, status: run.status, year, progress_pct: Math.floor(run.progress * 100) };
  if (run.status === "failed") return { site: siteId, status: run.status, year, error: { code: run.fault } };
  const { basis } = run;
  return {
    site: siteId,
    status: run.status,
    year,
    from: formatIso(basis.period.start, zone),
    to: formatIso(basis.period.end, zone),
    load_kwh: energyKwh(basis.loadKwh),
    load_hours_missing: basis.loadHoursMissing,
    pv: basis.pv,
    ...(basis.metered && {
      import_kwh: energyKwh(basis.metered.importKwh),
      export_kwh: energyKwh(basis.metered.exportKwh),
      missing: basis.metered.missing,
    }),
    cheapest: cheapestOf(run.rows),
    tariffs: comparisonDocument(run.rows),
  };
}

/** The cheapest tariff. */
export function cheapestOf(rows: readonly { name: string; cost: TariffCost }[]): string | null {
  return rows.toSorted((a, b) => rankedEur(a.cost) - rankedEur(b.cost))[0]?.name ?? null;
}
