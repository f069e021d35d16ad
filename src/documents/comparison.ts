import { moneyEur } from "../domain/rounding.js";

/** The cost of a period under a tariff, EUR; null: not known without a battery. */
interface ComparedCost {
  noBatteryEur: number;
  uncontrolledEur: number | null;
  hourgateEur: number | null;
  perfectEur: number | null;
}

/** The result of a comparison of tariffs as a JSON document. */
export function comparisonDocument(rows: readonly { name: string; cost: ComparedCost }[]) {
  const euro = (eur: number | null) => (eur === null ? null : moneyEur(eur));
  return rows.map(({ name, cost }) => ({
    tariff: name,
    no_battery_eur: moneyEur(cost.noBatteryEur),
    uncontrolled_eur: euro(cost.uncontrolledEur),
    hourgate_eur: euro(cost.hourgateEur),
    perfect_eur: euro(cost.perfectEur),
  }));
}
