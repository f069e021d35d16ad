import type { Site } from "../accounts/sites.js";
import type { TimedValue } from "../domain/counter.js";
import { HOUR_MS, type Interval, QUARTER_MS } from "../domain/interval.js";
import type { MeterQuantity } from "../domain/meter.js";
import type { Reading } from "../domain/sample.js";
import { PriceSeries } from "../market/price-series.js";
import type { Store } from "../store/store.js";
import { billMonth } from "../tariff/bill.js";
import type { Bill, BilledStep } from "../tariff/bill-lines.js";
import { compileTariff } from "../tariff/compile-tariff.js";
import { settledCtKwh } from "../tariff/settled-price.js";
import { periodAt, periodsOf, type Tariff } from "../tariff/tariff.js";
import { addDays, dayInterval, localDate } from "../time/zone.js";
import { counterQuarters } from "./counter-quarters.js";

/** A bill that cannot be made; the message says what to do. */
export class BillError extends Error {
  override readonly name = "BillError";
}

/** A bill service on an open data folder. */
export function billServiceOf(
  { prices, samples, meter }: Pick<Store, "prices" | "samples" | "meter">,
  sites: BillOptions["sites"],
): BillService {
  return new BillService({
    sites,
    series: async () => PriceSeries.of(await prices.load()),
    readings: (...range) => samples.range(...range),
    imported: (...range) => meter.energy(...range),
  });
}

export interface BillOptions {
  sites: { list(): readonly Site[] };
  series: () => Promise<PriceSeries> | PriceSeries;
  readings(siteId: string, reading: Reading, from: Date, to: Date): Promise<TimedValue[]>;
  /** Energy of imported meter files. */
  imported(
    siteId: string,
    quantity: MeterQuantity,
    from: Date,
    to: Date,
  ): Promise<readonly { start: Date; kwh: number; isEstimated: boolean }[]>;
}

/** A month's bill and what it is made from. */
export interface MonthlyBill {
  site: string;
  bill: Bill;
  /** Hours without a metered import, or without a price that the tariff needs. */
  missingHours: number;
  /** Hours whose values the grid operator estimated. */
  estimatedHours: number;
}

/** Makes monthly bills of metered quarter-hours: imported meter files first, otherwise the counters of the telemetry. */
export class BillService {
  readonly #options: BillOptions;

  constructor(options: BillOptions) {
    this.#options = options;
  }

  /** The bill of a local month, `YYYY-MM`. Throws BillError, TariffError, StoreError. */
  async month(request: { site?: string; month: string; roundLines?: boolean }): Promise<MonthlyBill> {
    const site = this.#site(request.site);
    const { plant } = site;
    if (plant.tariff === null) {
      throw new BillError(`The plant ${site.id} has no tariff: configure one, hourgate tariff show helps.`);
    }
    const zone = plant.timezone;
    const stretch = monthOf(request.month, zone);
    const series = await this.#options.series();
    const prices = compileTariff(plant.tariff, zone);
    const metered = await this.#metered(site.id, stretch);
    const steps: BilledStep[] = [];
    let missing = 0;
    for (const quarter of metered.quarters) {
      const spotCtKwh = settledCtKwh(series, prices, quarter.start);
      if (quarter.importKwh === undefined || spotCtKwh === undefined) missing++;
      else steps.push({ ...quarter, importKwh: quarter.importKwh, spotCtKwh });
    }
    if (steps.length === 0) {
      throw new BillError(
        `Nothing is metered in ${request.month}: import the grid operator's file (hourgate import meter FILE), or publish import_kwh.`,
      );
    }
    const { month, roundLines = false } = request;
    const earlier = await this.#earlier(site, plant.tariff, stretch);
    return {
      site: site.id,
      bill: billMonth({ tariff: plant.tariff, zone, month, steps, roundLines, ...(earlier && { earlier }) }),
      missingHours: missing / 4,
      estimatedHours: metered.estimated / 4,
    };
  }

  /** Metered amounts since the begin of the year, or of the contract in it, for blocks per year; undefined without such. */
  async #earlier({ id, plant }: Site, tariff: Tariff, { start }: Interval) {
    const zone = plant.timezone;
    const date = localDate(start, zone);
    const period = periodAt(periodsOf(tariff), date);
    const perYear = [period.energy, period.feed_in].some((price) => price?.blocks_per === "year");
    const firstDay = [`${date.slice(0, 4)}-01-01`, period.valid_from ?? ""].sort().at(-1)!;
    if (!perYear || firstDay >= date) return undefined;
    const { quarters } = await this.#metered(id, { start: dayInterval(firstDay, zone).start, end: start });
    let [importKwh, exportKwh] = [0, 0];
    for (const quarter of quarters) {
      if (quarter.importKwh !== undefined) importKwh += quarter.importKwh - quarter.communityKwh;
      exportKwh += quarter.exportKwh;
    }
    return { importKwh, exportKwh };
  }

  #site(id: string | undefined): Site {
    const sites = this.#options.sites.list();
    const found = id === undefined ? sites[0] : sites.find((site) => site.id === id);
    if (found !== undefined) return found;
    throw new BillError(`There is no plant "${id}"; there are ${sites.map((site) => site.id).join(", ")}.`);
  }

  /** The quarter-hours of a stretch; without an import value where neither a file nor the telemetry has one. */
  async #metered(siteId: string, stretch: Interval) {
    const { start, end } = stretch;
    const imported = async (quantity: MeterQuantity) => {
      const values = await this.#options.imported(siteId, quantity, start, end);
      return new Map(values.map((value) => [value.start.getTime(), value]));
    };
    const counted = async (reading: Reading) => {
      const before = new Date(start.getTime() - HOUR_MS);
      const after = new Date(end.getTime() + HOUR_MS);
      return counterQuarters(await this.#options.readings(siteId, reading, before, after), stretch);
    };
    const drawn = await imported("import");
    const residual = await imported("residual");
    const community = await imported("community");
    const fed = await imported("export");
    const delivered = await imported("delivered");
    const importCounter = await counted("import_kwh");
    const exportCounter = await counted("export_kwh");
    let estimated = 0;
    const quarters = importCounter.map((counterKwh, t) => {
      const at = new Date(start.getTime() + t * QUARTER_MS);
      const ms = at.getTime();
      const total = drawn.get(ms)?.kwh;
      const left = residual.get(ms)?.kwh;
      // Shares of the community are published days later: until then they are not known, and not 0.
      const covered =
        community.get(ms)?.kwh ??
        (total !== undefined && left !== undefined ? total - left : community.size > 0 ? undefined : 0);
      if (drawn.get(ms)?.isEstimated || residual.get(ms)?.isEstimated) estimated++;
      const taken = delivered.get(ms)?.kwh ?? 0;
      const restFed = fed.get(ms)?.kwh;
      return {
        start: at,
        importKwh:
          covered === undefined ? undefined : (total ?? (left === undefined ? counterKwh : left + covered)),
        communityKwh: covered ?? 0,
        exportKwh: restFed === undefined ? (exportCounter[t] ?? 0) : restFed + taken,
        communityExportKwh: taken,
      };
    });
    return { quarters, estimated };
  }
}

function monthOf(month: string, zone: string): Interval {
  if (!/^\d{4}-(0[1-9]|1[0-2])$/.test(month)) {
    throw new BillError(`The month must be given as YYYY-MM, such as 2026-07, not "${month}".`);
  }
  const first = `${month}-01`;
  const next = `${addDays(first, 31).slice(0, 7)}-01`;
  return { start: dayInterval(first, zone).start, end: dayInterval(next, zone).start };
}
