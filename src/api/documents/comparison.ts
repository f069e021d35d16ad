import { moneyEur } from "../../core/domain/rounding.js";
import type { TariffCost } from "../../money/compare/compare-tariff.js";

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
