import type { MonthlyBill } from "../billing/bill-service.js";
import { roundCent } from "../tariff/bill-lines.js";

/** The bill as `hourgate bill --json` prints it: totals in EUR rounded to a cent, parts to a millionth. */
export function billDocument({ bill, site, missingHours, estimatedHours }: MonthlyBill) {
  return {
    month: bill.month,
    site,
    complete: missingHours === 0,
    missing_hours: missingHours,
    estimated_hours: estimatedHours,
    estimated_prices: bill.estimated,
    kwh: {
      import: fine(bill.kwh.import),
      export: fine(bill.kwh.export),
      community: fine(bill.kwh.community),
      by_window: Object.fromEntries(
        Object.entries(bill.kwh.byWindow).map(([name, kwh]) => [name, fine(kwh)]),
      ),
    },
    lines: bill.lines.map(({ part, name, quantity, unit, priceCt, netEur, vatPct }) => ({
      part,
      name,
      quantity: fine(quantity),
      unit,
      price_ct: priceCt === null ? null : fine(priceCt),
      net_eur: fine(netEur),
      vat_pct: vatPct,
    })),
    net_eur: fine(bill.netEur),
    vat_eur: fine(bill.vatEur),
    gross_eur: roundCent(bill.grossEur),
    community_eur: roundCent(bill.communityEur),
    feed_in_eur: roundCent(bill.feedInEur),
    total_eur: roundCent(bill.totalEur),
  };
}

function fine(value: number): number {
  return Math.round(value * 1e6) / 1e6;
}
