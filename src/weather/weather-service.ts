import type { Site } from "../accounts/sites.js";
import { type Bus, subscribe } from "../bus.js";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../domain/interval.js";
import { errorMessage } from "../error-message.js";
import type { HealthRegistry } from "../health-registry.js";
import type { Log } from "../log.js";
import { SourceRunner, type SourceState } from "../net/source-runner.js";
import { sourcesStatus } from "../net/source-status.js";
import { SerialQueue } from "../serial-queue.js";
import type { Location } from "../solar/sun.js";
import type { DocumentArchive } from "../store/archive.js";
import { type Cancel, type Clock, realClock } from "../time/clock.js";
import { type StoredWeather, weatherFromJson, weatherToJson } from "./document.js";
import { locationOf, placeKey } from "./place.js";
import type { WeatherAnswer, WeatherRequest, WeatherSource } from "./source.js";
import { WeatherSeries } from "./weather-series.js";

/** What is held around now: yesterday for the local day and for what is learnt from it, and what sources tell ahead. */
const HELD_BEFORE_MS = 3 * DAY_MS;
const HELD_AFTER_MS = 16 * DAY_MS;
/** A source serves when it tells the sky of so many hours from now on. */
const WANTED_HOURS = 24;

export interface WeatherServiceOptions {
  clock: Clock;
  bus: Bus;
  components: HealthRegistry;
  documents: DocumentArchive;
  /** In order of preference. */
  sources: readonly WeatherSource[];
  sites: readonly Site[];
  log: Log;
  /** 0 to 1, spreads looks and retries. */
  random?: () => number;
  /** What backoff and throttles run on; the wall clock unless a test says otherwise. */
  wall?: Clock;
}

type Runner = SourceRunner<WeatherRequest, WeatherAnswer>;

/** One place with its sources: plants that stand together share one question. */
interface Place {
  key: string;
  location: Location;
  siteIds: string[];
  runners: Runner[];
  watches: Cancel[];
  held: StoredWeather;
  /** One round of requests at a time. */
  rounds: SerialQueue;
}

/**
 * Holds the weather of each plant that says where it stands: from the disk at once, from the sources as they come. A later
 * answer that lacks something never removes it. Emits `weather.updated` when there is news.
 */
export class WeatherService {
  readonly #options: WeatherServiceOptions;
  readonly #places = new Map<string, Place>();
  readonly #bySite = new Map<string, Place>();
  readonly #ended = new AbortController();
  readonly #stops: Cancel[] = [];
  #cancelLook: Cancel = () => {};
  readonly #saves = new SerialQueue();

  constructor(options: WeatherServiceOptions) {
    this.#options = options;
    for (const site of options.sites) this.#take(site);
  }

  /** Takes up what was held, reads what is on this machine, and asks the other sources in the background. */
  async start(): Promise<void> {
    const { bus } = this.#options;
    for (const place of this.#places.values()) await this.#open(place);
    this.#stops.push(
      subscribe(bus, {
        "site.changed": (site) => this.#onSite(site),
        "site.removed": ({ siteId }) => this.#letGo(siteId),
      }),
    );
    this.#report();
    this.#lookEverywhere();
  }

  /** Ends all waiting and asking; resolves when what was learnt is on disk, as far as the disk takes it. */
  async stop(): Promise<void> {
    this.#ended.abort();
    this.#cancelLook();
    for (const stop of this.#stops) stop();
    for (const place of this.#places.values()) close(place);
    await this.#saves.idle();
  }

  /** The weather at a plant; empty where nothing is held or the plant does not say where it stands. */
  series(siteId: string): WeatherSeries {
    return this.#bySite.get(siteId)?.held.series ?? WeatherSeries.empty;
  }

  /** When a source last told something of the weather at a plant. */
  toldAt(siteId: string): Date | undefined {
    return this.#bySite.get(siteId)?.held.toldAt;
  }

  /** Makes the site one of its place; undefined when it does not say where it stands. */
  #take(site: Site): Place | undefined {
    const location = locationOf(site.plant);
    if (location === undefined) return undefined;
    const key = placeKey(location);
    const place = this.#places.get(key) ?? this.#placeOf(key, location);
    place.siteIds.push(site.id);
    this.#places.set(key, place);
    this.#bySite.set(site.id, place);
    return place;
  }

  /** Takes up what was held of a place, and what is on this machine. */
  async #open(place: Place): Promise<void> {
    place.held = await this.#kept(place);
    for (const runner of place.runners) {
      if (!runner.source.local) continue;
      await this.#ask(place, runner);
      const watch = runner.source.watch?.(() => void this.#look(place, runner));
      if (watch !== undefined) place.watches.push(watch);
    }
  }

  #onSite(site: Site): void {
    const location = locationOf(site.plant);
    const before = this.#bySite.get(site.id);
    if (location !== undefined && before?.key === placeKey(location)) return;
    this.#letGo(site.id);
    const isNew = location !== undefined && !this.#places.has(placeKey(location));
    const place = this.#take(site);
    // Who stood on the weather of the former place hears that it is another one now.
    this.#options.bus.emit("weather.updated", { siteId: site.id });
    if (place === undefined || !isNew) {
      this.#report();
      return;
    }
    void place.rounds.run(async () => {
      await this.#open(place);
      if (!this.#isServed(place)) close(place);
    });
    void this.#look(place);
  }

  /** A place that no site stands at any more is asked for no longer. */
  #letGo(siteId: string): void {
    const place = this.#bySite.get(siteId);
    if (place === undefined) return;
    this.#bySite.delete(siteId);
    place.siteIds = place.siteIds.filter((id) => id !== siteId);
    if (place.siteIds.length > 0) return;
    this.#places.delete(place.key);
    close(place);
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
      held: { series: WeatherSeries.empty, toldAt: undefined },
      rounds: new SerialQueue(),
    };
    place.runners = sources.map((source) => {
      const retry = () => void this.#look(place, runner);
      const runner: Runner = new SourceRunner(source, { kind: "weather", wall, random, log, retry });
      return runner;
    });
    return place;
  }

  #lookEverywhere(): void {
    const { clock, random = Math.random } = this.#options;
    for (const place of this.#places.values()) void this.#look(place);
    // Between 50 and 70 minutes: the gateways of a country must not ask at the full hour together.
    const waitMs = (50 + 20 * random()) * MINUTE_MS;
    const next = new Date(clock.now().getTime() + waitMs);
    this.#cancelLook = clock.at(next, () => this.#lookEverywhere());
  }

  /** Asks one source anew, or all in order until one serves. */
  #look(place: Place, only?: Runner): Promise<void> {
    return place.rounds.run(async () => {
      try {
        if (only === undefined) await this.#askInOrder(place);
        else await this.#ask(place, only);
      } catch (error) {
        this.#options.log.error({ reason: errorMessage(error) }, "A listener of new weather failed.");
      }
      this.#report();
    });
  }

  async #askInOrder(place: Place): Promise<void> {
    for (const runner of place.runners) {
      const serves = runner.mayAsk ? await this.#ask(place, runner) : runner.status.state === "ok";
      if (!this.#isServed(place) || (serves && this.#coveredHours(place) >= WANTED_HOURS)) return;
    }
  }

  /** True when the source answered. */
  async #ask(place: Place, runner: Runner): Promise<boolean> {
    if (!this.#isServed(place)) return false;
    const { signal } = this.#ended;
    const now = this.#options.clock.now();
    const answer = await runner.ask({ place: place.location, now, signal });
    if (!this.#isServed(place)) {
      // A place that was left meanwhile: what failed is not tried again.
      runner.stop();
      return false;
    }
    if (answer === undefined) return false;
    this.#absorb(place, answer, now);
    return true;
  }

  /** True as long as the keeper runs and a site stands there. */
  #isServed(place: Place): boolean {
    return !this.#ended.signal.aborted && this.#places.get(place.key) === place;
  }

  #absorb(place: Place, answer: WeatherAnswer, now: Date): void {
    const [fromMs, toMs] = [now.getTime() - HELD_BEFORE_MS, now.getTime() + HELD_AFTER_MS];
    const told = answer.hours.filter(({ start }) => start.getTime() >= fromMs && start.getTime() < toMs);
    if (told.length === 0) return;
    const series = place.held.series.with(told).within(fromMs, toMs);
    place.held = { series, toldAt: now };
    void this.#saves.run(() => this.#save(place));
    for (const siteId of place.siteIds) this.#options.bus.emit("weather.updated", { siteId });
  }

  async #kept(place: Place): Promise<StoredWeather> {
    try {
      return weatherFromJson(await this.#options.documents.get(documentName(place)));
    } catch (error) {
      const reason = errorMessage(error);
      this.#options.log.warn({ reason }, "The weather held last could not be read; it is asked for anew.");
      return weatherFromJson(undefined);
    }
  }

  async #save(place: Place): Promise<void> {
    try {
      await this.#options.documents.put(documentName(place), weatherToJson(place.held));
    } catch (error) {
      const reason = errorMessage(error);
      this.#options.log.error({ reason }, "The weather could not be saved; it is kept in memory.");
    }
  }

  /** Hours from the one in progress on whose sky is known without a gap. */
  #coveredHours({ held }: Place): number {
    const nowMs = this.#options.clock.now().getTime();
    for (let count = 0; ; count++) {
      const hour = held.series.hour(nowMs + count * HOUR_MS);
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
      held: covered === 0 ? { code: "weather_missing" } : { code: "weather_held", until },
      short: covered < WANTED_HOURS ? { code: "weather_short" } : undefined,
    });
    components.report("weather_source", state, detail);
  }
}

function close({ runners, watches }: Place): void {
  for (const cancel of watches.splice(0)) cancel();
  for (const runner of runners) runner.stop();
}

/** Of each source the worst that any place tells of it. */
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
