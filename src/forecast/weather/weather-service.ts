import type { Site } from "../../config/site.js";
import type { SiteParts, SiteRuntimes } from "../../config/site-runtimes.js";
import { type Bus, subscribe } from "../../core/bus.js";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../core/domain/interval.js";
import { errorMessage } from "../../core/error-message.js";
import type { HealthRegistry } from "../../core/health-registry.js";
import type { Log } from "../../core/log.js";
import { SourceRunner, type SourceState } from "../../core/net/source-runner.js";
import { sourcesStatus } from "../../core/net/source-status.js";
import { type Cancel, type Clock, realClock } from "../../core/time/clock.js";
import { SerialQueue } from "../../core/work/serial-queue.js";
import { type DocumentArchive, restored } from "../../store/archive.js";
import type { Location } from "../solar/sun.js";
import { type StoredWeather, weatherFromJson, weatherToJson } from "./document.js";
import { locationOf, placeKey } from "./place.js";
import type { WeatherAnswer, WeatherRequest, WeatherSource } from "./source.js";
import { WeatherSeries } from "./weather-series.js";

/** Range of stored weather around now: past days for the local day and the PV learning, and the forecast of the sources. */
const STORED_BEFORE_MS = 3 * DAY_MS;
const STORED_AFTER_MS = 16 * DAY_MS;
/** Hours from now on for which a source must know irradiance or clouds; otherwise the next source is requested too. */
const REQUIRED_HOURS = 24;

export interface WeatherServiceOptions {
  clock: Clock;
  bus: Bus;
  components: HealthRegistry;
  documents: DocumentArchive;
  /** In order of preference. */
  sources: readonly WeatherSource[];
  sites: SiteRuntimes;
  log: Log;
  /** 0 to 1, spreads requests and retries. */
  random?: () => number;
  /** Clock of backoff and throttling; default: the wall clock. */
  wall?: Clock;
}

type Runner = SourceRunner<WeatherRequest, WeatherAnswer>;

/** Where a site stands; undefined without coordinates. */
interface SiteWeather {
  siteId: string;
  place: Place | undefined;
}

/** One place with its sources; plants at the same place share the requests. */
interface Place {
  key: string;
  location: Location;
  siteIds: string[];
  runners: Runner[];
  watches: Cancel[];
  stored: StoredWeather;
  /** One round of requests at a time. */
  rounds: SerialQueue;
}

/**
 * Holds the weather of each plant with coordinates: loaded from disk at the start, updated from the sources. A value is never
 * removed because a later answer does not contain it. Emits `weather.updated` after each change.
 */
export class WeatherService {
  readonly #options: WeatherServiceOptions;
  readonly #places = new Map<string, Place>();
  readonly #sites: SiteParts<SiteWeather>;
  readonly #ended = new AbortController();
  readonly #stops: Cancel[] = [];
  #cancelRefresh: Cancel = () => {};
  readonly #saves = new SerialQueue();

  constructor(options: WeatherServiceOptions) {
    this.#options = options;
    this.#sites = options.sites.parts({
      create: ({ site }): SiteWeather => ({ siteId: site.id, place: undefined }),
      remove: (part) => this.#leave(part),
    });
  }

  /** Loads the stored weather, reads the local sources, and requests the others in the background. */
  async start(): Promise<void> {
    const { bus, sites } = this.#options;
    for (const site of sites.list()) this.#settle(this.#sites.of(site.id), site);
    await Promise.all([...this.#places.values()].map((place) => this.#open(place)));
    this.#stops.push(subscribe(bus, { "site.changed": (site) => this.#onSite(site) }));
    this.#report();
    this.#refreshAll();
  }

  /** Cancels all timers and requests; resolves when pending saves have ended. */
  async stop(): Promise<void> {
    this.#ended.abort();
    this.#cancelRefresh();
    for (const stop of this.#stops) stop();
    for (const place of this.#places.values()) close(place);
    await this.#saves.idle();
  }

  /** The weather at a plant; empty if it is unknown or the plant has no coordinates. */
  series(siteId: string): WeatherSeries {
    return this.#sites.get(siteId)?.place?.stored.series ?? WeatherSeries.empty;
  }

  /** When a source last provided weather for a plant. */
  issuedAt(siteId: string): Date | undefined {
    return this.#sites.get(siteId)?.place?.stored.issuedAt;
  }

  /** Assigns a site to its place. */
  #settle(part: SiteWeather, { plant }: Site): void {
    const location = locationOf(plant);
    if (location === undefined) return;
    const key = placeKey(location);
    const place = this.#places.get(key) ?? this.#placeOf(key, location);
    place.siteIds.push(part.siteId);
    this.#places.set(key, place);
    part.place = place;
  }

  /** Loads the stored weather of a place, and reads the local sources. */
  async #open(place: Place): Promise<void> {
    place.stored = await this.#load(place);
    for (const runner of place.runners) {
      if (!runner.source.local) continue;
      await this.#request(place, runner);
      const watch = runner.source.watch?.(() => void this.#refresh(place, runner));
      if (watch !== undefined) place.watches.push(watch);
    }
  }

  #onSite(site: Site): void {
    const location = locationOf(site.plant);
    const part = this.#sites.of(site.id);
    if (location !== undefined && part.place?.key === placeKey(location)) return;
    this.#leave(part);
    const isNew = location !== undefined && !this.#places.has(placeKey(location));
    this.#settle(part, site);
    const { place } = part;
    // Listeners must replace the weather of the former place.
    this.#options.bus.emit("weather.updated", { siteId: site.id });
    if (place === undefined || !isNew) {
      this.#report();
      return;
    }
    void place.rounds.run(async () => {
      await this.#open(place);
      if (!this.#isServed(place)) close(place);
    });
    void this.#refresh(place);
  }

  /** Takes a site away from its place, and removes the place after its last site. */
  #leave(part: SiteWeather): void {
    const { siteId, place } = part;
    if (place === undefined) return;
    part.place = undefined;
    place.siteIds = place.siteIds.filter((id) => id !== siteId);
    if (place.siteIds.length > 0) return;
    this.#places.delete(place.key);
    close(place);
    // The name of the document is a location.
    void this.#saves.run(() => this.#options.documents.put(documentName(place), null)).catch(() => {});
    this.#report();
  }

  #placeOf(key: string, location: Location): Place {
    const { log, random = Math.random, sources, wall = realClock() } = this.#options;
    const place: Place = {
      key,
      location,
      siteIds: [],
      runners: [],
      watches: [],
      stored: { series: WeatherSeries.empty, issuedAt: undefined },
      rounds: new SerialQueue(),
    };
    place.runners = sources.map((source) => {
      const retry = () => void this.#refresh(place, runner);
      const runner: Runner = new SourceRunner(source, { kind: "weather", wall, random, log, retry });
      return runner;
    });
    return place;
  }

  #refreshAll(): void {
    const { clock, random = Math.random } = this.#options;
    for (const place of this.#places.values()) void this.#refresh(place);
    // Between 50 and 70 minutes, so that many gateways do not send their requests at the same time.
    const waitMs = (50 + 20 * random()) * MINUTE_MS;
    const next = new Date(clock.now().getTime() + waitMs);
    this.#cancelRefresh = clock.at(next, () => this.#refreshAll());
  }

  /** Requests one source, or all in order until one provides enough. */
  #refresh(place: Place, only?: Runner): Promise<void> {
    return place.rounds.run(async () => {
      try {
        if (only === undefined) await this.#requestInOrder(place);
        else await this.#request(place, only);
      } catch (error) {
        this.#options.log.error({ reason: errorMessage(error) }, "A listener of new weather failed.");
      }
      this.#report();
    });
  }

  async #requestInOrder(place: Place): Promise<void> {
    for (const runner of place.runners) {
      const works = runner.mayRequest ? await this.#request(place, runner) : runner.status.state === "ok";
      if (!this.#isServed(place) || (works && this.#coveredHours(place) >= REQUIRED_HOURS)) return;
    }
  }

  /** True if the source answered. */
  async #request(place: Place, runner: Runner): Promise<boolean> {
    if (!this.#isServed(place)) return false;
    const { signal } = this.#ended;
    const now = this.#options.clock.now();
    const answer = await runner.request({ place: place.location, now, signal });
    if (!this.#isServed(place)) {
      // The place was removed meanwhile: no retry.
      runner.stop();
      return false;
    }
    if (answer === undefined) return false;
    this.#absorb(place, answer, now);
    return true;
  }

  /** True while the service runs and the place has a site. */
  #isServed(place: Place): boolean {
    return !this.#ended.signal.aborted && this.#places.get(place.key) === place;
  }

  #absorb(place: Place, answer: WeatherAnswer, now: Date): void {
    const [fromMs, toMs] = [now.getTime() - STORED_BEFORE_MS, now.getTime() + STORED_AFTER_MS];
    const hours = answer.hours.filter(({ start }) => start.getTime() >= fromMs && start.getTime() < toMs);
    if (hours.length === 0) return;
    const series = place.stored.series.with(hours).within(fromMs, toMs);
    place.stored = { series, issuedAt: now };
    void this.#saves.run(() => this.#save(place));
    for (const siteId of place.siteIds) this.#options.bus.emit("weather.updated", { siteId });
  }

  #load(place: Place): Promise<StoredWeather> {
    const { documents, log } = this.#options;
    const warning = "The stored weather could not be read; it will be requested again.";
    return restored(documents, documentName(place), weatherFromJson, { log, warning });
  }

  async #save(place: Place): Promise<void> {
    try {
      await this.#options.documents.put(documentName(place), weatherToJson(place.stored));
    } catch (error) {
      const reason = errorMessage(error);
      this.#options.log.error({ reason }, "The weather could not be saved; it is kept in memory.");
    }
  }

  /** Number of hours from the current one on with known irradiance or clouds, without a gap. */
  #coveredHours({ stored }: Place): number {
    const nowMs = this.#options.clock.now().getTime();
    for (let count = 0; ; count++) {
      const hour = stored.series.hour(nowMs + count * HOUR_MS);
      if (hour?.ghi === undefined && hour?.cloudCoverPct === undefined) return count;
    }
  }

  #report(): void {
    if (this.#ended.signal.aborted) return;
    const { components } = this.#options;
    const places = [...this.#places.values()];
    const worst = places.sort((a, b) => this.#coveredHours(a) - this.#coveredHours(b))[0];
    if (worst === undefined) {
      components.report("weather_source", "ok", [{ code: "weather_no_location" }]);
      return;
    }
    const covered = this.#coveredHours(worst);
    const until = new Date(this.#options.clock.now().getTime() + covered * HOUR_MS);
    const { state, detail } = sourcesStatus({
      kind: "weather",
      sources: statesOf(places),
      available: covered === 0 ? { code: "weather_missing" } : { code: "weather_held", until },
      short: covered < REQUIRED_HOURS ? { code: "weather_short" } : undefined,
    });
    components.report("weather_source", state, detail);
  }
}

function close({ runners, watches }: Place): void {
  for (const cancel of watches.splice(0)) cancel();
  for (const runner of runners) runner.stop();
}

/** The worst state of each source over all places. */
function statesOf(places: readonly Place[]): SourceState[] {
  const rank = { ok: 0, untried: 1, failing: 2 };
  return (places[0]?.runners ?? []).map((_, index) =>
    places
      .map(({ runners }) => runners[index]!.status)
      .reduce((worst, status) => (rank[status.state] > rank[worst.state] ? status : worst)),
  );
}

function documentName({ key }: Place): string {
  return `weather/${key}`;
}
