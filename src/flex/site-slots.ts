import type { Site } from "../accounts/sites.js";
import type { SlotSettings } from "../config/settings.js";
import { errorMessage } from "../error-message.js";
import type { Log } from "../log.js";
import type { DocumentArchive } from "../store/archive.js";
import { answerFlex, type FlexKnowledge, HorizonCache } from "./answer.js";
import { type FlexRequest, fillFromSlot, namesDemand } from "./request.js";
import type { FlexResult } from "./result.js";
import { type SlotPlan, slotScheduleOf } from "./slot-schedule.js";
import {
  countDone,
  expire,
  isInRun,
  keptOf,
  pluggedOf,
  requestOf,
  type SlotState,
  slotPlan,
  summaryOf,
} from "./slot-state.js";
import { SlotStore } from "./slot-store.js";

export interface SiteSlotsOptions {
  /** What the slots are planned with now; undefined before the first forecast. */
  knowledge: () => FlexKnowledge | undefined;
  /** Called when what a slot is to do has changed. */
  onNews: () => void;
  documents: DocumentArchive;
  log: Log;
}

/**
 * The assigned slots of one site: what each is to do, by its last request until its window ends, else by its settings.
 */
export class SiteSlots {
  readonly #options: SiteSlotsOptions;
  readonly #store: SlotStore;
  #site: Site;
  #slots: Map<number, SlotState>;
  #cache = new HorizonCache();
  /** Chosen slots that end after it are not counted as charged yet. */
  #countedUntil: Date;
  /** What listeners were told last. */
  #told = "";

  /** A slot that was chosen before `since` is not counted as charged. */
  constructor(site: Site, since: Date, options: SiteSlotsOptions) {
    const { documents, log } = options;
    this.#options = options;
    this.#site = site;
    this.#slots = assignedOf(site);
    this.#countedUntil = since;
    const slots = () => [...this.#slots].map(([slot, held]) => keptOf(slot, held));
    this.#store = new SlotStore({ siteId: site.id, documents, slots, log });
  }

  /** Takes up the last requests. */
  async load(now: Date): Promise<void> {
    this.#countedUntil = now;
    for (const { slot, ...kept } of await this.#store.load()) {
      const held = this.#slots.get(slot);
      if (held === undefined) continue;
      Object.assign(held, kept);
      const run = kept.done?.run;
      if (run !== undefined && isInRun(run, now)) held.result = run;
    }
  }

  /** Resolves when all is on disk, as far as the disk takes it. */
  settled(): Promise<void> {
    return this.#store.settled();
  }

  /** The settings of an assigned slot. */
  settings(slot: number): SlotSettings | undefined {
    return this.#slots.get(slot)?.settings;
  }

  /** What each slot is to do, by slot number. */
  current(): SlotPlan[] {
    return [...this.#slots].map(([slot, held]) => slotPlan(slot, held));
  }

  /** See `FlexService.answer`. */
  answer(ask: FlexRequest): FlexResult | undefined {
    const known = this.#options.knowledge();
    return known && answerFlex(ask, this.#site.plant, known, { cache: this.#cache });
  }

  /** See `FlexService.request`. */
  async request(slot: number, ask: FlexRequest): Promise<FlexResult | undefined> {
    const held = this.#slotOf(slot);
    const known = this.#options.knowledge();
    if (known === undefined) return undefined;
    const plugged = ask.plugged ?? held.plugged;
    const asked = { ...fillFromSlot(ask, held.settings), ...(plugged !== undefined && { plugged }) };
    const result = answerFlex(asked, this.#site.plant, known, { cache: this.#cache });
    // Whoever only looks switches nothing on: without any demand a slot has nothing to do.
    if (!namesDemand(asked)) return result;
    const recipe = slotScheduleOf(ask, result);
    // A window that has ended leaves the slot as it was.
    if (recipe.until <= known.now) return result;
    const before = { ...held };
    const isSame = held.done === undefined && JSON.stringify(held.recipe) === JSON.stringify(recipe);
    if (isSame) {
      // It may still be on its way to the disk.
      await this.#store.kept();
      return result;
    }
    held.recipe = recipe;
    held.result = result;
    delete held.done;
    delete held.ended;
    this.#tell(known.now);
    await this.#keepOr(() => {
      if (held.recipe === recipe) this.#putBack(held, before);
    });
    return result;
  }

  /** See `FlexService.setPlugged`. */
  async setPlugged(slot: number, plugged: 0 | 1): Promise<void> {
    const held = this.#slotOf(slot);
    const isSame = held.plugged === plugged && held.recipe?.ask.plugged === undefined;
    if (isSame) return;
    const before = { ...held };
    held.plugged = plugged;
    if (held.recipe !== undefined) {
      // What the device says now is newer than what the request said.
      const { plugged: _, ...ask } = held.recipe.ask;
      held.recipe = { ...held.recipe, ask };
    }
    this.plan();
    await this.#keepOr(() => {
      if (held.plugged === plugged) this.#putBack(held, before);
    });
  }

  /** New settings: a slot that is still assigned keeps what it was asked to do and what its device said. */
  takeSettings(site: Site): void {
    const before = this.#slots;
    this.#site = site;
    this.#slots = assignedOf(site);
    for (const [slot, held] of this.#slots) {
      const { result: _, settings: __, ...kept } = before.get(slot) ?? {};
      Object.assign(held, kept);
    }
    this.#cache = new HorizonCache();
    this.#told = "";
  }

  /** Counts as charged what was chosen until now, if the time since the last count has really passed `steadily`. */
  count(now: Date, steadily: (ms: number) => boolean): void {
    // What a clock that was set has leapt over did not pass, and nothing was charged in it.
    const hasPassed = steadily(now.getTime() - this.#countedUntil.getTime());
    const counted = hasPassed
      ? [...this.#slots.values()].filter((held) => countDone(held, this.#countedUntil, now))
      : [];
    this.#countedUntil = now;
    // The store has logged what it could not write; it is counted in memory all the same.
    if (counted.length > 0) void this.#store.keep().catch(() => {});
  }

  /** Plans every slot anew. */
  plan(): void {
    const known = this.#options.knowledge();
    if (known === undefined) return;
    for (const [slot, held] of this.#slots) {
      expire(held, known.now);
      try {
        const result = this.#solve(held, known);
        if (result === undefined) delete held.result;
        else held.result = result;
        delete held.trouble;
      } catch (error) {
        delete held.result;
        const reason = errorMessage(error);
        if (reason !== held.trouble)
          this.#options.log.warn({ site: this.#site.id, slot, reason }, "A slot cannot be planned.");
        held.trouble = reason;
      }
    }
    this.#tell(known.now);
  }

  #slotOf(slot: number): SlotState {
    const held = this.#slots.get(slot);
    if (held === undefined) throw new RangeError(`Slot ${slot} is not assigned in the plant's settings.`);
    return held;
  }

  #solve(held: SlotState, known: FlexKnowledge): FlexResult | undefined {
    const ask = requestOf(held);
    if (ask === undefined) return undefined;
    // A run that has begun is not given up for a better one: it would be two runs.
    if (held.result !== undefined && isInRun(held.result, known.now))
      return { ...held.result, plugged: pluggedOf(held) };
    const solve = (doneHours: number) =>
      answerFlex(ask, this.#site.plant, known, { cache: this.#cache, doneHours });
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

  #tell(now: Date): void {
    const says = summaryOf(this.current(), now);
    if (says === this.#told) return;
    this.#told = says;
    this.#options.onNews();
  }

  #putBack(held: SlotState, before: SlotState): void {
    delete held.recipe;
    delete held.done;
    delete held.ended;
    delete held.plugged;
    Object.assign(held, before);
    this.plan();
  }

  async #keepOr(undo: () => void): Promise<void> {
    try {
      await this.#store.keep();
    } catch (error) {
      undo();
      throw error;
    }
  }
}

function assignedOf({ plant }: Site): Map<number, SlotState> {
  const assigned = plant.slots.filter(({ enabled }) => enabled).sort((a, b) => a.slot - b.slot);
  return new Map(assigned.map((settings): [number, SlotState] => [settings.slot, { settings }]));
}
