import type { Site } from "../accounts/sites.js";
import type { Bus } from "../bus.js";
import type { SlotSettings } from "../config/settings.js";
import type { ForecastHour } from "../forecast/forecast.js";
import type { Log } from "../log.js";
import type { PriceSeries } from "../market/price-series.js";
import type { Prices } from "../market/tariff.js";
import type { DocumentArchive } from "../store/archive.js";
import { type Cancel, type Clock, onEach } from "../time/clock.js";
import { type Interval, QUARTER_MS } from "../time/interval.js";
import { answerFlex, type FlexKnowledge, HORIZON_HOURS, HorizonCache } from "./answer.js";
import { batterySharePct, flexLoadKwh, wallboxUse } from "./load.js";
import { recipeOf, type SlotPlan } from "./recipe.js";
import { type FlexAsk, fillFromSlot, namesDemand } from "./request.js";
import type { FlexResult } from "./result.js";
import {
  askOf,
  countDone,
  isInRun,
  keptOf,
  pluggedOf,
  type SlotState,
  slotPlan,
  summaryOf,
} from "./slot-state.js";
import { SlotStore } from "./slot-store.js";

export interface FlexServiceOptions {
  clock: Clock;
  bus: Bus;
  sites: readonly Site[];
  /** Step of the windows' prices. */
  priceMinutes: 60 | 15;
  breakPenaltyCtKwh: number;
  forecastHours: (count: number) => ForecastHour[] | undefined;
  published: () => PriceSeries;
  tariff: (siteId: string) => Prices | undefined;
  documents: DocumentArchive;
  log: Log;
}

interface SiteState {
  site: Site;
  cache: HorizonCache;
  slots: Map<number, SlotState>;
  store: SlotStore;
  /** Chosen slots that end after it are not counted as charged yet. */
  countedUntil: Date;
  /** What listeners were told last. */
  told: string;
}

/**
 * Answers windows requests, and keeps what the slots of each site are to do: by their last request until its window
 * ends, else by their settings; anew on a forecast, on each quarter-hour and on each request.
 */
export class FlexService {
  readonly #options: FlexServiceOptions;
  readonly #states: Map<string, SiteState>;
  readonly #stops: Cancel[] = [];

  constructor(options: FlexServiceOptions) {
    this.#options = options;
    this.#states = new Map(options.sites.map((site) => [site.id, stateOf(site, options)]));
  }

  /** Takes up the last requests, then plans. */
  async start(): Promise<void> {
    const { bus, clock } = this.#options;
    for (const state of this.#states.values()) {
      state.countedUntil = clock.now();
      for (const { slot, ...kept } of await state.store.load()) {
        const held = state.slots.get(slot);
        if (held !== undefined) Object.assign(held, kept);
      }
    }
    const onForecast = () => this.#planAll();
    const onSite = (site: Site) => this.#onSite(site);
    const onRemoved = ({ siteId }: { siteId: string }) => void this.#states.delete(siteId);
    bus.on("forecast.updated", onForecast);
    bus.on("site.changed", onSite);
    bus.on("site.removed", onRemoved);
    this.#stops.push(
      () => bus.off("site.changed", onSite),
      () => bus.off("site.removed", onRemoved),
      () => bus.off("forecast.updated", onForecast),
      onEach(clock, QUARTER_MS, () => this.#onQuarter()),
    );
    this.#planAll();
  }

  /** Ends planning; resolves when all is on disk, as far as the disk takes it. */
  async stop(): Promise<void> {
    for (const stop of this.#stops.splice(0)) stop();
    for (const { store } of this.#states.values()) await store.settled();
  }

  /** True for a slot that the plant's settings assign to a device that is to be planned. */
  isAssigned(siteId: string, slot: number): boolean {
    return this.#states.get(siteId)?.slots.has(slot) ?? false;
  }

  /** The settings of an assigned slot. */
  settings(siteId: string, slot: number): SlotSettings | undefined {
    return this.#states.get(siteId)?.slots.get(slot)?.settings;
  }

  /**
   * The windows for a request that belongs to no slot; nothing is kept of it. Undefined before the first forecast. Throws
   * FlexInputError, and the RangeError of segments that are too many.
   */
  answer(siteId: string, ask: FlexAsk): FlexResult | undefined {
    const state = this.#stateOf(siteId);
    const known = this.#knowledge(siteId);
    return known && answerFlex(ask, state.site.plant, known, { cache: state.cache });
  }

  /**
   * The windows for a request of a slot, filled from the slot's settings; it is the slot's recipe until its window ends,
   * and on disk when this resolves. Throws as `answer`, a RangeError for a slot that is not assigned, StoreError.
   */
  async request(siteId: string, slot: number, ask: FlexAsk): Promise<FlexResult | undefined> {
    const state = this.#stateOf(siteId);
    const held = this.#slotOf(state, slot);
    const known = this.#knowledge(siteId);
    if (known === undefined) return undefined;
    const plugged = ask.plugged ?? held.plugged;
    const asked = { ...fillFromSlot(ask, held.settings), ...(plugged !== undefined && { plugged }) };
    const result = answerFlex(asked, state.site.plant, known, { cache: state.cache });
    // Whoever only looks switches nothing on: without any demand a slot has nothing to do.
    if (!namesDemand(asked)) return result;
    const recipe = recipeOf(ask, result);
    // A window that has ended leaves the slot as it was.
    if (recipe.until <= known.now) return result;
    const before = { ...held };
    const isSame = held.done === undefined && JSON.stringify(held.recipe) === JSON.stringify(recipe);
    if (isSame) {
      // It may still be on its way to the disk.
      await state.store.kept();
      return result;
    }
    held.recipe = recipe;
    held.result = result;
    delete held.done;
    this.#tell(state, known.now);
    await this.#keepOr(state, () => {
      if (held.recipe === recipe) this.#putBack(state, held, before);
    });
    return result;
  }

  /** The device of a slot tells whether it is plugged in. Throws a RangeError when it is not assigned, StoreError. */
  async setPlugged(siteId: string, slot: number, plugged: 0 | 1): Promise<void> {
    const state = this.#stateOf(siteId);
    const held = this.#slotOf(state, slot);
    const isSame = held.plugged === plugged && held.recipe?.ask.plugged === undefined;
    if (isSame) return;
    const before = { ...held };
    held.plugged = plugged;
    if (held.recipe !== undefined) {
      // What the device says now is newer than what the request said.
      const { plugged: _, ...ask } = held.recipe.ask;
      held.recipe = { ...held.recipe, ask };
    }
    this.#plan(state);
    await this.#keepOr(state, () => {
      if (held.plugged === plugged) this.#putBack(state, held, before);
    });
  }

  /** What each assigned slot of a site is to do, by slot number. */
  current(siteId: string): SlotPlan[] {
    return [...(this.#states.get(siteId)?.slots ?? [])].map(([slot, held]) => slotPlan(slot, held));
  }

  /** Energy that the slots take in each of the intervals, kWh. */
  flexLoad(siteId: string, intervals: readonly Interval[]): number[] {
    return flexLoadKwh(this.current(siteId), intervals);
  }

  /** How long wallboxes charge in each of the intervals, hours, and what of it the house battery may give, kWh. */
  wallboxes(siteId: string, intervals: readonly Interval[]): { hours: number; fromBatteryKwh: number }[] {
    return wallboxUse(this.current(siteId), intervals);
  }

  /** The largest share of the house battery in a slot that charges now, percent; 0 without one. */
  batterySharePct(siteId: string): number {
    return batterySharePct(this.current(siteId), this.#options.clock.now());
  }

  #stateOf(siteId: string): SiteState {
    const state = this.#states.get(siteId);
    if (state === undefined) throw new RangeError(`There is no plant "${siteId}".`);
    return state;
  }

  #slotOf(state: SiteState, slot: number): SlotState {
    const held = state.slots.get(slot);
    if (held === undefined) throw new RangeError(`Slot ${slot} is not assigned in the plant's settings.`);
    return held;
  }

  #knowledge(siteId: string): FlexKnowledge | undefined {
    const { clock, forecastHours, published, tariff, priceMinutes, breakPenaltyCtKwh } = this.#options;
    const hours = forecastHours(HORIZON_HOURS);
    if (hours === undefined) return undefined;
    return {
      now: clock.now(),
      hours,
      series: published(),
      tariff: tariff(siteId),
      priceMinutes,
      breakPenaltyCtKwh,
    };
  }

  /** New settings: a slot that is still assigned keeps what it was asked to do and what its device said. */
  #onSite(site: Site): void {
    const fresh = stateOf(site, this.#options);
    const state = this.#states.get(site.id);
    if (state === undefined) {
      this.#states.set(site.id, { ...fresh, countedUntil: this.#options.clock.now() });
    } else {
      const before = new Map(state.slots);
      state.slots.clear();
      for (const [slot, { settings }] of fresh.slots) {
        const { result: _, ...held } = before.get(slot) ?? {};
        state.slots.set(slot, { ...held, settings });
      }
      Object.assign(state, { site, cache: fresh.cache, told: "" });
    }
    this.#plan(this.#stateOf(site.id));
  }

  #planAll(): void {
    for (const state of this.#states.values()) this.#plan(state);
  }

  #onQuarter(): void {
    const now = this.#options.clock.now();
    for (const state of this.#states.values()) {
      const counted = [...state.slots.values()].filter((held) => countDone(held, state.countedUntil, now));
      state.countedUntil = now;
      // The store has logged what it could not write; it is counted in memory all the same.
      if (counted.length > 0) void state.store.keep().catch(() => {});
      this.#plan(state);
    }
  }

  #plan(state: SiteState): void {
    const { log } = this.#options;
    const known = this.#knowledge(state.site.id);
    if (known === undefined) return;
    for (const [slot, held] of state.slots) {
      if (held.recipe !== undefined && held.recipe.until <= known.now) {
        delete held.recipe;
        delete held.done;
      }
      try {
        const result = this.#solve(state, held, known);
        if (result === undefined) delete held.result;
        else held.result = result;
        delete held.trouble;
      } catch (error) {
        delete held.result;
        const reason = error instanceof Error ? error.message : String(error);
        if (reason !== held.trouble)
          log.warn({ site: state.site.id, slot, reason }, "A slot cannot be planned.");
        held.trouble = reason;
      }
    }
    this.#tell(state, known.now);
  }

  #solve(state: SiteState, held: SlotState, known: FlexKnowledge): FlexResult | undefined {
    const ask = askOf(held);
    if (ask === undefined) return undefined;
    // A run that has begun is not given up for a better one: it would be two runs.
    if (held.result !== undefined && isInRun(held, known.now))
      return { ...held.result, plugged: pluggedOf(held) };
    const { plant } = state.site;
    const solve = (doneHours: number) => answerFlex(ask, plant, known, { cache: state.cache, doneHours });
    const result = solve(held.done?.hours ?? 0);
    const isOtherWindow =
      held.recipe === undefined &&
      held.done !== undefined &&
      held.done.windowStart.getTime() !== result.window.start.getTime();
    if (!isOtherWindow) return result;
    // The next day's window begins with nothing done.
    delete held.done;
    return solve(0);
  }

  /** Emits `slots.updated` when what a slot is to do has changed. */
  #tell(state: SiteState, now: Date): void {
    const { id } = state.site;
    const says = summaryOf(this.current(id), now);
    if (says === state.told) return;
    state.told = says;
    this.#options.bus.emit("slots.updated", { siteId: id });
  }

  #putBack(state: SiteState, held: SlotState, before: SlotState): void {
    delete held.recipe;
    delete held.done;
    delete held.plugged;
    Object.assign(held, before);
    this.#plan(state);
  }

  async #keepOr(state: SiteState, undo: () => void): Promise<void> {
    try {
      await state.store.keep();
    } catch (error) {
      undo();
      throw error;
    }
  }
}

function stateOf(site: Site, { documents, log }: FlexServiceOptions): SiteState {
  const assigned = site.plant.slots.filter(({ enabled }) => enabled).sort((a, b) => a.slot - b.slot);
  const slots = new Map(assigned.map((settings): [number, SlotState] => [settings.slot, { settings }]));
  const kept = () => [...slots].map(([slot, held]) => keptOf(slot, held));
  return {
    site,
    cache: new HorizonCache(),
    slots,
    store: new SlotStore({ siteId: site.id, documents, slots: kept, log }),
    countedUntil: new Date(0),
    told: "",
  };
}
