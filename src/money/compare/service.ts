import { randomUUID } from "node:crypto";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Site } from "../../config/site.js";
import type { SiteParts, SiteRuntimes } from "../../config/site-runtimes.js";
import { HOUR_MS } from "../../core/domain/interval.js";
import { errorMessage } from "../../core/error-message.js";
import type { Log } from "../../core/log.js";
import type { Clock } from "../../core/time/clock.js";
import { addDays, dayInterval, localDate } from "../../core/time/zone.js";
import { FixedWindows } from "../../core/work/fixed-windows.js";
import { SerialQueue } from "../../core/work/serial-queue.js";
import type { PriceSeries } from "../../forecast/market/price-series.js";
import { learningFromJson } from "../../forecast/pv/learning.js";
import type { WeatherSeries } from "../../forecast/weather/weather-series.js";
import type { DocumentArchive } from "../../store/archive.js";
import type { Store } from "../../store/store.js";
import { areaOf, tariffPresets } from "../../tariff/presets.js";
import { importedCommunityShare } from "../bill/community-shares.js";
import { totalOf } from "../ledger/totals.js";
import { rankedEur, type TariffCost } from "./compare-tariff.js";
import { KnownCosts } from "./known-costs.js";
import { needsMarketPrices, withZeros } from "./market-prices.js";
import type { MeteredInstead } from "./metered-site.js";
import { backgroundThreads, compareInThreads } from "./parallel.js";
import { DEFAULT_DAYS } from "./past-energies.js";
import { type NamedTariff, presetTariffs } from "./preset-tariffs.js";
import { type ComparedCase, type ComparisonData, comparisonData } from "./site-comparison.js";
import { WhatIfAnswers, type WhatIfRequest, type WhatIfResult } from "./what-if-answers.js";
import { billMetered, casesOf, isTariffOnly, suppliersAsked } from "./what-if-cases.js";
import { type OwnPast, pastOf, periodAsked } from "./what-if-past.js";

export type WhatIfFault = "no_prices" | "failed";

/** What is asked of a site at present. */
export type WhatIfRun =
  | { status: "idle" }
  | { status: "running"; request: WhatIfRequest; progress: number }
  | { status: "failed"; request: WhatIfRequest; fault: WhatIfFault };

/** A value of a request that cannot be computed. */
export class WhatIfInputError extends Error {
  readonly field: "period" | "tariff" | "area" | "withoutCar";

  constructor(field: WhatIfInputError["field"], message: string) {
    super(message);
    this.name = "WhatIfInputError";
    this.field = field;
  }
}

export interface WhatIfOptions {
  store: Pick<Store, "samples" | "meter" | "documents">;
  documents: DocumentArchive;
  sites: SiteRuntimes;
  ledger: OwnPast;
  clock: Pick<Clock, "now">;
  prices: { published(): PriceSeries };
  weather: { series(siteId: string): WeatherSeries };
  stepMinutes: 60 | 15;
  log: Pick<Log, "error">;
  /** Computes the costs; default: in threads of low priority. */
  compare?: typeof compareInThreads;
  /** Wall time of the limit for one account. */
  wallNowMs?: () => number;
}

/** Questions of one account in an hour; a year takes up to a minute. */
export const MOST_IN_AN_HOUR = 20;
const MOST_ACCOUNTS = 50_000;

interface SiteRun {
  run: WhatIfRun;
  known: KnownCosts;
  cancel?: AbortController;
}

/**
 * Answers what the past would have cost with a change of the site: its replay with the change against the same replay without it, in
 * threads of low priority, one at a time. The difference is applied to what was billed, where the ledger knows the whole period.
 */
export class WhatIfService {
  readonly #options: WhatIfOptions;
  readonly #sites: SiteParts<SiteRun>;
  readonly #asked = new FixedWindows(HOUR_MS, MOST_ACCOUNTS);
  readonly #answers: WhatIfAnswers;
  readonly #ended = new AbortController();
  /** One question at a time, of any site: each takes the memory of a gateway. */
  readonly #turns = new SerialQueue();
  /** The question of each account that is computed or waits: one, so that the accounts are served in turn. */
  readonly #asking = new Map<string, AbortController>();

  constructor(options: WhatIfOptions) {
    this.#options = options;
    this.#answers = new WhatIfAnswers(options);
    this.#sites = options.sites.parts({
      create: (): SiteRun => ({ run: { status: "idle" }, known: new KnownCosts() }),
      remove: ({ cancel }) => cancel?.abort(),
    });
  }

  async stop(): Promise<void> {
    this.#ended.abort();
    for (const { cancel } of this.#sites) cancel?.abort();
    await this.#turns.idle();
    await this.#answers.idle();
  }

  /** Whether a question of the account is computed or waits for its turn. */
  isBusy(accountId: string): boolean {
    return this.#asking.get(accountId)?.signal.aborted === false;
  }

  current(siteId: string): WhatIfRun {
    return this.#sites.get(siteId)?.run ?? { status: "idle" };
  }

  /** The answers that are kept, oldest first: those of the last 31 days and of the present settings. Throws StoreError. */
  results(siteId: string): Promise<WhatIfResult[]> {
    return this.#answers.of(siteId);
  }

  /** Removes an answer. Throws StoreError. */
  remove(siteId: string, id: string): Promise<void> {
    return this.#answers.remove(siteId, id);
  }

  /** Ends the question that is being computed, and forgets one that failed. */
  cancel(siteId: string): void {
    const part = this.#sites.of(siteId);
    part.cancel?.abort();
    part.run = { status: "idle" };
  }

  /** The suppliers whose tariffs can be asked for; empty where the grid area is not known. */
  tariffs({ plant }: Site, asked?: string): NamedTariff[] {
    const area = asked ?? (plant.tariff === null ? undefined : areaOf(plant.tariff));
    return area === undefined || !tariffPresets().areas.some(({ id }) => id === area)
      ? []
      : presetTariffs(plant.tariff, area).filter(({ name }) => name !== "current");
  }

  /** The prices of the past for a question; where the answer does not depend on them, 0 stands for those that are not known. */
  prices(
    site: Site,
    { change, tariffs, area }: Pick<WhatIfRequest, "change" | "tariffs" | "area"> = { change: {} },
  ): PriceSeries {
    const { plant } = site;
    const series = this.#options.prices.published();
    const asked = suppliersAsked({ change, tariffs });
    const offered = this.tariffs(site, area).filter(({ name }) => asked.includes(name));
    const all = [plant.tariff ?? {}, ...offered.map(({ tariff }) => tariff)];
    if (needsMarketPrices(plant, all, { hasPv: change.pvKwpMore !== undefined })) return series;
    const today = localDate(this.#options.clock.now(), plant.timezone);
    const start = dayInterval(addDays(today, -DEFAULT_DAYS), plant.timezone).start;
    return withZeros(series, { start, end: dayInterval(today, plant.timezone).start });
  }

  /**
   * Computes an answer, after those that other accounts asked for before; refused while one of this account is computed or waits, or
   * after too many. Throws WhatIfInputError.
   */
  begin(site: Site, request: WhatIfRequest): "started" | "busy" | "too_many" {
    const { wallNowMs = Date.now } = this.#options;
    const { accountId } = site;
    this.#check(site, request);
    if (this.#ended.signal.aborted || this.isBusy(accountId)) return "busy";
    if (this.#asked.peek(accountId, wallNowMs()).used >= MOST_IN_AN_HOUR) return "too_many";
    this.#asked.add(accountId, wallNowMs());
    const cancel = new AbortController();
    const part = this.#sites.of(site.id);
    part.cancel = cancel;
    part.run = { status: "running", request, progress: 0 };
    this.#asking.set(accountId, cancel);
    void this.#turns.run(async () => {
      const run = await this.#run(site, request, cancel.signal);
      if (!cancel.signal.aborted) part.run = run;
      if (this.#asking.get(accountId) === cancel) this.#asking.delete(accountId);
    });
    return "started";
  }

  /** Resolves when nothing is computed. */
  settled(): Promise<void> {
    return this.#turns.idle();
  }

  /** Computes an answer, unless it was cancelled while it waited. Never rejects. */
  async #run(site: Site, request: WhatIfRequest, signal: AbortSignal): Promise<WhatIfRun> {
    const part = this.#sites.get(site.id);
    const onProgress = (progress: number) => {
      if (part !== undefined && !signal.aborted) part.run = { status: "running", request, progress };
    };
    try {
      const fault = signal.aborted ? undefined : await this.#answer(site, request, { signal, onProgress });
      return fault === undefined ? { status: "idle" } : { status: "failed", request, fault };
    } catch (err) {
      if (!signal.aborted)
        this.#options.log.error(
          { site: site.id, err },
          `A question about the past failed: ${errorMessage(err)}`,
        );
      return { status: "failed", request, fault: "failed" };
    }
  }

  #check(site: Site, request: WhatIfRequest): void {
    const { clock } = this.#options;
    const { period, change, area } = request;
    const asked = suppliersAsked(request);
    const offered = this.tariffs(site, area);
    if (offered.length === 0 && (area !== undefined || asked.length > 0))
      throw new WhatIfInputError(
        "area",
        "area must be the id of a built-in grid area; that of the plant's tariff is not known.",
      );
    if (asked.some((id) => !offered.some(({ name }) => name === id)))
      throw new WhatIfInputError("tariff", "tariff must be a built-in supplier of the plant's grid area.");
    const series = this.prices(site, request);
    if (!series.isEmpty && periodAsked(period, { series, now: clock.now(), site }) === undefined)
      throw new WhatIfInputError("period", "period must be year, or a calendar year or month with prices.");
    if (change.withoutCar && !site.plant.slots.some(({ kind }) => kind === "wallbox"))
      throw new WhatIfInputError("withoutCar", "without_car needs a wallbox in the plant's settings.");
  }

  async #answer(
    site: Site,
    request: WhatIfRequest,
    { signal, onProgress }: { signal: AbortSignal; onProgress(progress: number): void },
  ): Promise<WhatIfFault | undefined> {
    const { weather, ledger, clock, documents, stepMinutes, store } = this.#options;
    const { id, plant } = site;
    const series = this.prices(site, request);
    const period = periodAsked(request.period, { series, now: clock.now(), site });
    if (period === undefined) return "no_prices";
    const pvLearning = learningFromJson(await documents.get(`pv/${id}`));
    const held = {
      series,
      prices: "",
      measured: [],
      measuredPv: [],
      pvLearning,
      weather: weather.series(id),
    };
    const { tariffs, area } = request;
    const past = await pastOf(site, period, {
      ledger,
      store,
      held,
      annualKwh: request.annualKwh,
      isTariffOnly: isTariffOnly(request.change),
    });
    const { basis, metered } = past;
    const share = await importedCommunityShare(store.meter, { id, zone: plant.timezone }, past.period);
    if (signal.aborted) return undefined;
    const isComparable = plant.tariff !== null || suppliersAsked(request).length === 0;
    const showsRows = tariffs !== undefined || !isComparable;
    const cases = casesOf({ ...request, own: plant.tariff, offered: this.tariffs(site, area), share }).map(
      (one) => ({ ...one, rankedOnly: !showsRows }),
    );
    const costs =
      metered === undefined
        ? await this.#costs(
            site,
            { data: comparisonData(held, { plant, ...past, stepMinutes }), cases },
            { signal, onProgress },
          )
        : await billMetered(cases, { metered, plant, series, onProgress, nextTurn });
    if (signal.aborted) return undefined;
    const rows = cases
      .map(({ name }, index) => ({ name, cost: costs[index]! }))
      // Of two with the own tariff the changed one.
      .filter(({ name }, index, all) => all.findLastIndex((one) => one.name === name) === index)
      .filter(({ name }) => name !== "current" || plant.tariff !== null);
    const baseEur = rankedEur(costs[0]!);
    const changedEur =
      tariffs === undefined ? rankedEur(costs.at(-1)!) : Math.min(...rows.map(({ cost }) => rankedEur(cost)));
    const billed = totalOf(past.days);
    const isBilled =
      past.days.length > 0 &&
      billed.complete &&
      past.days.every((day) => !day.isEarlier) &&
      billed.costEur !== null;
    const costEur = isBilled ? billed.costEur! : baseEur;
    const savedEur = baseEur - changedEur;
    await this.#answers.add(site, {
      ...request,
      id: randomUUID(),
      from: localDate(past.period.start, plant.timezone),
      to: localDate(new Date(past.period.end.getTime() - 1), plant.timezone),
      basis,
      ...(metered && { metered: meteredSums(metered) }),
      ...(showsRows && { rows }),
      ...(isComparable
        ? { cost: isBilled ? "billed" : "computed", costEur, changedEur: costEur - savedEur, savedEur }
        : { cost: "no_tariff", costEur: null, changedEur, savedEur: null }),
    });
    return undefined;
  }

  /** The costs of the cases; those that an earlier question needed are known. */
  #costs(
    site: Site,
    { data, cases }: { data: ComparisonData; cases: readonly ComparedCase[] },
    { signal, onProgress }: { signal: AbortSignal; onProgress(progress: number): void },
  ): Promise<TariffCost[]> {
    const { compare = compareInThreads } = this.#options;
    const asking = { threads: backgroundThreads(), isBackground: true, signal, onProgress };
    const known = this.#sites.get(site.id)?.known ?? new KnownCosts();
    return known.of(data, cases, (unknown) => compare(data, unknown, asking));
  }
}

function meteredSums({ importKwh, exportKwh, hoursMissing, missing }: MeteredInstead) {
  return { importKwh, exportKwh, hoursMissing, missing };
}
