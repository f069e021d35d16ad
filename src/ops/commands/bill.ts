import type { billDocument, yearBillDocument } from "../../api/documents/bill.js";
import { textsOf } from "../../texts/index.js";
import { adminCommand, siteOption, table } from "./admin-command.js";
import { flagOption, patternOption, usageError, valueOption } from "./command.js";

type BillDocument = ReturnType<typeof billDocument>;
type YearDocument = ReturnType<typeof yearBillDocument>;

const euro = (value: number) => value.toFixed(2);

export const billCommand = adminCommand({
  name: "bill",
  summary: "Prints the bill of a month or a year from metered energy and the tariff of the plant.",
  options: {
    month: valueOption("YYYY-MM", "Local month."),
    year: patternOption(
      "YYYY",
      { pattern: /^\d{4}$/, form: () => "given as YYYY, such as 2026" },
      "Calendar year: its months and their sums.",
    ),
    site: siteOption,
    "round-lines": flagOption("Round each line to a cent, which is the default."),
    exact: flagOption("Round only the total."),
    "data-dir": valueOption("DIR", "Data folder; default: that of the configuration."),
  },
  input(request, { options: { month, year } }) {
    if ((month === undefined) === (year === undefined))
      throw usageError("--month must be given, such as --month 2026-07, or --year, such as --year 2026.");
    return request;
  },
  lines: (bill: BillDocument | YearDocument) => ("months" in bill ? yearLines(bill) : monthLines(bill)),
});

function monthLines(bill: BillDocument): string[] {
  const { gap, laterPrices } = textsOf("en").bill;
  const rows = bill.lines.map(({ part, name, quantity, unit, price_ct, net_eur }) => [
    part === name ? part : `${part}: ${name}`,
    `${unit === "kWh" ? quantity.toFixed(3) : quantity.toFixed(2)} ${unit}`,
    price_ct === null ? "" : `${price_ct.toFixed(4)} ct`,
    euro(net_eur),
  ]);
  return [
    `Bill of ${bill.site} for ${bill.month}${bill.until === null ? "" : `, until ${bill.until}`}`,
    ...bill.gaps.map(({ kind, hours, kwh, eur }) =>
      gap(kind, {
        hours: String(hours),
        kwh: kwh.toFixed(1),
        eur: eur === null ? undefined : euro(eur),
      }),
    ),
    ...(bill.later_prices_of === null ? [] : [laterPrices(bill.later_prices_of)]),
    ...bill.estimated_prices.map(
      (part) => `The price of ${part} for this month is not known yet: that of the last known month is used.`,
    ),
    "",
    ...table(["Part", "Quantity", "Price", "Net EUR"], rows),
    "",
    `Net ${euro(bill.net_eur)} EUR, VAT ${euro(bill.vat_eur)} EUR, gross ${euro(bill.gross_eur)} EUR`,
    ...(bill.community_eur !== 0 ? [`Community ${euro(bill.community_eur)} EUR`] : []),
    ...(bill.feed_in_eur !== 0 ? [`Feed-in ${euro(-bill.feed_in_eur)} EUR`] : []),
    `To pay ${euro(bill.total_eur)} EUR`,
  ];
}

function yearLines(bill: YearDocument): string[] {
  const rows = bill.months.map((one) => [
    one.complete ? one.month : `${one.month} incomplete`,
    one.kwh.import.toFixed(1),
    one.kwh.export.toFixed(1),
    euro(one.gross_eur),
    euro(one.community_eur),
    euro(-one.feed_in_eur),
    euro(one.total_eur),
  ]);
  const sum = [
    "Sum",
    bill.kwh.import.toFixed(1),
    bill.kwh.export.toFixed(1),
    euro(bill.gross_eur),
    euro(bill.community_eur),
    euro(-bill.feed_in_eur),
    euro(bill.total_eur),
  ];
  return [
    `Bills of ${bill.site} for ${bill.year}`,
    ...(bill.missing_months.length > 0 ? [`Nothing is metered in ${bill.missing_months.join(", ")}.`] : []),
    "",
    ...table(
      ["Month", "Draw kWh", "Feed-in kWh", "Gross EUR", "Community EUR", "Feed-in EUR", "To pay EUR"],
      [...rows, sum],
    ),
  ];
}
