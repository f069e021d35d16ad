import { setImmediate } from "node:timers/promises";
import type { PlantSettings } from "../../config/settings.js";
import type { Site } from "../../config/site.js";
import type { SiteParts, SiteRuntimes } from "../../config/site-runtimes.js";
import { type Interval, QUARTER_MS } from "../../core/domain/interval.js";
import { errorMessage } from "../../core/error-message.js";
import type { Log } from "../../core/log.js";
import { dayInterval } from "../../core/time/zone.js";
import type { PriceSeries } from "../../forecast/market/price-series.js";
import type { WeatherSeries } from "../../forecast/weather/weather-series.js";
import type { Store } from "../../store/store.js";
import { withCommunityShare } from "../../tariff/community-share.js";
import { quarterLoad } from "../../telemetry/learned-load.js";
import { importedCommunityShare } from "../bill/community-shares.js";
import { compareMetered, type TariffCost } from "./compare-tariff.js";
import type { ComparisonTurn } from "./comparison-turn.js";
import { type MeteredInstead, type MissingReading, meteredInstead } from "./metered-site.js";
import { backgroundThreads, compareInThreads } from "./parallel.js";
import { pastEnergies } from "./past-energies.js";
import { modelledPlant } from "./past-pv.js";
import { type HeldData, measuredSite, periodOf } from "./past-site.js";
import type { NamedTariff } from "./preset-tariffs.js";
import { comparisonData } from "./site-comparison.js";

/** Why a comparison has no result. */
export type ComparisonFault = "no_prices" | "no_load" | "no_overlap" | "failed";

/** What a comparison is based on. */
export interface ComparisonBasis {
  period: Interval;
  loadKwh: number;
  /** Hours of the period without a measured load; the usual load of the hour is used for them. */
  loadHoursMissing: number;
  pv: "measured" | "modelled" | "none";
  /** Set where import and export are compared as metered: the readings that are missing to simulate the site. */
  metered?: { importKwh: number; exportKwh: number; missing: readonly MissingReading[] };
}

/** The comparison of a site, in progress or ended. `year` is null for the newest 365 days. */
export type ComparisonRun = { year: string | null } & (
  | { status: "running"; progress: number }
  | { status: "done"; basis: ComparisonBasis; rows: { name: string; cost: TariffCost }[] }
  | { status: "failed"; fault: ComparisonFault }
);

export interface ComparisonServiceOptions {
  store: Pick<Store, "samples" | "meter" | "documents">;
  sites: SiteRuntimes;
  prices: { published(): PriceSeries };
  weather: { series(siteId: string): WeatherSeries };
  stepMinutes: 60 | 15;
  comparisonTurn: ComparisonTurn;
  log: Pick<Log, "error">;
}

/**
 * Compares tariffs of sites in the background, one comparison at a time, in threads of low priority. The last result of each site
 * is kept in memory.
 */
export class ComparisonService {
  readonly #options: ComparisonServiceOptions;
  readonly #ended = new AbortController();
  readonly #sites: SiteParts<{ run?: ComparisonRun }>;
  #running: Promise<void> | undefined;

  constructor(options: ComparisonServiceOptions) {
    this.#options = options;
    this.#sites = options.sites.parts({ create: () => ({}) });
  }

  /** Ends a comparison in progress. */
  async stop(): Promise<void> {
    this.#ended.abort();
    await this.#running;
  }

  /** Whether a comparison is in progress, of any site. */
  get isBusy(): boolean {
    return this.#options.comparisonTurn.isTaken;
  }

  /** The comparison of a site that was started last; undefined if there was none since the start of the gateway. */
  current(siteId: string): ComparisonRun | undefined {
    return this.#sites.get(siteId)?.run;
  }

  /** Starts a comparison; false while another one is in progress. */
  begin(site: Site, { year, tariffs }: { year: string | null; tariffs: readonly NamedTariff[] }): boolean {
    const end = this.#ended.signal.aborted ? undefined : this.#options.comparisonTurn.take();
    if (end === undefined) return false;
    const part = this.#sites.of(site.id);
    const report = (run: ComparisonRun) => {
      part.run = run;
    };
    report({ year, status: "running", progress: 0 });
    const onProgress = (progress: number) => report({ year, status: "running", progress });
    this.#running = this.#compare(site, { year, tariffs, onProgress })
      .then(report, (error: unknown) => {
        report({ year, status: "failed", fault: "failed" });
        if (!this.#ended.signal.aborted)
          this.#options.log.error(
            { site: site.id, err: error },
            `A comparison of tariffs failed: ${errorMessage(error)}`,
          );
      })
      .finally(end);
    return true;
  }

  async #compare(
    { id, plant }: Site,
    request: {
      year: string | null;
      tariffs: readonly NamedTariff[];
      onProgress: (progress: number) => void;
    },
  ): Promise<ComparisonRun> {
    const { store, stepMinutes, prices, weather } = this.#options;
    const { year, tariffs, onProgress } = request;
    const failed = (fault: ComparisonFault): ComparisonRun => ({ year, status: "failed", fault });
    const series = prices.published();
    if (series.isEmpty) return failed("no_prices");
    const wanted: { from?: Date; to?: Date } = year === null ? {} : yearOf(year, plant.timezone);
    const known = await pastEnergies(store, { ...plant, id }, { series, from: wanted.from });
    const held: HeldData = { series, prices: "", weather: weather.series(id), ...known };
    const site = measuredSite(held);
    const metered = await meteredInstead(store, { ...plant, id }, { held, wanted });
    if (metered !== undefined) return this.#compareMetered(plant, metered, { ...request, series });
    if (site.measured.length === 0) return failed("no_load");
    const period = periodOf(wanted, held, site);
    if (typeof period === "string") return failed("no_overlap");
    const share = await importedCommunityShare(store.meter, { id, zone: plant.timezone }, period);
    const costs = await compareInThreads(
      comparisonData(held, { plant, site, period, stepMinutes }),
      tariffs.map(({ tariff }) => ({ tariff: withCommunityShare(tariff, share) })),
      {
        threads: backgroundThreads(),
        isBackground: true,
        signal: this.#ended.signal,
        onProgress,
      },
    );
    const load = quarterLoad(site.measured, period.start, quartersOf(period));
    return {
      year,
      status: "done",
      basis: {
        period,
        loadKwh: load.reduce<number>((sum, kwh) => sum + (kwh ?? 0), 0),
        loadHoursMissing: load.filter((kwh) => kwh === undefined).length / 4,
        pv: site.pv ? "measured" : modelledPlant(plant, held, period) ? "modelled" : "none",
      },
      rows: tariffs.map(({ name }, index) => ({ name, cost: costs[index]! })),
    };
  }

  /** Bills of what the meter counted; far less work than a simulation. */
  async #compareMetered(
    plant: PlantSettings,
    metered: MeteredInstead,
    {
      year,
      tariffs,
      onProgress,
      series,
    }: {
      year: string | null;
      tariffs: readonly NamedTariff[];
      onProgress: (progress: number) => void;
      series: PriceSeries;
    },
  ): Promise<ComparisonRun> {
    const { start, end, energy, importKwh, exportKwh, hoursMissing, missing } = metered;
    const rows: { name: string; cost: TariffCost }[] = [];
    for (const { name, tariff } of tariffs) {
      // The rest of the gateway gets its turn between two tariffs.
      await setImmediate();
      rows.push({ name, cost: compareMetered(tariff, { plant, from: start, to: end, series }, energy) });
      onProgress(rows.length / tariffs.length);
    }
    return {
      year,
      status: "done",
      basis: {
        period: { start, end },
        loadKwh: importKwh,
        loadHoursMissing: hoursMissing,
        pv: "none",
        metered: { importKwh, exportKwh, missing },
      },
      rows,
    };
  }
}

function yearOf(year: string, zone: string): { from: Date; to: Date } {
  return { from: dayInterval(`${year}-01-01`, zone).start, to: dayInterval(`${year}-12-31`, zone).end };
}

function quartersOf({ start, end }: Interval): number {
  return (end.getTime() - start.getTime()) / QUARTER_MS;
}
