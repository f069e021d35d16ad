import type { Site } from "../../config/site.js";
import { floorTo, HOUR_MS, type Interval, QUARTER_MS } from "../../core/domain/interval.js";
import type { Clock } from "../../core/time/clock.js";
import { addDays, dayInterval, localDate } from "../../core/time/zone.js";
import type { DecisionRecords, HourDecision } from "../../plan/decision-records.js";
import type { Ledger } from "../ledger/ledger.js";
import { ledgerPlant } from "../ledger/measure-day.js";
import type { QuarterColumns } from "../ledger/stored-day.js";
import { type HourOutcome, hourOutcome, uncontrolledEndKwh } from "./hour-outcome.js";

/** A past hour: what was known and decided, and what came of it. */
export interface Why extends Interval {
  /** Undefined: the hour was decided before the gateway kept records, or while it did not run. */
  decision: HourDecision | undefined;
  /** Undefined: nothing is measured. */
  outcome: HourOutcome | undefined;
  /** Price of import at the hour that the reason names; undefined where it names none or it is not known. */
  laterCtKwh: number | undefined;
  /** Local date of the first reading. */
  firstDate: string | undefined;
}

export interface WhyOptions {
  clock: Pick<Clock, "now">;
  ledger: Pick<Ledger, "details" | "quartersSoFar" | "firstDate">;
  decisions: Pick<DecisionRecords, "at">;
}

/** Why any past hour was as it was. */
export class WhyService {
  readonly #options: WhyOptions;

  constructor(options: WhyOptions) {
    this.#options = options;
  }

  /** The hour that contains an instant; undefined for one that is not over. Throws StoreError, TariffError. */
  async at(site: Site, at: Date): Promise<Why | undefined> {
    const { clock, decisions, ledger } = this.#options;
    const start = new Date(floorTo(at.getTime(), HOUR_MS));
    const end = new Date(start.getTime() + HOUR_MS);
    if (end > clock.now()) return undefined;
    const decision = await decisions.at(site.id, start);
    const laterAtMs = decision?.reason.figures.laterAtMs;
    return {
      start,
      end,
      decision,
      outcome: await this.#outcome(site, start),
      laterCtKwh: laterAtMs === undefined ? undefined : await this.#priceAt(site, new Date(laterAtMs)),
      firstDate: await ledger.firstDate(site),
    };
  }

  async #outcome(site: Site, start: Date): Promise<HourOutcome | undefined> {
    const { ledger } = this.#options;
    const date = localDate(start, site.plant.timezone);
    const quarters = await this.#quarters(site, date);
    if (quarters === undefined) return undefined;
    const { plant = ledgerPlant(site), uncontrolled } = await ledger.details(site.id, date);
    const before = await ledger.details(site.id, addDays(date, -1));
    const startKwh = uncontrolled?.startKwh ?? uncontrolledEndKwh(before);
    const first = (start.getTime() - dayInterval(date, site.plant.timezone).start.getTime()) / QUARTER_MS;
    return hourOutcome({ quarters, plant, uncontrolled: { netKwh: uncontrolled?.netKwh, startKwh } }, first);
  }

  async #priceAt(site: Site, at: Date): Promise<number | undefined> {
    const date = localDate(at, site.plant.timezone);
    const index = (at.getTime() - dayInterval(date, site.plant.timezone).start.getTime()) / QUARTER_MS;
    return (await this.#quarters(site, date))?.importCtKwh[Math.floor(index)] ?? undefined;
  }

  async #quarters(site: Site, date: string): Promise<QuarterColumns | undefined> {
    const { clock, ledger } = this.#options;
    const today = localDate(clock.now(), site.plant.timezone);
    if (date > today) return undefined;
    return date === today ? ledger.quartersSoFar(site) : (await ledger.details(site.id, date)).quarters;
  }
}
