import type { Site } from "../accounts/sites.js";
import { type Bus, subscribe } from "../bus.js";
import type { TimedValue } from "../domain/counter.js";
import { HOUR_MS, type Interval, QUARTER_MS } from "../domain/interval.js";
import type { Reading } from "../domain/sample.js";
import type { Log } from "../log.js";
import type { PriceSeries } from "../market/price-series.js";
import type { SitePlan } from "../plan/site-plan.js";
import { SerialQueue } from "../serial-queue.js";
import type { DocumentArchive } from "../store/archive.js";
import type { Prices } from "../tariff/compile-tariff.js";
import { measuredFlows, type Readings } from "../telemetry/measured-load.js";
import { dayOf, instantOf, localDate } from "../time/zone.js";
import { achievedSavingCt, type MeasuredDay } from "./compare-day.js";
import { addDay, type CalibrationRecord, type DayPromise, EMPTY_RECORD, readRecord } from "./record.js";

export interface CalibrationOptions {
  bus: Bus;
  sites: readonly Site[];
  telemetry: { readings(siteId: string, reading: Reading, from: Date, to: Date): Promise<TimedValue[]> };
  published: () => PriceSeries;
  tariff: (siteId: string) => Prices | undefined;
  /** Settlement of the market price. */
  stepMinutes: 60 | 15;
  documents: DocumentArchive;
  log: Pick<Log, "warn">;
}

/** A plan made later in the day promises nothing for the whole day. */
const PROMISE_MS = HOUR_MS;
/** The reading before a day may be so old. */
const LOOK_BACK_MS = HOUR_MS;
const READINGS: readonly Reading[] = [
  "import_kwh",
  "export_kwh",
  "pv_power_kw",
  "battery_power_kw",
  "soc_pct",
];

/**
 * Records per site and month what the plan promised at the start of each day and what the day saved, as measured. A day is
 * compared when the first plan of the next one is made.
 */
export class CalibrationService {
  readonly #options: CalibrationOptions;
  readonly #sites: Map<string, Site>;
  readonly #records = new Map<string, CalibrationRecord>();
  readonly #work = new SerialQueue();
  #unsubscribe: () => void = () => {};

  constructor(options: CalibrationOptions) {
    this.#options = options;
    this.#sites = new Map(options.sites.map((site) => [site.id, site]));
  }

  /** Restores the records. Throws StoreError. */
  async start(): Promise<void> {
    for (const id of this.#sites.keys())
      this.#records.set(id, readRecord(await this.#options.documents.get(documentName(id))));
    this.#unsubscribe = subscribe(this.#options.bus, {
      "plan.updated": (plan) => this.#onPlan(plan),
      "site.changed": (site) => {
        this.#sites.set(site.id, site);
        // The promise of the day was made for other settings.
        const record = this.record(site.id);
        if (record.open !== null) this.#save(site.id, { ...record, open: null });
      },
      "site.removed": ({ siteId }) => {
        this.#sites.delete(siteId);
        this.#records.delete(siteId);
        void this.#work.run(() => this.#options.documents.put(documentName(siteId), null)).catch(() => {});
      },
    });
  }

  async stop(): Promise<void> {
    this.#unsubscribe();
    await this.#work.idle();
  }

  /** Promised and achieved savings of a site by month. */
  record(siteId: string): CalibrationRecord {
    return this.#records.get(siteId) ?? EMPTY_RECORD;
  }

  /** Resolves when all comparisons that were started are stored. */
  settled(): Promise<void> {
    return this.#work.idle();
  }

  #onPlan({ siteId, issuedAt, expectation }: SitePlan): void {
    const site = this.#sites.get(siteId);
    if (site === undefined) return;
    const { timezone } = site.plant;
    const record = this.record(siteId);
    const date = localDate(issuedAt, timezone);
    const { open } = record;
    if (open?.date === date) return;
    const start = dayOf(issuedAt, timezone).start;
    const isPromise = expectation.at >= start && issuedAt.getTime() - start.getTime() < PROMISE_MS;
    if (open === null && !isPromise) return;
    const next = { ...record, open: isPromise ? { date, promisedEur: expectation.savingDayEur } : null };
    if (open === null) {
      this.#save(siteId, next);
      return;
    }
    // Stored with the comparison: a restart in between compares the day again.
    this.#records.set(siteId, next);
    this.#compare(site, open);
  }

  /** Compares a day that is over and stores the record. */
  #compare(site: Site, promise: DayPromise): void {
    void this.#work
      .run(async () => {
        const { timezone } = site.plant;
        const day = dayOf(instantOf(promise.date, 0, timezone), timezone);
        const measured = await this.#measured(site, day);
        const savedCt = measured && achievedSavingCt(measured);
        const next = addDay(this.record(site.id), promise, savedCt === undefined ? undefined : savedCt / 100);
        this.#records.set(site.id, next);
        await this.#options.documents.put(documentName(site.id), next);
      })
      .catch((error: unknown) => this.#warn(site.id, error));
  }

  async #measured({ id, plant }: Site, day: Interval): Promise<MeasuredDay | undefined> {
    const { telemetry, published, tariff, stepMinutes } = this.#options;
    const { battery } = plant;
    if (battery === null) return undefined;
    const from = new Date(day.start.getTime() - LOOK_BACK_MS);
    const to = new Date(day.end.getTime() + 1);
    const readings: Readings = {};
    for (const reading of READINGS) readings[reading] = await telemetry.readings(id, reading, from, to);
    const socAt = (at: Date) => readings.soc_pct?.findLast((soc) => soc.at <= at)?.value;
    const [socStart, socEnd] = [socAt(day.start), socAt(day.end)];
    if (socStart === undefined || socEnd === undefined) return undefined;
    const oneWay = Math.sqrt(battery.efficiency_pct / 100);
    const kwh = (pct: number) => (battery.capacity_kwh * pct) / 100;
    const series = published();
    const prices = tariff(id);
    const flows = measuredFlows(readings, day, {
      capacityKwh: battery.capacity_kwh,
      oneWayEfficiency: oneWay,
    });
    return {
      battery: {
        minSocKwh: kwh(battery.min_soc_pct),
        maxSocKwh: kwh(battery.max_soc_pct),
        maxChargePowerKw: battery.max_charge_power_kw,
        maxDischargePowerKw: battery.max_discharge_power_kw,
        chargeEfficiency: oneWay,
        dischargeEfficiency: oneWay,
        wearCtKwh: battery.wear_ct_kwh,
      },
      socStartKwh: kwh(socStart),
      socEndKwh: kwh(socEnd),
      quarters: flows.map((measured, k) => {
        const at = new Date(day.start.getTime() + k * QUARTER_MS);
        const eurMwh = stepMinutes === 15 ? series.quarter(at.getTime()) : series.hour(at.getTime());
        const spotCt = eurMwh === undefined ? undefined : eurMwh / 10;
        return {
          ...measured,
          // Without PV in the settings there is none to measure, and a meter that never exports need not be read.
          pvKwh: plant.pv.length === 0 ? 0 : measured.pvKwh,
          exportKwh: plant.pv.length === 0 ? (measured.exportKwh ?? 0) : measured.exportKwh,
          importCtKwh: spotCt === undefined ? undefined : (prices?.importCtKwh(spotCt, at) ?? spotCt),
          exportCtKwh: spotCt === undefined ? undefined : (prices?.exportCtKwh(spotCt, at) ?? spotCt),
        };
      }),
    };
  }

  #save(siteId: string, record: CalibrationRecord): void {
    this.#records.set(siteId, record);
    this.#work
      .run(() => this.#options.documents.put(documentName(siteId), this.record(siteId)))
      .catch((error: unknown) => this.#warn(siteId, error));
  }

  #warn(site: string, err: unknown): void {
    this.#options.log.warn({ site, err }, "The record of promised and achieved savings was not written.");
  }
}

function documentName(siteId: string): string {
  return `calibration/${siteId}`;
}
