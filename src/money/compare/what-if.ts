import { randomUUID } from "node:crypto";
import type { Site } from "../../config/site.js";
import type { SiteParts, SiteRuntimes } from "../../config/site-runtimes.js";
import { HOUR_MS } from "../../core/domain/interval.js";
import { errorMessage } from "../../core/error-message.js";
import type { Log } from "../../core/log.js";
import type { Clock } from "../../core/time/clock.js";
import { FixedWindows } from "../../core/work/fixed-windows.js";
import { SerialQueue } from "../../core/work/serial-queue.js";
import type { PriceSeries } from "../../forecast/market/price-series.js";
import { learningFromJson } from "../../forecast/pv/learning.js";
import type { WeatherSeries } from "../../forecast/weather/weather-series.js";
import type { DocumentArchive } from "../../store/archive.js";
import type { Store } from "../../store/store.js";
import { withCommunityShare } from "../../tariff/community-share.js";
import { areaOf } from "../../tariff/presets.js";
import { importedCommunityShare } from "../bill/community-shares.js";
import { totalOf } from "../ledger/totals.js";
import { rankedEur } from "./compare-tariff.js";
import type { ComparisonTurn } from "./comparison-turn.js";
import { backgroundThreads, compareInThreads } from "./parallel.js";
import { type NamedTariff, presetTariffs } from "./preset-tariffs.js";
import type { SiteChange } from "./site-change.js";
import { comparisonData } from "./site-comparison.js";
import { type OwnPast, pastOf, periodAsked, type WhatIfPeriod } from "./what-if-past.js";

/** A question about a period of the past. */
export interface WhatIfRequest {
  /** `year`: the newest one; else a local month YYYY-MM. */
  period: WhatIfPeriod;
  change: SiteChange;
  /** Consumption of a year by the last bill, where the site's own is not known; left out: that of the settings. */
  annualKwh?: number;
}

/** An answer that is kept. */
export interface WhatIfResult extends WhatIfRequest {
  id: string;
  /** Local dates, both included. */
  from: string;
  to: string;
  /** `measured`: the load was that of the site; `standard`: that of a usual household with the energy of the bill. */
  basis: "measured" | "standard";
  /** `billed`: `costEur` is that of the ledger; `computed`: of the replay. */
  cost: "billed" | "computed";
  costEur: number;
  changedEur: number;
  /** `costEur - changedEur`; below zero: it costs more. */
  savedEur: number;
}

export type WhatIfFault = "no_prices" | "failed";

/** What is asked of a site at present. */
export type WhatIfRun =
  | { status: "idle" }
  | { status: "running"; request: WhatIfRequest; progress: number }
  | { status: "failed"; request: WhatIfRequest; fault: WhatIfFault };

/** A value of a request that cannot be computed. */
export class WhatIfInputError extends Error {
  readonly field: "period" | "tariff" | "withoutCar";

  constructor(field: WhatIfInputError["field"], message: string) {
    super(message);
    this.name = "WhatIfInputError";
    this.field = field;
  }
}

export interface WhatIfOptions {
  store: Pick<Store, "meter">;
  documents: DocumentArchive;
  sites: SiteRuntimes;
  ledger: OwnPast;
  clock: Pick<Clock, "now">;
  prices: { published(): PriceSeries };
  weather: { series(siteId: string): WeatherSeries };
  stepMinutes: 60 | 15;
  comparisonTurn: ComparisonTurn;
  log: Pick<Log, "error">;
  /** Computes the costs; default: in threads of low priority. */
  compare?: typeof compareInThreads;
  /** Wall time of the limit for one account. */
  wallNowMs?: () => number;
}

/** Answers that are kept of a site; the oldest one gives way. */
const MOST_RESULTS = 8;
/** Questions of one account in an hour; a year takes most of a minute. */
const MOST_IN_AN_HOUR = 20;
const MOST_ACCOUNTS = 50_000;

interface SiteRun {
  run: WhatIfRun;
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
  readonly #writes = new SerialQueue();
  readonly #ended = new AbortController();
  #running: Promise<void> | undefined;

  constructor(options: WhatIfOptions) {
    this.#options = options;
    this.#sites = options.sites.parts({
      create: (): SiteRun => ({ run: { status: "idle" } }),
      remove: ({ cancel }) => cancel?.abort(),
    });
  }

  async stop(): Promise<void> {
    this.#ended.abort();
    for (const { cancel } of this.#sites) cancel?.abort();
    await this.#running;
    await this.#writes.idle();
  }

  /** Whether a question or a comparison is being computed, of any site. */
  get isBusy(): boolean {
    return this.#options.comparisonTurn.isTaken;
  }

  current(siteId: string): WhatIfRun {
    return this.#sites.get(siteId)?.run ?? { status: "idle" };
  }

  /** The answers that are kept, oldest first. Throws StoreError. */
  async results(siteId: string): Promise<WhatIfResult[]> {
    const stored = (await this.#options.documents.get(nameOf(siteId))) as
      | { version?: unknown; results?: WhatIfResult[] }
      | undefined;
    return stored?.version === 1 ? (stored.results ?? []) : [];
  }

  /** Removes an answer. Throws StoreError. */
  async remove(siteId: string, id: string): Promise<void> {
    await this.#change(siteId, (results) => results.filter((result) => result.id !== id));
  }

  /** Ends the question that is being computed, and forgets one that failed. */
  cancel(siteId: string): void {
    const part = this.#sites.of(siteId);
    part.cancel?.abort();
    part.run = { status: "idle" };
  }

  /** The suppliers whose tariffs can be asked for; empty where the grid area is not known. */
  tariffs({ plant }: Site): NamedTariff[] {
    const area = plant.tariff === null ? undefined : areaOf(plant.tariff);
    return area === undefined
      ? []
      : presetTariffs(plant.tariff, area).filter(({ name }) => name !== "current");
  }

  /** Begins to compute an answer; refused while another one is computed, or after too many. Throws WhatIfInputError. */
  begin(site: Site, request: WhatIfRequest): "started" | "busy" | "too_many" {
    const { comparisonTurn, log, wallNowMs = Date.now } = this.#options;
    this.#check(site, request);
    if (this.#ended.signal.aborted || comparisonTurn.isTaken) return "busy";
    if (this.#asked.peek(site.accountId, wallNowMs()).used >= MOST_IN_AN_HOUR) return "too_many";
    const end = comparisonTurn.take()!;
    this.#asked.add(site.accountId, wallNowMs());
    const cancel = new AbortController();
    const part = this.#sites.of(site.id);
    const report = (run: WhatIfRun) => {
      if (!cancel.signal.aborted) part.run = run;
    };
    part.cancel = cancel;
    report({ status: "running", request, progress: 0 });
    this.#running = this.#answer(site, request, {
      signal: cancel.signal,
      onProgress: (progress) => report({ status: "running", request, progress }),
    })
      .then(
        (fault) => report(fault === undefined ? { status: "idle" } : { status: "failed", request, fault }),
        (err: unknown) => {
          if (cancel.signal.aborted) return;
          report({ status: "failed", request, fault: "failed" });
          log.error({ site: site.id, err }, `A question about the past failed: ${errorMessage(err)}`);
        },
      )
      .finally(end);
    return "started";
  }

  /** Resolves when nothing is computed. */
  async settled(): Promise<void> {
    await this.#running;
  }

  #check(site: Site, { period, change }: WhatIfRequest): void {
    const { clock, prices } = this.#options;
    if (change.tariff !== undefined && !this.tariffs(site).some(({ name }) => name === change.tariff))
      throw new WhatIfInputError("tariff", "tariff must be a built-in supplier of the plant's grid area.");
    const series = prices.published();
    if (!series.isEmpty && periodAsked(period, { series, now: clock.now(), site }) === undefined)
      throw new WhatIfInputError("period", "period must be year or a month with prices that is over.");
    if (change.withoutCar && !site.plant.slots.some(({ kind }) => kind === "wallbox"))
      throw new WhatIfInputError("withoutCar", "without_car needs a wallbox in the plant's settings.");
  }

  async #answer(
    site: Site,
    request: WhatIfRequest,
    { signal, onProgress }: { signal: AbortSignal; onProgress(progress: number): void },
  ): Promise<WhatIfFault | undefined> {
    const { prices, weather, ledger, clock, documents, stepMinutes, store } = this.#options;
    const { compare = compareInThreads } = this.#options;
    const { id, plant } = site;
    const series = prices.published();
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
    const past = await pastOf(site, period, { ledger, held, annualKwh: request.annualKwh });
    const share = await importedCommunityShare(store.meter, { id, zone: plant.timezone }, period);
    if (signal.aborted) return undefined;
    const { change } = request;
    const own = plant.tariff ?? {};
    const other = this.tariffs(site).find(({ name }) => name === change.tariff)?.tariff ?? own;
    const cases = [
      { tariff: withCommunityShare(own, share) },
      // Without a change it would be the same again.
      ...(Object.keys(change).length > 0 ? [{ tariff: withCommunityShare(other, share), change }] : []),
    ];
    const data = comparisonData(held, { plant, ...past, period, stepMinutes });
    const [base, changed = base] = await compare(data, cases, {
      threads: backgroundThreads(),
      isBackground: true,
      signal,
      onProgress,
    });
    if (signal.aborted) return undefined;
    const baseEur = rankedEur(base!);
    const billed = totalOf(past.days);
    const isBilled = billed.complete && past.days.every((day) => !day.isEarlier) && billed.costEur !== null;
    const costEur = isBilled ? billed.costEur! : baseEur;
    const savedEur = baseEur - rankedEur(changed!);
    const { from, to, basis } = past;
    const result: WhatIfResult = {
      ...request,
      id: randomUUID(),
      from,
      to,
      basis,
      cost: isBilled ? "billed" : "computed",
      costEur,
      changedEur: costEur - savedEur,
      savedEur,
    };
    await this.#change(id, (results) => [...results, result].slice(-MOST_RESULTS));
    return undefined;
  }

  /** Changes the answers that are kept, one change after another. */
  #change(
    siteId: string,
    change: (results: readonly WhatIfResult[]) => readonly WhatIfResult[],
  ): Promise<void> {
    return this.#writes.run(async () => {
      const results = change(await this.results(siteId));
      // It may have been removed meanwhile.
      if (this.#sites.get(siteId) === undefined) return;
      await this.#options.documents.put(
        nameOf(siteId),
        results.length === 0 ? null : { version: 1, results },
      );
    });
  }
}

function nameOf(siteId: string): string {
  return `what-if/${siteId}`;
}
