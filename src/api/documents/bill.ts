import type { MonthlyBill, YearlyBill } from "../../money/bill/bill-service.js";
import { roundCent } from "../../tariff/bill-lines.js";

/** Most intervals of a gap that are listed; `hours` counts all. */
const MOST_INTERVALS = 50;

/** The bill as `hourgate bill --json` prints it: lines and totals in EUR as billed, at most to a millionth. */
export function billDocument(monthly: MonthlyBill) {
  const { bill, site, missingHours, estimatedHours, gaps, laterPricesOf, until } = monthly;
  return {
    month: bill.month,
    site,
    complete:
      until === undefined && missingHours === 0 && !gaps.some(({ kind }) => kind === "missing_feed_in"),
    /** Of the current month the bill until now, with fixed amounts in proportion. */
    until: until === undefined ? null : until.toISOString().replace(".000Z", "Z"),
    missing_hours: missingHours,
    estimated_hours: estimatedHours,
    estimated_prices: bill.estimated,
    /** Year of the grid fees and levies, when they are those of a later one. */
    later_prices_of: laterPricesOf ?? null,
    gaps: gaps.map(({ kind, hours, intervals, kwh, eur }) => ({
      kind,
      hours,
      intervals: intervals.slice(0, MOST_INTERVALS).map(({ start, end }) => ({
        start: start.toISOString().replace(".000Z", "Z"),
        end: end.toISOString().replace(".000Z", "Z"),
      })),
      kwh: fine(kwh),
      eur: eur === undefined ? null : roundCent(eur),
    })),
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

/** The bills of a year as `hourgate bill --year --json` prints it; the sums are those of the rounded monthly amounts. */
export function yearBillDocument({ site, year, months }: YearlyBill) {
  const bills = months.flatMap(({ bill }) => (bill === undefined ? [] : [billDocument(bill)]));
  const sum = (amount: (bill: ReturnType<typeof billDocument>) => number) =>
    fine(bills.reduce((total, bill) => total + amount(bill), 0));
  return {
    year,
    site,
    complete: bills.length === months.length && bills.every(({ complete }) => complete),
    missing_months: months.flatMap(({ month, bill }) => (bill === undefined ? [month] : [])),
    kwh: {
      import: sum(({ kwh }) => kwh.import),
      export: sum(({ kwh }) => kwh.export),
      community: sum(({ kwh }) => kwh.community),
    },
    gross_eur: sum((bill) => bill.gross_eur),
    community_eur: sum((bill) => bill.community_eur),
    feed_in_eur: sum((bill) => bill.feed_in_eur),
    total_eur: sum((bill) => bill.total_eur),
    months: bills,
  };
}

function fine(value: number): number {
  return Math.round(value * 1e6) / 1e6;
}
