import { sumOfAll } from "../core/numbers.js";
import { addDays, localDate } from "../core/time/zone.js";
import {
  type Bill,
  type BilledStep,
  type BillLine,
  BillLines,
  type BillPart,
  roundCent,
} from "./bill-lines.js";
import { addPeriod } from "./bill-period.js";
import { checkBillInput } from "./check-input.js";
import { monthlyPrice, periodAt, periodsOf, type Tariff, type TariffPeriod } from "./tariff.js";

/**
 * The bill of a local month (`YYYY-MM`): docs/tariffs.md has the order of calculation. Yearly amounts enter as a twelfth;
 * where the tariff or a levy changes within the month, fixed amounts count by days. Throws TariffError, and RangeError for
 * values that are none.
 */
export function billMonth(input: {
  tariff: Tariff;
  zone: string;
  month: string;
  steps: readonly BilledStep[];
  /** Round each line to a cent and add the rounded lines; left out: nothing is rounded. */
  roundLines?: boolean;
  /** Local days (both included) outside of which nothing is billed; default: the whole month. */
  days?: { first: string; last: string };
  /** Amounts of the calendar year before this month, for blocks per year: what the community covers is not part of them. */
  earlier?: { importKwh: number; exportKwh: number };
}): Bill {
  checkBillInput(input);
  const { zone, month, roundLines = false } = input;
  const lines = new BillLines(roundLines);
  const days = daysOf(month);
  const { first = "", last = "9999" } = input.days ?? {};
  const billedDays = days.filter((date) => first <= date && date <= last);
  const steps = input.steps.filter(({ start }) => localDate(start, zone).startsWith(month));
  const periods = periodsOf(input.tariff);
  const kwh = { import: 0, export: 0, community: 0, byWindow: {} as Record<string, number> };
  const inForce = [...new Set(billedDays.map((date) => periodAt(periods, date)))];
  for (const period of inForce) {
    const own = steps.filter(({ start }) => periodAt(periods, localDate(start, zone)) === period);
    // The amounts before are those of the contract that the month began with.
    const earlier = period === periodAt(periods, days[0]!) ? input.earlier : undefined;
    const dates = billedDays.filter((date) => periodAt(periods, date) === period);
    addPeriod({
      period,
      zone,
      month,
      steps: own,
      monthSteps: steps,
      dates,
      daysOfMonth: days.length,
      lines,
      kwh,
      earlier,
    });
  }
  const billed = lines.all.filter(({ part }) => part !== "community" && part !== "feed_in");
  const sum = (of: readonly BillLine[], amount: (line: BillLine) => number) =>
    of.reduce((total, line) => total + amount(line), 0);
  const part = (name: BillPart) => lines.all.filter((line) => line.part === name);
  const amount = (eur: number) => (roundLines ? roundCent(eur) : eur);
  const net = (of: readonly BillLine[]) => amount(sum(of, ({ netEur }) => netEur));
  // As an invoice has it: the tax of each rate is one amount.
  const vat = (of: readonly BillLine[]) =>
    sumOfAll(
      [...new Set(of.map(({ vatPct }) => vatPct))].map((vatPct) =>
        amount((net(of.filter((line) => line.vatPct === vatPct)) * vatPct) / 100),
      ),
    );
  const netEur = net(billed);
  const vatEur = amount(vat(billed));
  const grossEur = amount(netEur + vatEur);
  const communityEur = amount(net(part("community")) + vat(part("community")));
  const feedInEur = net(part("feed_in"));
  return {
    month,
    kwh,
    lines: lines.all,
    netEur,
    vatEur,
    grossEur,
    communityEur,
    feedInEur,
    totalEur: amount(grossEur + communityEur - feedInEur),
    estimated: estimatedParts(inForce, month),
  };
}

/** Parts whose monthly price is not known for the month. */
function estimatedParts(inForce: readonly TariffPeriod[], month: string): Bill["estimated"] {
  const isEstimated = (
    price:
      | { type?: string | undefined; months?: Readonly<Record<string, number>> | undefined }
      | null
      | undefined,
  ) => price?.type === "monthly" && (monthlyPrice(price.months ?? {}, month)?.isEstimated ?? false);
  return (["energy", "feed_in"] as const).filter((part) =>
    inForce.some((period) => isEstimated(period[part])),
  );
}

function daysOf(month: string): string[] {
  const days: string[] = [];
  for (let date = `${month}-01`; date.startsWith(month); date = addDays(date, 1)) days.push(date);
  return days;
}
