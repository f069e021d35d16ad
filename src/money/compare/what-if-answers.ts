import { createHash } from "node:crypto";
import type { Site } from "../../config/site.js";
import type { SiteRuntimes } from "../../config/site-runtimes.js";
import { DAY_MS } from "../../core/domain/interval.js";
import { recordOf } from "../../core/net/json.js";
import {
  each,
  hasFields,
  isFlag,
  isListOf,
  isMaybe,
  isNullOr,
  isNumber,
  isOneOf,
  isText,
} from "../../core/shape.js";
import type { Clock } from "../../core/time/clock.js";
import { SerialQueue } from "../../core/work/serial-queue.js";
import type { DocumentArchive } from "../../store/archive.js";
import type { TariffCost } from "./compare-tariff.js";
import { type MeteredInstead, MISSING_READINGS } from "./metered-site.js";
import type { SiteChange } from "./site-change.js";
import type { WhatIfPeriod } from "./what-if-past.js";

/** A question about a period of the past. */
export interface WhatIfRequest {
  period: WhatIfPeriod;
  change: SiteChange;
  /** Suppliers that are compared with each other and with the own tariff. */
  tariffs?: readonly string[];
  /** The grid area of the suppliers; left out: that of the own tariff. */
  area?: string;
  /** Consumption of a year by the last bill, where the site's own is not known; left out: that of the settings. */
  annualKwh?: number;
}

/** An answer that is kept. */
export interface WhatIfResult extends WhatIfRequest {
  id: string;
  /** Local dates, both included. */
  from: string;
  to: string;
  /**
   * `measured`: the load was that of the site; `metered`: only import and export were; `standard`: that of a usual household with the
   * energy of the bill.
   */
  basis: "measured" | "metered" | "standard";
  /** What the meter counted, where the basis is `metered`. */
  metered?: Pick<MeteredInstead, "importKwh" | "exportKwh" | "hoursMissing" | "missing">;
  /**
   * The compared tariffs; `current` is that of the site, if it has one. The others of the amounts below are those of the cheapest one.
   */
  rows?: { name: string; cost: TariffCost }[];
  /**
   * `billed`: `costEur` is that of the ledger; `computed`: of the replay; `no_tariff`: null, because suppliers are not compared with the
   * market price that stands for an unknown tariff.
   */
  cost: "billed" | "computed" | "no_tariff";
  costEur: number | null;
  changedEur: number;
  /** `costEur - changedEur`; below zero: it costs more; null without `costEur`. */
  savedEur: number | null;
}

/** An answer on disk, with when and of which settings it was computed. */
interface StoredResult extends WhatIfResult {
  at?: string;
  settings?: string;
}

const isAmount = isNullOr(isNumber);

const isResult = hasFields<StoredResult>({
  id: isText,
  period: isText,
  change: hasFields<SiteChange>({
    ...each(["batteryKwh", "pvKwpMore", "heatPumpKwhYear"], isMaybe(isNumber)),
    tariff: isMaybe(isText),
    withoutCar: isMaybe(isFlag),
  }),
  tariffs: isMaybe(isListOf(isText)),
  area: isMaybe(isText),
  annualKwh: isMaybe(isNumber),
  from: isText,
  to: isText,
  basis: isOneOf(["measured", "metered", "standard"]),
  metered: isMaybe(
    hasFields<NonNullable<WhatIfResult["metered"]>>({
      importKwh: isNumber,
      exportKwh: isNumber,
      hoursMissing: isNumber,
      missing: isListOf(isOneOf(MISSING_READINGS)),
    }),
  ),
  rows: isMaybe(
    isListOf(
      hasFields<NonNullable<WhatIfResult["rows"]>[number]>({
        name: isText,
        cost: hasFields<TariffCost>(
          each(["meteredEur", "noBatteryEur", "uncontrolledEur", "hourgateEur", "perfectEur"], isAmount),
        ),
      }),
    ),
  ),
  cost: isOneOf(["billed", "computed", "no_tariff"]),
  costEur: isAmount,
  changedEur: isNumber,
  savedEur: isAmount,
  at: isMaybe(isText),
  settings: isMaybe(isText),
});

/** Answers that are kept of a site; the oldest one gives way. */
const MOST_RESULTS = 8;
/** The past goes on, and so does the newest year of an answer; the weekly story reads it. */
const KEPT_MS = 31 * DAY_MS;

interface WhatIfAnswersOptions {
  documents: DocumentArchive;
  sites: SiteRuntimes;
  clock: Pick<Clock, "now">;
}

/** The answers of each site, those of the last 31 days and of the present settings. */
export class WhatIfAnswers {
  readonly #options: WhatIfAnswersOptions;
  readonly #writes = new SerialQueue();

  constructor(options: WhatIfAnswersOptions) {
    this.#options = options;
  }

  /** Oldest first. Throws StoreError. */
  async of(siteId: string): Promise<WhatIfResult[]> {
    const { documents, sites, clock } = this.#options;
    const { version, results } = recordOf(await documents.get(nameOf(siteId)));
    const site = sites.get(siteId);
    if (version !== 1 || !Array.isArray(results) || site === undefined) return [];
    const settings = settingsMark(site);
    const sinceMs = clock.now().getTime() - KEPT_MS;
    return results
      .filter(isResult)
      .filter((result) => result.settings === settings && Date.parse(result.at ?? "") > sinceMs);
  }

  /** Keeps an answer. Throws StoreError. */
  add(site: Site, result: WhatIfResult): Promise<void> {
    const at = this.#options.clock.now().toISOString();
    const stored: StoredResult = { ...result, at, settings: settingsMark(site) };
    return this.#change(site.id, (results) => [...results, stored].slice(-MOST_RESULTS));
  }

  /** Throws StoreError. */
  remove(siteId: string, id: string): Promise<void> {
    return this.#change(siteId, (results) => results.filter((result) => result.id !== id));
  }

  /** Resolves when no write is in progress. */
  idle(): Promise<void> {
    return this.#writes.idle();
  }

  /** Changes the answers that are kept, one change after another. */
  #change(
    siteId: string,
    change: (results: readonly WhatIfResult[]) => readonly WhatIfResult[],
  ): Promise<void> {
    const { documents, sites } = this.#options;
    return this.#writes.run(async () => {
      const results = change(await this.of(siteId));
      // It may have been removed meanwhile.
      if (sites.get(siteId) === undefined) return;
      await documents.put(nameOf(siteId), results.length === 0 ? null : { version: 1, results });
    });
  }
}

function settingsMark({ plant }: Site): string {
  return createHash("sha256").update(JSON.stringify(plant)).digest("hex");
}

function nameOf(siteId: string): string {
  return `what-if/${siteId}`;
}
