import type { Site } from "../../config/site.js";
import { floorTo, type Interval, QUARTER_MS } from "../../core/domain/interval.js";
import type { Clock } from "../../core/time/clock.js";
import { dayInterval, localDate, monthInterval } from "../../core/time/zone.js";
import { PriceSeries } from "../../forecast/market/price-series.js";
import type { Store } from "../../store/store.js";
import { billMonth } from "../../tariff/bill.js";
import type { Bill, BilledStep } from "../../tariff/bill-lines.js";
import { compileTariff } from "../../tariff/compile-tariff.js";
import { settledPrices } from "../../tariff/settled-price.js";
import { periodAt, periodsOf, type Tariff } from "../../tariff/tariff.js";
import { type BillGap, billGaps, lacksFeedInPrice, type PricedQuarter } from "./bill-gaps.js";
import { type BilledSources, billedQuarters } from "./billed-quarters.js";

/** A bill that cannot be made; the message says what to do. */
export class BillError extends Error {
  override readonly name = "BillError";
  readonly code: "wrong_month" | "unknown_site" | "no_tariff" | "nothing_metered" | "no_prices";

  constructor(code: BillError["code"], message: string) {
    super(message);
    this.code = code;
  }
}

/** A bill service on an open data folder. */
export function billServiceOf(
  { prices, samples, meter }: Pick<Store, "prices" | "samples" | "meter">,
  sites: BillOptions["sites"],
  clock: Pick<Clock, "now">,
): BillService {
  return new BillService({
    clock,
    sites,
    samples,
    meter,
    series: async () => PriceSeries.of(await prices.load()),
  });
}

export interface BillOptions extends BilledSources {
  /** Left out: every month is over. */
  clock?: Pick<Clock, "now">;
  sites: { list(): readonly Site[] };
  series: () => Promise<PriceSeries> | PriceSeries;
}

/** A month's bill and what it is made from. */
export interface MonthlyBill {
  site: string;
  bill: Bill;
  /** Hours without a metered import, or without a price that the tariff needs. */
  missingHours: number;
  /** Hours whose values the grid operator estimated. */
  estimatedHours: number;
  /** What is not certain, with the amounts that it touches. */
  gaps: BillGap[];
  /** The month is not over: the bill goes up to this instant, with fixed amounts in proportion. */
  until: Date | undefined;
  /** Year of the grid fees and levies of the presets, when they are used for an earlier one. */
  laterPricesOf: string | undefined;
}

/** The bills of a calendar year; `bill` is undefined for months without metered values or market prices. */
export interface YearlyBill {
  site: string;
  year: string;
  months: { month: string; bill: MonthlyBill | undefined }[];
}

/** Why a month of a year has no bill, while others may have one. */
const UNBILLED: readonly BillError["code"][] = ["nothing_metered", "no_prices"];

/** What bills are asked for: the first site where none is named. */
export interface BillRequest {
  site?: string;
  /** Each line is rounded to a cent, and sums add rounded lines, as everywhere it is shown. Default: nothing is rounded. */
  roundLines?: boolean;
}

/** Makes monthly bills of metered quarter-hours: imported meter files first, otherwise the counters of the telemetry. */
export class BillService {
  readonly #options: BillOptions;

  constructor(options: BillOptions) {
    this.#options = options;
  }

  /** The bill of a local month, `YYYY-MM`. Throws BillError, TariffError, StoreError. */
  async month(request: BillRequest & { month: string; series?: PriceSeries }): Promise<MonthlyBill> {
    const site = this.#site(request.site);
    const { plant } = site;
    const zone = plant.timezone;
    const whole = monthOf(request.month, zone);
    if (plant.tariff === null) {
      throw new BillError(
        "no_tariff",
        `The plant ${site.id} has no tariff: configure one, hourgate tariff show helps.`,
      );
    }
    const until = this.#until(whole);
    const stretch = until === undefined ? whole : { start: whole.start, end: until };
    const days =
      until === undefined ? undefined : { first: `${request.month}-01`, last: localDate(until, zone) };
    const series = request.series ?? (await this.#options.series());
    const prices = compileTariff(plant.tariff, zone);
    const quarters = await billedQuarters(this.#options, site, stretch);
    const steps: BilledStep[] = [];
    const billed: PricedQuarter[] = [];
    const hasFeedIn = quarters.some(({ exportKwh }) => exportKwh !== undefined && exportKwh > 0);
    let missing = 0;
    let hasDraw = false;
    for (const quarter of quarters) {
      const { start, importKwh, communityKwh, communityExportKwh, isEstimated } = quarter;
      const settled = settledPrices(series, prices, start);
      const { spotCtKwh = 0, importCtKwh, exportCtKwh } = settled;
      const exportKwh = quarter.exportKwh ?? (hasFeedIn ? undefined : 0);
      billed.push({ start, importKwh, exportKwh, isEstimated, importCtKwh, exportCtKwh });
      const lacksPrice = importCtKwh === undefined || lacksFeedInPrice({ exportKwh, exportCtKwh });
      if (importKwh === undefined || lacksPrice) missing++;
      const isBilled = importKwh !== undefined && importCtKwh !== undefined;
      if (isBilled) hasDraw = true;
      // Feed-in is paid for whether the draw is known or not.
      const exported = exportCtKwh === undefined ? 0 : (exportKwh ?? 0);
      if (isBilled || exported > 0)
        steps.push({
          start,
          importKwh: isBilled ? importKwh : 0,
          exportKwh: exported,
          communityKwh: isBilled ? communityKwh : 0,
          communityExportKwh,
          spotCtKwh,
        });
    }
    if (!hasDraw && quarters.some(({ importKwh }) => importKwh !== undefined)) {
      throw new BillError(
        "no_prices",
        `There are no market prices of ${request.month}: import them with hourgate import prices FILE.`,
      );
    }
    if (!hasDraw) {
      throw new BillError(
        "nothing_metered",
        `Nothing is metered in ${request.month}: import the grid operator's file (hourgate import meter FILE), or publish import_kwh.`,
      );
    }
    const { month, roundLines = false } = request;
    const earlier = await this.#earlier(site, plant.tariff, stretch);
    return {
      site: site.id,
      bill: billMonth({
        tariff: plant.tariff,
        zone,
        month,
        steps,
        roundLines,
        ...(days && { days }),
        ...(earlier && { earlier }),
      }),
      until,
      missingHours: missing / 4,
      estimatedHours: quarters.filter(({ isEstimated }) => isEstimated).length / 4,
      gaps: billGaps(billed),
      laterPricesOf: laterPrices(plant.tariff, month),
    };
  }

  /** The last whole quarter-hour of a month that is not over; its first one where it has just begun. */
  #until({ start, end }: Interval): Date | undefined {
    const now = this.#options.clock?.now();
    if (now === undefined || now < start || now >= end) return undefined;
    return new Date(Math.max(start.getTime() + QUARTER_MS, floorTo(now.getTime(), QUARTER_MS)));
  }

  /** The bills of a calendar year, `YYYY`. Throws BillError, TariffError, StoreError. */
  async year({ year, ...request }: BillRequest & { year: string }): Promise<YearlyBill> {
    const series = await this.#options.series();
    const months: YearlyBill["months"] = [];
    let failure: BillError | undefined;
    for (let number = 1; number <= 12; number++) {
      const month = `${year}-${String(number).padStart(2, "0")}`;
      const bill = await this.month({ ...request, month, series }).catch((error: unknown) => {
        if (!(error instanceof BillError) || !UNBILLED.includes(error.code)) throw error;
        failure = error;
        return undefined;
      });
      months.push({ month, bill });
    }
    const site = months.find(({ bill }) => bill !== undefined)?.bill?.site;
    if (site !== undefined) return { site, year, months };
    throw failure ?? new BillError("nothing_metered", `Nothing is metered in ${year}.`);
  }

  /** Metered amounts since the begin of the year, or of the contract in it, for blocks per year; undefined without such. */
  async #earlier({ id, plant }: Site, tariff: Tariff, { start }: Interval) {
    const zone = plant.timezone;
    const date = localDate(start, zone);
    const period = periodAt(periodsOf(tariff), date);
    const perYear = [period.energy, period.feed_in].some((price) => price?.blocks_per === "year");
    const firstDay = [`${date.slice(0, 4)}-01-01`, period.valid_from ?? ""].sort().at(-1)!;
    if (!perYear || firstDay >= date) return undefined;
    const stretch = { start: dayInterval(firstDay, zone).start, end: start };
    const quarters = await billedQuarters(this.#options, { id, plant }, stretch);
    let [importKwh, exportKwh] = [0, 0];
    for (const quarter of quarters) {
      if (quarter.importKwh !== undefined) importKwh += quarter.importKwh - quarter.communityKwh;
      exportKwh += quarter.exportKwh ?? 0;
    }
    return { importKwh, exportKwh };
  }

  #site(id: string | undefined): Site {
    const sites = this.#options.sites.list();
    const found = id === undefined ? sites[0] : sites.find((site) => site.id === id);
    if (found !== undefined) return found;
    throw new BillError(
      "unknown_site",
      `There is no plant "${id}"; there are ${sites.map((site) => site.id).join(", ")}.`,
    );
  }
}

/** The year of the grid fees in a tariff, if it is after the month: presets hold the fees of one year. */
function laterPrices(tariff: Tariff, month: string): string | undefined {
  const { known_until: until, valid_from: from } = periodAt(periodsOf(tariff), `${month}-01`);
  const year = until?.slice(0, 4);
  return year !== undefined && from === undefined && year > month.slice(0, 4) ? year : undefined;
}

function monthOf(month: string, zone: string): Interval {
  if (!/^\d{4}-(0[1-9]|1[0-2])$/.test(month)) {
    throw new BillError(
      "wrong_month",
      `The month must be given as YYYY-MM, such as 2026-07, not "${month}".`,
    );
  }
  return monthInterval(month, zone);
}
