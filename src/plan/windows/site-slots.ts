import type { SlotSettings } from "../../config/settings.js";
import type { Site } from "../../config/site.js";
import type { EnergyStep } from "../../core/domain/interval.js";
import { errorMessage } from "../../core/error-message.js";
import { answerFlex, type FlexKnowledge, HorizonCache } from "./answer.js";
import { applyOverride, type TriedOverride, tryOverride } from "./apply-override.js";
import { laterWindows } from "./later-windows.js";
import { countSlots, noteSwitching } from "./note-switching.js";
import type { OverrideRequest } from "./override.js";
import { planSlot, planStates, type SlotContext, type SlotSources, slotLimits } from "./plan-slot.js";
import { FlexInputError, type FlexRequest, fillFromSlot, namesDemand } from "./request.js";
import type { FlexResult } from "./result.js";
import type { SlotCosts } from "./slot-costs.js";
import { type SlotPlan, slotScheduleOf } from "./slot-schedule.js";
import {
  assignedSlots,
  expire,
  isInRun,
  isPlannedByCost,
  noteHeat,
  pluggedOf,
  plugIn,
  powersText,
  readingsText,
  type SlotState,
  slotPlan,
  storedOf,
  summaryOf,
  usedSettings,
} from "./slot-state.js";
import { SlotStore } from "./slot-store.js";
import { nextReturn } from "./vehicle.js";
import { overriddenSettings } from "./vehicle-override.js";

interface SiteSlotsOptions extends SlotSources {
  /** Current prices; undefined before the first forecast. */
  knowledge: () => FlexKnowledge | undefined;
  /** Called when a schedule has changed, or only the power of a slot that follows the surplus. */
  onChange: (change?: { powerOnly: boolean }) => void;
  /** Called when the plug of a wallbox was set to another value. */
  onPlug: (slot: number, plugged: 0 | 1, at: Date) => void;
}

/** The assigned slots of one site with their schedules: by their last request until its window ends, else by their settings. */
export class SiteSlots {
  readonly #options: SiteSlotsOptions;
  readonly #store: SlotStore;
  /** Readings of the devices at the last plan. */
  #plannedReadings = "";
  #costs: ReadonlyMap<number, SlotCosts> = new Map();
  #site: Site;
  #slots: Map<number, SlotState>;
  #cache = new HorizonCache();
  /** Chosen slots that end later are not counted as completed yet. */
  #countedUntil: Date;
  readonly #deviceState = (slot: number) => this.#options.estimator.state(this.#site.id, slot);
  /** What was last announced; a site without devices begins with nothing to announce. */
  #lastSummary = "[]";

  /** Slots chosen before `since` are not counted as completed. */
  constructor(site: Site, since: Date, options: SiteSlotsOptions) {
    const { documents, log } = options;
    this.#options = options;
    this.#site = site;
    this.#slots = assignedSlots(site.plant);
    this.#countedUntil = since;
    const slots = () => [...this.#slots].map(([slot, state]) => storedOf(slot, state));
    this.#store = new SlotStore({ siteId: site.id, documents, slots, log });
  }

  /** Restores the last requests. */
  async load(now: Date): Promise<void> {
    this.#countedUntil = now;
    for (const { slot, ...stored } of await this.#store.load()) {
      const state = this.#slots.get(slot);
      if (state === undefined) continue;
      Object.assign(state, stored);
      const run = stored.done?.run;
      if (run !== undefined && isInRun(run, now)) state.result = run;
    }
  }

  idle(): Promise<void> {
    return this.#store.idle();
  }

  settings(slot: number): SlotSettings | undefined {
    return this.#slots.get(slot)?.usual;
  }

  /** Plans by what the devices cost the site, by slot number; a slot without an entry is planned by price. */
  setCosts(costs: ReadonlyMap<number, SlotCosts>): void {
    this.#costs = costs;
    this.plan();
  }

  plannedByCost(): number[] {
    return [...this.#slots.keys()].filter((slot) => isPlannedByCost(this.#slotOf(slot), this.#site.plant));
  }

  /** Energy of a slot's device that nothing measured. */
  assumed(slot: number): readonly EnergyStep[] {
    return this.#slots.get(slot)?.assumed ?? [];
  }

  /** The schedule of each slot, by slot number. */
  current(): SlotPlan[] {
    return [...this.#slots].map(([slot, state]) => slotPlan(slot, state));
  }

  /** The windows for a request without a slot; nothing is stored. Undefined before the first forecast. Throws FlexInputError and SegmentLimitError. */
  answer(request: FlexRequest): FlexResult | undefined {
    const known = this.#options.knowledge();
    return known && answerFlex(request, this.#site.plant, known, { cache: this.#cache });
  }

  /**
   * The windows for a request of a slot, completed by the slot's settings. It is the slot's schedule until its window
   * ends, and on disk when this resolves. Throws FlexInputError, SegmentLimitError and StoreError.
   */
  async request(slot: number, request: FlexRequest): Promise<FlexResult | undefined> {
    const state = this.#slotOf(slot);
    const known = this.#options.knowledge();
    if (known === undefined) return undefined;
    const plugged = request.plugged ?? state.plugged;
    const completed = { ...fillFromSlot(request, state.usual), ...(plugged !== undefined && { plugged }) };
    const limits = slotLimits(state, this.#contextOf(slot, state, known), { isRequest: true });
    const result = answerFlex(completed, this.#site.plant, known, { cache: this.#cache, limits });
    // A request without any demand is read-only.
    if (!namesDemand(completed)) return result;
    const schedule = slotScheduleOf(request, result);
    // A window that has ended does not change the slot.
    if (schedule.until <= known.now) return result;
    const before = { ...state };
    if (state.done === undefined && JSON.stringify(state.recipe) === JSON.stringify(schedule)) {
      // The earlier request may not be on disk yet.
      await this.#store.saved();
      return result;
    }
    state.recipe = schedule;
    state.result = result;
    if (request.plugged !== undefined) this.#plugIn(slot, request.plugged === 0 ? 0 : 1);
    if (state.override?.action !== "run" && state.override?.action !== "skip") {
      delete state.override;
      state.settings = state.usual;
    }
    delete state.done;
    delete state.ended;
    this.#notify(known.now);
    await this.#saveOr(() => {
      if (state.recipe === schedule) this.#restore(slot, state, before);
    });
    return result;
  }

  /** Stores whether the device of a slot is plugged in. Throws FlexInputError for a slot that is not assigned, and StoreError. */
  async setPlugged(slot: number, plugged: 0 | 1): Promise<void> {
    const state = this.#slotOf(slot);
    if (state.plugged === plugged && state.recipe?.ask.plugged === undefined) return;
    const before = { ...state };
    state.plugged = plugged;
    this.#plugIn(slot, plugged);
    if (state.recipe !== undefined) {
      // The value of the device is newer than that of the request.
      const { plugged: _, ...request } = state.recipe.ask;
      state.recipe = { ...state.recipe, ask: request };
    }
    this.plan();
    await this.#saveOr(() => {
      if (state.plugged === plugged) this.#restore(slot, state, before);
    });
  }

  /** Sets the power of a slot that follows the measured surplus, kW; undefined: its schedule applies. */
  setFollowed(slot: number, powerKw: number | undefined): void {
    const state = this.#slots.get(slot);
    if (state === undefined || state.followedKw === powerKw) return;
    const wasOn = (state.followedKw ?? 0) > 0;
    state.followedKw = powerKw;
    if (wasOn !== (powerKw ?? 0) > 0) this.#noteSwitching(this.#options.knowledge()?.now);
    this.#options.onChange({ powerOnly: true });
  }

  /** Overrides the schedule of a slot until a time, or takes the override back; on disk when this resolves. Throws FlexInputError and StoreError. */
  async override(slot: number, request: OverrideRequest): Promise<void> {
    const state = this.#slotOf(slot);
    const before = { ...state };
    applyOverride(slot, state, request, this.#momentOf(slot));
    this.plan();
    await this.#saveOr(() => this.#restore(slot, state, before));
  }

  /**
   * A slot as an override would plan it, and what that would cost beside the plan; `costs` in place of what the device costs
   * the site in the plan in force. Has no side effects. Throws FlexInputError.
   */
  tryOverride(slot: number, request: OverrideRequest, costs?: SlotCosts): TriedOverride {
    return tryOverride(slot, this.#slotOf(slot), request, this.#momentOf(slot, costs));
  }

  /** Applies new settings; a slot that is still assigned keeps its request and plug state. */
  changeSettings(site: Site): void {
    const before = this.#slots;
    this.#site = site;
    this.#slots = assignedSlots(site.plant);
    for (const [slot, state] of this.#slots) {
      const { result: _, settings: __, usual: ___, ...kept } = before.get(slot) ?? {};
      Object.assign(state, kept);
    }
    this.#cache = new HorizonCache();
    this.#lastSummary = "";
  }

  /** Counts what was delivered until now as completed, if the clock was not set since the last count, according to `steadily`. */
  count(now: Date, steadily: (ms: number) => boolean): void {
    const hasPassed = steadily(now.getTime() - this.#countedUntil.getTime());
    const period = { start: this.#countedUntil, end: now };
    const hasCounted =
      hasPassed &&
      countSlots(this.#slots, period, {
        deliveredOf: (slot) => this.#options.deliveries.of(this.#site.id, slot, period.start, now),
        zone: this.#site.plant.timezone,
      });
    this.#countedUntil = now;
    if (hasCounted) this.#save();
  }

  /** Updates the schedules if a device is now switched by an actuator with which it takes another power. */
  onActuators(): void {
    const used = this.#usedSettings();
    const settings = [...this.#slots.values()].map(({ usual }) => usual);
    if (powersText([...used.values()]) !== powersText(settings)) this.plan();
  }

  /** Updates the schedules if a vehicle or a tank has changed since. */
  onReadings(): void {
    if (this.#readings() !== this.#plannedReadings) this.plan();
  }

  plan(): void {
    const known = this.#options.knowledge();
    if (known === undefined) return;
    this.#plannedReadings = this.#readings();
    const used = this.#usedSettings();
    let toStore = false;
    for (const [slot, state] of this.#slots) {
      state.usual = used.get(slot)!;
      expire(state, known.now);
      state.settings = overriddenSettings(state.usual, state.override);
      const isAway = state.recipe === undefined && pluggedOf(state) === 0;
      state.returnsAt = isAway ? nextReturn(state.settings, known.now, this.#site.plant.timezone) : undefined;
      const context = this.#contextOf(slot, state, known);
      state.sgReady = planStates(state, context);
      state.socPct = context.device?.socPct;
      if (noteHeat(state, context.device ?? {})) toStore = true;
      try {
        const result = planSlot(state, context);
        if (result === undefined) delete state.result;
        else state.result = result;
        state.later = laterWindows(state, result, context);
        delete state.problem;
      } catch (error) {
        delete state.result;
        const reason = errorMessage(error);
        if (reason !== state.problem)
          this.#options.log.warn({ site: this.#site.id, slot, reason }, "A slot cannot be planned.");
        state.problem = reason;
      }
    }
    if (toStore) this.#save();
    this.#notify(known.now);
  }

  #plugIn(slot: number, plugged: 0 | 1): void {
    const now = this.#options.knowledge()?.now ?? this.#countedUntil;
    if (plugIn(this.#slotOf(slot), plugged, now)) this.#options.onPlug(slot, plugged, now);
  }

  #slotOf(slot: number): SlotState {
    const state = this.#slots.get(slot);
    if (state === undefined)
      throw new FlexInputError("slot_id", `Slot ${slot} is not assigned in the plant's settings.`);
    return state;
  }

  /** `costs` in place of those in force. */
  #momentOf(slot: number, costs?: SlotCosts) {
    const known = this.#options.knowledge();
    return {
      now: known?.now ?? this.#countedUntil,
      plant: this.#site.plant,
      contextOf: (state: SlotState) => {
        const context = known && this.#contextOf(slot, state, known);
        return context && costs !== undefined ? { ...context, costs } : context;
      },
    };
  }

  #readings(): string {
    return readingsText(this.#slots, this.#deviceState);
  }

  #usedSettings(): Map<number, SlotSettings> {
    const { switches } = this.#options;
    return usedSettings(this.#site.plant, (...asked) => switches.takenKw(this.#site.id, ...asked));
  }

  #contextOf(slot: number, state: SlotState, known: FlexKnowledge): SlotContext {
    return {
      plant: this.#site.plant,
      known,
      cache: this.#cache,
      costs: isPlannedByCost(state, this.#site.plant) ? this.#costs.get(slot) : undefined,
      device: this.#deviceState(slot),
      budget: this.#options.switches.startBudget(this.#site.id, slot),
    };
  }

  /** Notes which devices are on from now on; starts also count after a restart. */
  #noteSwitching(now: Date | undefined): void {
    if (now !== undefined && noteSwitching(this.#slots, now, this.#site.plant.timezone)) this.#save();
  }

  #notify(now: Date): void {
    this.#noteSwitching(now);
    const summary = summaryOf(this.current(), now);
    if (summary === this.#lastSummary) return;
    this.#lastSummary = summary;
    // Limits on the states of a heat pump also apply after a restart.
    if (this.#site.plant.slots.some(({ sg_ready }) => sg_ready !== null)) this.#save();
    this.#options.onChange();
  }

  /** Stores what remains valid in memory if it cannot be written, which the store logs. */
  #save(): void {
    void this.#store.save().catch(() => {});
  }

  /** Undoes a change that could not be saved, unless the slot has got another state since. */
  #restore(slot: number, state: SlotState, before: SlotState): void {
    if (this.#slots.get(slot) === state) this.#slots.set(slot, before);
    this.plan();
  }

  #saveOr(undo: () => void): Promise<void> {
    return this.#store.save().catch((error: unknown) => {
      undo();
      throw error;
    });
  }
}
