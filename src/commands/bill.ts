import type { billDocument } from "../documents/bill.js";
import { adminCommand, siteOption, table } from "./admin-command.js";
import { textOption } from "./command.js";

type BillDocument = ReturnType<typeof billDocument>;

const euro = (value: number) => value.toFixed(2);

export const billCommand = adminCommand<BillDocument>({
  name: "bill",
  summary: "Prints the bill of a month from metered energy and the tariff of the plant.",
  usage: "--month YYYY-MM [--site ID] [--round-lines] [--data-dir DIR]",
  options: {
    month: { type: "string", value: "YYYY-MM", help: "Local month." },
    site: siteOption,
    "round-lines": { type: "boolean", help: "Round each line to a cent instead of the total." },
    "data-dir": { type: "string", value: "DIR", help: "Data folder; default: that of the configuration." },
  },
  input(args) {
    const month = textOption(args, "month");
    if (month === undefined) return "--month must be given, such as --month 2026-07.";
    const site = textOption(args, "site");
    return {
      month,
      ...(site !== undefined && { site }),
      ...(args.options["round-lines"] === true && { round_lines: true }),
    };
  },
  lines(bill) {
    const rows = bill.lines.map(({ part, name, quantity, unit, price_ct, net_eur }) => [
      part === name ? part : `${part}: ${name}`,
      `${unit === "kWh" ? quantity.toFixed(3) : quantity.toFixed(2)} ${unit}`,
      price_ct === null ? "" : `${price_ct.toFixed(4)} ct`,
      euro(net_eur),
    ]);
    return [
      `Bill of ${bill.site} for ${bill.month}`,
      ...(bill.complete
        ? []
        : [`${bill.missing_hours} hours are not metered or have no price: they are left out.`]),
      ...(bill.estimated_hours > 0
        ? [`${bill.estimated_hours} hours were estimated by the grid operator.`]
        : []),
      ...bill.estimated_prices.map(
        (part) =>
          `The price of ${part} for this month is not known yet: that of the last known month is used.`,
      ),
      "",
      ...table(["Part", "Quantity", "Price", "Net EUR"], rows),
      "",
      `Net ${euro(bill.net_eur)} EUR, VAT ${euro(bill.vat_eur)} EUR, gross ${euro(bill.gross_eur)} EUR`,
      ...(bill.community_eur !== 0 ? [`Community ${euro(bill.community_eur)} EUR`] : []),
      ...(bill.feed_in_eur !== 0 ? [`Feed-in ${euro(-bill.feed_in_eur)} EUR`] : []),
      `To pay ${euro(bill.total_eur)} EUR`,
    ];
  },
});
