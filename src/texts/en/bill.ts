import { windowName } from "../window-name.js";

/** A gap of a bill with amounts as they are shown: energy in kWh, money in €. */
export interface GapAmounts {
  hours: string;
  kwh: string;
  /** Undefined where no price is known. */
  eur: string | undefined;
}

const ENGLISH_WINDOWS = {
  months: ["Jan", "Feb", "March", "April", "May", "June", "July", "Aug", "Sept", "Oct", "Nov", "Dec"],
  weekdays: ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"],
  holidays: "holidays",
  noHolidays: "no holidays",
  normal: "normal",
  clock: (span: string) => span,
};

export const englishBill = {
  title: "Bill",
  compare: "What would this cost under another tariff?",
  intro:
    "The bill of a month as your supplier and grid operator would write it, from metered energy and the tariff of the site.",
  choose: "Month",
  year: (year: string) => `Whole year ${year}`,
  until: (time: string) => `Until now (${time}), with fixed amounts in proportion.`,
  show: "Show",
  print: "The page can be printed from the browser.",
  of: (site: string, period: string) => `${site}, ${period}`,
  part: "Item",
  quantity: "Quantity",
  price: "Price",
  net: "Net €",
  sections: {
    supplier: "Energy (supplier)",
    grid: "Grid (grid operator)",
    levies: "Levies",
  },
  parts: {
    energy: "Energy",
    base_fee: "Base fee",
    grid_usage: "Grid usage",
    grid_loss: "Grid losses",
    grid_flat: "Grid usage, flat amount",
    metering: "Metering",
    grid_power: "Power price",
    levy: "Levy",
    municipal_levy: "Municipal levy",
    community: "Energy of the community",
    feed_in: "Feed-in",
  },
  /** Name of a price window without a name of its own: its times. */
  window: (name: string): string => windowName(name, ENGLISH_WINDOWS),
  ofCommunity: "community's share",
  sum: "Sum",
  netSum: "Net",
  vat: "VAT",
  gross: "Gross, supplier and grid",
  communityTitle: "Invoice of the energy community",
  feedInTitle: "Credit for feed-in",
  communityFeedIn: "taken by the community",
  communityGross: "Community, VAT included",
  feedInCost: "Cost of the feed-in (negative price)",
  feedInSum: "Feed-in credit",
  total: "To pay",
  credit: "Credit",
  gapsTitle: "What is not certain",
  gap(kind: string, { hours, kwh, eur }: GapAmounts): string {
    switch (kind) {
      case "missing":
        return `${hours} hours without a metered value are not in the bill. At the average import they would be ${kwh} kWh${eur === undefined ? "" : `, about ${eur} €`}.`;
      case "no_price":
        return `${hours} hours without a market price are not in the bill: ${kwh} kWh.`;
      case "estimated":
        return `${hours} hours have values that the grid operator estimated: ${kwh} kWh${eur === undefined ? "" : `, ${eur} €`}.`;
      case "no_feed_in_price":
        return `${hours} hours with feed-in but without a market price are not in the credit: ${kwh} kWh. Import the market prices (hourgate import prices).`;
      default:
        return `${hours} hours without a value of the feed-in are not in the credit. At the average feed-in they would be ${kwh} kWh${eur === undefined ? "" : `, about ${eur} €`}.`;
    }
  },
  laterPrices: (year: string) =>
    `The grid fees are those of ${year}, since the tariff has no others. For the fees of this time, add a period to the tariff.`,
  intervals: "Show the times",
  more: (count: number) => `and ${count} more`,
  estimatedPrice: (part: "energy" | "feed_in") =>
    `The price of ${part === "energy" ? "energy" : "feed-in"} for this month is not known yet; the price of the last known month is used.`,
  noPrices: (period: string) =>
    `There are no market prices of ${period}. The administrator can import them with "hourgate import prices FILE".`,
  noMeter: (period: string) => `No meter data for ${period}.`,
  importFirst: "Import meter data",
  noTariff: "This site has no tariff. Without it no bill can be made.",
  setTariff: "Enter the tariff",
  badTariff: (reason: string) => `The tariff of this site cannot be used: ${reason}`,
  wrongMonth: "Choose a month from the list.",
  month: "Month",
  importKwh: "Import kWh",
  exportKwh: "Feed-in kWh",
  grossShort: "Gross €",
  feedInShort: "Feed-in €",
  communityShort: "Community €",
  totalShort: "To pay €",
  notMetered: "no meter data or prices",
  incomplete: "incomplete",
};
