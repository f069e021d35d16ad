import type { Site } from "../accounts/sites.js";
import { type Bus, subscribe } from "../bus.js";
import type { TimedValue } from "../domain/counter.js";
import { HOUR_MS, type Interval } from "../domain/interval.js";
import { errorMessage } from "../error-message.js";
import type { Log } from "../log.js";
import { isRecord } from "../net/json.js";
import { SerialQueue } from "../serial-queue.js";
import type { Location } from "../solar/sun.js";
import type { DocumentArchive } from "../store/archive.js";
import { type Cancel, type Clock, onEach } from "../time/clock.js";
import { addDays, dayInterval, localDate } from "../time/zone.js";
import { originOf } from "../weather/outlook.js";
import { locationOf } from "../weather/place.js";
import type { WeatherSeries } from "../weather/weather-series.js";
import { bandOf, FORECAST_DAYS, type YieldBand } from "./band.js";
import { energyOfSteps, type PvHour, peakOf, pvHours } from "./forecast.js";
import { afterDay, EMPTY_PV_LEARNING, learningFromJson, type PvLearning, recordDay } from "./learning.js";
import { hourlyEnergies } from "./measured.js";

/** Local days that are computed: the week that is served, and what a plan of 168 hours needs beyond it. */
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
  sites: readonly Site[];
  weather: { series(siteId: string): WeatherSeries };
  telemetry: {
    readings(siteId: string, reading: "pv_power_kw", from: Date, to: Date): Promise<TimedValue[]>;
  };
  documents: DocumentArchive;
  log: Log;
}

/** A plant with PV and a place. */
interface PvPlant {
  site: Site;
  place: Location;
  learning: PvLearning;
  forecast?: PvForecast;
}

/**
 * Keeps the PV forecast of each plant that has arrays and says where it stands: anew on new weather and with each hour.
 * After each local day it learns from what was measured.
 */
export class PvService {
  readonly #options: PvServiceOptions;
  readonly #plants = new Map<string, PvPlant>();
  readonly #stops: Cancel[] = [];
  readonly #work = new SerialQueue();
  #stopped = false;

  constructor(options: PvServiceOptions) {
    this.#options = options;
    for (const site of options.sites) this.#take(site);
  }

  /** Takes up what was learnt and computes the first forecast. */
  async start(): Promise<void> {
    const { bus, clock } = this.#options;
    for (const plant of this.#plants.values()) {
      plant.learning = await this.#kept(plant);
      this.#compute(plant);
    }
    this.#stops.push(
      subscribe(bus, {
        "weather.updated": ({ siteId }) => {
          const plant = this.#plants.get(siteId);
          if (plant !== undefined) this.#compute(plant);
        },
        "site.changed": (site) => this.#onSite(site),
        "site.removed": ({ siteId }) => void this.#plants.delete(siteId),
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

  /** The forecast from today on; undefined for a plant without arrays or without a place. */
  forecast(siteId: string): PvForecast | undefined {
    const plant = this.#plants.get(siteId);
    if (plant === undefined) return undefined;
    const today = localDate(this.#options.clock.now(), plant.site.plant.timezone);
    // In a replay a day may begin long before the next tick of the hour comes to it.
    return plant.forecast?.days[0]?.date === today ? plant.forecast : this.#compute(plant);
  }

  /** The expected energy of each step, kWh; undefined for a plant without arrays or without a place. */
  energy(siteId: string, steps: readonly Interval[]): number[] | undefined {
    const forecast = this.forecast(siteId);
    if (forecast === undefined) return undefined;
    return energyOfSteps(
      forecast.days.flatMap(({ hours }) => hours),
      steps,
    );
  }

  /** Resolves when all learning that has begun is done. */
  learnt(): Promise<void> {
    return this.#work.idle();
  }

  /** The plant when it has arrays and a place; one without them is let go. */
  #take(site: Site): PvPlant | undefined {
    const place = locationOf(site.plant);
    if (place === undefined || site.plant.pv.length === 0) {
      this.#plants.delete(site.id);
      return undefined;
    }
    const plant = { site, place, learning: EMPTY_PV_LEARNING };
    this.#plants.set(site.id, plant);
    return plant;
  }

  /** What was learnt of arrays is wrong for others; a plant whose arrays and place stay keeps it. */
  #onSite(site: Site): void {
    const before = this.#plants.get(site.id);
    const plant = this.#take(site);
    if (plant === undefined) {
      // Whoever shows its forecast takes it away.
      if (before !== undefined) this.#tell(site.id);
      return;
    }
    if (before !== undefined && shapeOf(before) === shapeOf(plant)) plant.learning = before.learning;
    this.#compute(plant);
  }

  #compute(plant: PvPlant): PvForecast {
    const { clock, weather } = this.#options;
    const { site, place, learning } = plant;
    const { timezone: zone, pv: arrays } = site.plant;
    const now = clock.now();
    const today = localDate(now, zone);
    const input = { place, arrays, weather: weather.series(site.id), bins: learning.bins };
    const days = Array.from({ length: COMPUTED_DAYS }, (_, daysAhead): PvDay => {
      const date = addDays(today, daysAhead);
      const hours = pvHours(input, dayInterval(date, zone));
      const kwh = hours.reduce((sum, hour) => sum + hour.kwh, 0);
      return { date, hours, kwh, band: bandOf(learning.ratios, daysAhead, originOf(hours)) };
    });
    plant.forecast = { siteId: site.id, issuedAt: now, peakKw: peakOf(arrays), days };
    this.#tell(site.id);
    return plant.forecast;
  }

  /** Who asks, or told of the weather, is in the middle of something; listeners hear of it when that is done. */
  #tell(siteId: string): void {
    queueMicrotask(() => {
      if (!this.#stopped) this.#options.bus.emit("pv.updated", { siteId });
    });
  }

  #onHour(): void {
    for (const plant of this.#plants.values()) {
      void this.#work.run(async () => {
        await this.#learn(plant);
        // Its settings may have changed meanwhile.
        if (this.#plants.get(plant.site.id) === plant) this.#compute(plant);
      });
    }
  }

  /** Once a local day: what yesterday taught, and what is forecast today for later. */
  async #learn(plant: PvPlant): Promise<void> {
    const { clock, documents, log, telemetry, weather } = this.#options;
    const { site, place } = plant;
    const { timezone: zone, pv: arrays } = site.plant;
    const today = localDate(clock.now(), zone);
    const yesterday = addDays(today, -1);
    if (this.#stopped || plant.learning.learntDate === yesterday) return;
    try {
      const day = dayInterval(yesterday, zone);
      const readings = await telemetry.readings(site.id, "pv_power_kw", day.start, day.end);
      const hours = pvHours({ place, arrays, weather: weather.series(site.id), bins: {} }, day);
      const measuredKwh = hourlyEnergies(readings, day.start.getTime(), hours.length);
      const learnt = afterDay(plant.learning, yesterday, {
        hours,
        measuredKwh,
        place,
        peakKw: peakOf(arrays),
      });
      // Only what stands on told weather is judged: what is usual says nothing of how well is forecast.
      const dailyKwh = (this.forecast(site.id)?.days ?? []).map(({ hours, kwh }) =>
        originOf(hours) === "forecast" ? kwh : undefined,
      );
      plant.learning = recordDay(learnt, today, dailyKwh);
      await documents.put(documentName(plant), { ...plant.learning, learntOf: shapeOf(plant) });
    } catch (error) {
      const reason = errorMessage(error);
      log.warn(
        { site: site.id, reason },
        "What the PV taught could not be read or kept; it goes on with what it has.",
      );
    }
  }

  async #kept(plant: PvPlant): Promise<PvLearning> {
    try {
      const kept = await this.#options.documents.get(documentName(plant));
      // Other arrays were set while the gateway was off.
      if (isRecord(kept) && kept.learntOf !== undefined && kept.learntOf !== shapeOf(plant))
        return EMPTY_PV_LEARNING;
      return learningFromJson(kept);
    } catch (error) {
      const reason = errorMessage(error);
      this.#options.log.warn({ reason }, "What the PV taught could not be read; learning begins anew.");
      return EMPTY_PV_LEARNING;
    }
  }
}

/** What is learnt holds for one place and its arrays: a text that is another one for others. */
function shapeOf({ place, site }: PvPlant): string {
  return JSON.stringify([place, site.plant.pv]);
}

function documentName({ site }: PvPlant): string {
  return `pv/${site.id}`;
}
