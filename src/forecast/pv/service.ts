import { setImmediate as nextTurn } from "node:timers/promises";
import type { Site } from "../../config/site.js";
import type { SiteParts, SiteRuntimes } from "../../config/site-runtimes.js";
import { type Bus, subscribe } from "../../core/bus.js";
import type { TimedValue } from "../../core/domain/counter.js";
import { HOUR_MS, type Interval } from "../../core/domain/interval.js";
import { errorMessage } from "../../core/error-message.js";
import type { Log } from "../../core/log.js";
import { recordOf } from "../../core/net/json.js";
import { type Cancel, type Clock, onEach } from "../../core/time/clock.js";
import { addDays, dayInterval, localDate } from "../../core/time/zone.js";
import { SerialQueue } from "../../core/work/serial-queue.js";
import { type DocumentArchive, restored } from "../../store/archive.js";
import { type DayScore, EMPTY_RECORD, scoresOf } from "../price/day-record.js";
import type { Location } from "../solar/sun.js";
import { originOf } from "../weather/outlook.js";
import { locationOf } from "../weather/place.js";
import type { WeatherSeries } from "../weather/weather-series.js";
import { bandKwh, bandOf, FORECAST_DAYS, type YieldBand } from "./band.js";
import { energyOfSteps, type PvHour, peakOf, pvHours } from "./forecast.js";
import {
  afterDay,
  EMPTY_PV_LEARNING,
  hourlyEnergies,
  learningFromJson,
  type PvLearning,
  recordDay,
} from "./learning.js";
import { type MeasuredPvNodes, nodesOfRatios } from "./nodes.js";

/** Computed local days: the week of the forecast, and the days a plan of 168 hours needs after it. */
const COMPUTED_DAYS = FORECAST_DAYS + 2;

/** A local day of the forecast. */
export interface PvDay {
  date: string;
  hours: PvHour[];
  kwh: number;
  band: YieldBand;
}

export interface PvForecast {
  siteId: string;
  issuedAt: Date;
  peakKw: number;
  /** From today on, on the plant's calendar. */
  days: PvDay[];
}

export interface PvServiceOptions {
  clock: Clock;
  bus: Bus;
  sites: SiteRuntimes;
  weather: { series(siteId: string): WeatherSeries };
  telemetry: {
    readings(siteId: string, reading: "pv_power_kw", from: Date, to: Date): Promise<readonly TimedValue[]>;
  };
  documents: DocumentArchive;
  log: Log;
}

/** A plant with PV arrays and coordinates. */
interface PvPlant {
  site: Site;
  place: Location;
  learning: PvLearning;
  forecast?: PvForecast;
}

/**
 * Maintains the PV forecast of each plant with arrays and coordinates; updated with new weather and every hour. After each
 * local day it learns from the measured yield.
 */
export class PvService {
  readonly #options: PvServiceOptions;
  /** The plant of a site; undefined without arrays or coordinates. */
  readonly #sites: SiteParts<{ plant: PvPlant | undefined }>;
  readonly #stops: Cancel[] = [];
  readonly #work = new SerialQueue();
  #stopped = false;

  constructor(options: PvServiceOptions) {
    this.#options = options;
    this.#sites = options.sites.parts({ create: ({ site }) => ({ plant: plantOf(site) }) });
  }

  /** Loads the learnt data and computes the first forecast. */
  async start(): Promise<void> {
    const { bus, clock } = this.#options;
    await this.#sites.forAll(async ({ plant }) => {
      if (plant === undefined) return;
      plant.learning = await this.#load(plant);
      this.#compute(plant);
    });
    this.#stops.push(
      subscribe(bus, {
        "weather.updated": ({ siteId }) => {
          const plant = this.#plant(siteId);
          if (plant !== undefined) this.#compute(plant);
        },
        "site.changed": (site) => this.#onSite(site),
      }),
      onEach(clock, HOUR_MS, () => this.#onHour()),
    );
    this.#onHour();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    for (const stop of this.#stops.splice(0)) stop();
    await this.#work.idle();
  }

  /** The forecast from today on; undefined for a plant without arrays or coordinates. */
  forecast(siteId: string): PvForecast | undefined {
    const plant = this.#plant(siteId);
    if (plant === undefined) return undefined;
    const today = localDate(this.#options.clock.now(), plant.site.plant.timezone);
    // In a replay a day may begin before the hourly update.
    return plant.forecast?.days[0]?.date === today ? plant.forecast : this.#compute(plant);
  }

  /** The expected energy of each step, kWh; undefined for a plant without arrays or coordinates. */
  energy(siteId: string, steps: readonly Interval[]): number[] | undefined {
    const forecast = this.forecast(siteId);
    if (forecast === undefined) return undefined;
    return energyOfSteps(
      forecast.days.flatMap(({ hours }) => hours),
      steps,
    );
  }

  /** Factors on the expected energy by what the plant measured; undefined until it has measured for some weeks. */
  nodes(siteId: string): MeasuredPvNodes | undefined {
    return nodesOfRatios(this.#plant(siteId)?.learning.hourRatios ?? []);
  }

  /** How the forecasts of daily yield were met, by day 1 to 7. */
  quality(siteId: string): DayScore[] {
    return scoresOf(this.#plant(siteId)?.learning.record ?? EMPTY_RECORD);
  }

  /** Resolves when the current learning has ended. */
  learnt(): Promise<void> {
    return this.#work.idle();
  }

  #plant(siteId: string): PvPlant | undefined {
    return this.#sites.get(siteId)?.plant;
  }

  /** Learnt data remain valid only while arrays and coordinates are unchanged. */
  #onSite(site: Site): void {
    const part = this.#sites.of(site.id);
    const before = part.plant;
    const plant = plantOf(site);
    part.plant = plant;
    if (plant === undefined) {
      // Listeners must remove the former forecast.
      if (before !== undefined) this.#notify(site.id);
      return;
    }
    if (before !== undefined && shapeOf(before) === shapeOf(plant)) plant.learning = before.learning;
    this.#compute(plant);
  }

  #compute(plant: PvPlant): PvForecast {
    const { clock, weather } = this.#options;
    const { site, place, learning } = plant;
    const { timezone: zone } = site.plant;
    const now = clock.now();
    const today = localDate(now, zone);
    const input = { place, plant: site.plant, weather: weather.series(site.id), bins: learning.bins };
    const days = Array.from({ length: COMPUTED_DAYS }, (_, daysAhead): PvDay => {
      const date = addDays(today, daysAhead);
      const hours = pvHours(input, dayInterval(date, zone));
      const kwh = hours.reduce((sum, hour) => sum + hour.kwh, 0);
      return { date, hours, kwh, band: bandOf(learning.ratios, daysAhead, originOf(hours)) };
    });
    plant.forecast = { siteId: site.id, issuedAt: now, peakKw: peakOf(site.plant), days };
    this.#notify(site.id);
    return plant.forecast;
  }

  /** Emitted asynchronously: the caller must not be interrupted by listeners. */
  #notify(siteId: string): void {
    queueMicrotask(() => {
      if (!this.#stopped) this.#options.bus.emit("pv.updated", { siteId });
    });
  }

  #onHour(): void {
    for (const { plant } of this.#sites) {
      if (plant === undefined) continue;
      void this.#work.run(async () => {
        await this.#learn(plant);
        // The settings may have changed meanwhile.
        if (this.#plant(plant.site.id) === plant) this.#compute(plant);
        if (this.#sites.size > 1) await nextTurn();
      });
    }
  }

  /** Once per local day: learns from yesterday and records the forecasts of today. */
  async #learn(plant: PvPlant): Promise<void> {
    const { clock, documents, log, telemetry, weather } = this.#options;
    const { site, place } = plant;
    const { timezone: zone } = site.plant;
    const today = localDate(clock.now(), zone);
    const yesterday = addDays(today, -1);
    if (this.#stopped || plant.learning.learntDate === yesterday) return;
    try {
      const day = dayInterval(yesterday, zone);
      const readings = await telemetry.readings(site.id, "pv_power_kw", day.start, day.end);
      const { bins } = plant.learning;
      const hours = pvHours({ place, plant: site.plant, weather: weather.series(site.id), bins }, day);
      const measuredKwh = hourlyEnergies(readings, day.start.getTime(), hours.length);
      const learnt = afterDay(plant.learning, yesterday, {
        hours,
        measuredKwh,
        place,
        peakKw: peakOf(site.plant),
      });
      // Only forecasts with a weather forecast are evaluated, not those from the climatology.
      const daily = (this.forecast(site.id)?.days ?? []).map(({ hours, kwh, band }) => {
        const clearKwh = hours.reduce((sum, hour) => sum + hour.clearKwh, 0);
        return originOf(hours) === "forecast" ? { kwh, ...bandKwh(kwh, band, clearKwh) } : undefined;
      });
      plant.learning = recordDay(learnt, today, daily);
      await documents.put(documentName(plant), { ...plant.learning, learntOf: shapeOf(plant) });
    } catch (error) {
      const reason = errorMessage(error);
      log.warn(
        { site: site.id, reason },
        "The learnt PV data could not be updated; the previous ones remain in use.",
      );
    }
  }

  #load(plant: PvPlant): Promise<PvLearning> {
    const { documents, log } = this.#options;
    const read = (stored: unknown) => {
      const { learntOf = shapeOf(plant) } = recordOf(stored);
      // The arrays were changed while the gateway was off.
      return learntOf === shapeOf(plant) ? learningFromJson(stored) : EMPTY_PV_LEARNING;
    };
    const warning = "The learnt PV data could not be read; learning starts again.";
    return restored(documents, documentName(plant), read, { log, site: plant.site.id, warning });
  }
}

function plantOf(site: Site): PvPlant | undefined {
  const place = locationOf(site.plant);
  if (place === undefined || site.plant.pv.length === 0) return undefined;
  return { site, place, learning: EMPTY_PV_LEARNING };
}

/** Text that identifies the coordinates, arrays and inverters for which learnt data are valid. */
function shapeOf({ place, site }: PvPlant): string {
  const { pv, inverters } = site.plant;
  // Learnt data of before there were shared inverters remain valid.
  const arrays = pv.map(({ inverter, ...array }) => (inverter === null ? array : { ...array, inverter }));
  return JSON.stringify([place, arrays, ...(inverters.length > 0 ? [inverters] : [])]);
}

function documentName({ site }: PvPlant): string {
  return `pv/${site.id}`;
}
