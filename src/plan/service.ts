import { setImmediate as nextTurn } from "node:timers/promises";
import type { Site } from "../config/site.js";
import type { SiteParts, SiteRuntimes } from "../config/site-runtimes.js";
import { type Bus, subscribe } from "../core/bus.js";
import { MINUTE_MS } from "../core/domain/interval.js";
import type { PriceScalars } from "../core/domain/plan-field-lists.js";
import type { HealthRegistry } from "../core/health-registry.js";
import type { Log } from "../core/log.js";
import { type Cancel, type Clock, onEach } from "../core/time/clock.js";
import { Turns } from "../core/work/turns.js";
import type { DocumentArchive } from "../store/archive.js";
import { BatteryMonitors } from "./battery-monitors.js";
import type { BatteryOverrideRequest } from "./battery-override.js";
import { BatteryOverrides } from "./battery-overrides.js";
import { BatteryParts } from "./battery-parts.js";
import { traceDecision } from "./decision-trace.js";
import { evLimitKw } from "./device-power.js";
import { isMaterial } from "./materiality.js";
import { PlanInputError, type PlanOverrides } from "./overrides.js";
import { advanceCountdown } from "./plan-scalars.js";
import { PlanStore } from "./plan-store.js";
import { computePlan, type PlanTask, PlanTasks } from "./plan-tasks.js";
import { type PlanPool, PlanThreads } from "./plan-threads.js";
import {
  initialState,
  isNewQuarter,
  isSaveDue,
  needsSamples,
  type SiteState,
  takeReadings,
} from "./replan-rules.js";
import { type PlanSources, presentOf } from "./site-facts.js";
import { SiteFollowing } from "./site-following.js";
import type { SiteInput } from "./site-input.js";
import type { SitePlan } from "./site-plan.js";

/** Least time between two plans of a site, wall clock. */
const LEAST_INTERVAL_MS = 1000;

/** What a plan is beside the one that samples loads: computed just before it in this thread, the one itself, or neither. */
type PlanPlace = "before_samples" | "with_samples" | "alone";

export interface PlanServiceOptions extends PlanSources {
  clock: Clock;
  bus: Bus;
  sites: SiteRuntimes;
  documents: DocumentArchive;
  components: Pick<HealthRegistry, "report" | "removeSite">;
  /** Whether the devices of a site are being planned: the plan that follows is the one to report; left out: no. */
  devices?: { isPlanning(siteId: string): boolean };
  log: Log;
  /** Number of loads sampled for the expectation of a plan; default 100. */
  sampledLoads?: number;
  /** Threads that compute plans of many sites; left out: `startPlanPool`. */
  planPool?: PlanPool;
}

/**
 * Computes the plan of each site: on a new forecast, on telemetry that differs from the plan and on each quarter-hour, at most
 * once a second; the expectation of many sites in threads (`PlanThreads`). All edges show `current`. The command is decided on
 * each quarter-hour, when the measured net load changes, and when anything but a reading changes; in between it stays in force.
 */
export class PlanService {
  readonly #options: PlanServiceOptions;
  readonly #states: SiteParts<SiteState>;
  readonly #stops: Cancel[] = [];
  readonly #store: PlanStore;
  readonly #overrides: BatteryOverrides;
  readonly #parts: BatteryParts;
  readonly #tasks: PlanTasks;
  readonly #following: SiteFollowing;
  readonly #threads: PlanThreads<SiteState>;
  /** What is due for each site; a new plan includes the changes of the minute. */
  readonly #turns = new Turns<SiteState, "replan" | "minute">(
    (state, due) => {
      if (due === "replan") this.#replan(state);
      else this.#onMinute(state, this.#options.clock.now());
    },
    (waiting, added) => (waiting === "replan" ? waiting : added),
  );

  constructor(options: PlanServiceOptions) {
    this.#options = options;
    this.#parts = new BatteryParts(options);
    this.#following = new SiteFollowing({ ...options, parts: this.#parts });
    this.#store = new PlanStore(options.documents, options.log);
    this.#overrides = new BatteryOverrides(options.documents, options.log);
    this.#tasks = new PlanTasks({ ...options, parts: this.#parts, overrides: this.#overrides });
    this.#threads = new PlanThreads({
      ...options,
      sites: () => this.#states.size,
      task: (state) => this.#attempt(state, () => this.#tasks.next(state)),
      onPlan: (state, plan) => this.#renew(state, { expectationFrom: plan }, "with_samples"),
      planHere: (state) => this.#renew(state, undefined, "with_samples"),
    });
    this.#states = options.sites.parts({
      create: ({ site }) => initialState(site),
      remove: (state) => this.#end(state),
    });
  }

  /** Restores the last plans, then replans where prices and SOC are known. */
  async start(): Promise<void> {
    const { bus, clock } = this.#options;
    await this.#states.forAll(async (state) => {
      // Without a battery no new plan would replace the stored one.
      if (state.site.plant.battery !== null) Object.assign(state, await this.#store.load(state.site.id));
      await this.#overrides.load(state);
    });
    const replan = ({ siteId }: { siteId: string }) => {
      const state = this.#states.get(siteId);
      if (state !== undefined) this.#decideAnew([state]);
    };
    this.#stops.push(
      subscribe(bus, {
        "forecast.updated": () => this.#decideAnew(),
        "telemetry.received": ({ siteId }) => this.#onTelemetry(siteId),
        "slots.updated": (change) => (change.powerOnly ? undefined : replan(change)),
        "actuator.changed": (change) =>
          this.#following.actuatorChanged(change, this.#states.get(change.siteId)),
        "load.learned": replan,
        "pv.updated": replan,
        "devices.planned": ({ siteId }) => {
          const state = this.#states.get(siteId);
          if (state?.plan !== undefined && isMaterial(state.pushed, state.plan, state.site.plant.timezone))
            this.#turns.add([state], "replan");
        },
        "site.changed": (site) => this.#onSite(site),
      }),
      onEach(clock, MINUTE_MS, () => this.#turns.add(this.#states, "minute")),
    );
    this.#turns.add(this.#states, "replan");
  }

  /** Stops planning and writes the last plans to disk. */
  async stop(): Promise<void> {
    for (const stop of this.#stops.splice(0)) stop();
    this.#turns.stop();
    for (const state of this.#states) {
      clearTimeout(state.waiting);
      state.solver.forget();
      this.#save(state);
    }
    await this.#threads.stop();
    await this.#store.idle();
    await this.#overrides.idle();
  }

  /** The plan in force; undefined before the first one. */
  current(siteId: string): SitePlan | undefined {
    return this.#states.get(siteId)?.plan;
  }

  /** Price and quartile of the current hour; they need neither a battery nor its SOC. */
  present(siteId: string): PriceScalars | undefined {
    const site = this.#states.get(siteId)?.site;
    return site && presentOf(site, this.#options, this.#options.clock.now());
  }

  /**
   * The plan with the given values in place of the known ones; without any the plan in force, or a new one if a change is not planned yet.
   * Has no side effects. Throws PlanInputError.
   */
  decide(siteId: string, overrides: PlanOverrides): SitePlan {
    const state = this.#states.of(siteId);
    const isGiven = Object.values(overrides).some((value) => value !== undefined);
    const isDue = state.waiting !== undefined || this.#turns.isDue(state);
    if (!isGiven && !isDue && state.plan !== undefined) return state.plan;
    const plan = computePlan(this.#tasks.of(state, overrides));
    // A request about other values is about all batteries together.
    return isGiven ? plan : this.#parts.withParts(state, plan);
  }

  /** Expected cost of the horizon with loads sampled now, EUR; undefined while no plan can be computed. Has no side effects. */
  expectedCostEur(siteId: string): number | undefined {
    const state = this.#states.get(siteId);
    return state && this.#tasks.expectedCostEur(state);
  }

  /**
   * Overrides the plan of a site's battery until a time or a state of charge, or takes the override back; on disk and
   * published when this resolves. Throws PlanInputError and StoreError.
   */
  async override(siteId: string, request: BatteryOverrideRequest): Promise<void> {
    const state = this.#states.of(siteId);
    const now = this.#options.clock.now();
    await this.#overrides.set(state, request, { now, socPct: this.#parts.soc(state, now)?.pct });
    state.decide = true;
    this.#renew(state);
  }

  /** What an override of the battery would cost beside the plan, EUR (docs/api.md); has no side effects. Throws PlanInputError. */
  async overrideCostEur(siteId: string, request: BatteryOverrideRequest): Promise<number | undefined> {
    return this.#tasks.overrideCostEur(this.#states.of(siteId), request, nextTurn);
  }

  /** Plans and publishes now what is due for the site. */
  settle(siteId: string): void {
    const state = this.#states.get(siteId);
    if (state === undefined) return;
    this.#turns.runNow(state);
    this.#threads.settle(state);
    if (state.waiting !== undefined || state.plan === undefined) this.#renew(state);
  }

  /** Discards the plan: it was made for other settings. */
  #onSite(site: Site): void {
    const state = this.#states.of(site.id);
    state.site = site;
    delete state.plan;
    state.following = undefined;
    state.monitors = new BatteryMonitors();
    this.#replan(state);
  }

  #end(state: SiteState): void {
    clearTimeout(state.waiting);
    state.solver.forget();
    this.#turns.remove(state);
    this.#threads.remove(state);
    this.#overrides.remove(state);
    this.#options.components.removeSite(state.site.id);
  }

  /** Replans with a new decision. */
  #decideAnew(states: Iterable<SiteState> = this.#states): void {
    const all = [...states];
    for (const state of all) {
      state.decide = true;
      this.#threads.discard(state);
    }
    this.#turns.add(all, "replan");
  }

  /** Plans now, or after the least interval since the last plan; in a fast replay a quarter-hour is shorter and does not wait. */
  #replan(state: SiteState): void {
    const isDue = isNewQuarter(state, this.#options.clock.now());
    if (state.waiting !== undefined && !isDue) return;
    const wait = state.plannedAtMs + LEAST_INTERVAL_MS - performance.now();
    if (wait > 0 && !isDue) {
      state.waiting = setTimeout(() => {
        delete state.waiting;
        this.#replan(state);
      }, wait);
      return;
    }
    if (needsSamples(state, this.#options.clock.now())) {
      // The expectation of the plan in force, or a rough one, applies until loads are sampled, which takes longer than all else.
      const { decide, plan } = state;
      const unsampled = plan === undefined ? { commandOnly: true } : { expectationFrom: plan };
      this.#renew(state, unsampled, this.#threads.isHere() ? "before_samples" : "alone");
      state.decide ||= decide;
      if (state.plan !== undefined) this.#threads.add(state);
    } else this.#renew(state);
  }

  /** Plans now. Without `unsampled`, loads are sampled where that is due. */
  #renew(
    state: SiteState,
    unsampled?: Pick<PlanTask, "expectationFrom" | "commandOnly">,
    place: PlanPlace = "alone",
  ): void {
    if (unsampled === undefined) this.#threads.remove(state);
    this.#attempt(state, () => {
      const task = this.#tasks.next(state);
      this.#publish(state, computePlan({ ...task, ...unsampled }), task.input, place);
    });
  }

  /** The last plan remains in force after an error. Errors are not propagated to the emitter of the event. */
  #attempt<Result>(state: SiteState, compute: () => Result): Result | undefined {
    try {
      return compute();
    } catch (error) {
      const { log } = this.#options;
      const site = state.site.id;
      if (error instanceof PlanInputError) log.debug({ site, field: error.field }, error.message);
      else log.error({ site, err: error }, "The plan could not be computed; the last one remains in force.");
      return undefined;
    }
  }

  #publish(state: SiteState, computed: SitePlan, input: SiteInput, place: PlanPlace): void {
    const plan = this.#parts.withParts(state, computed);
    const before = state.plan;
    const isNewCommand = plan.command !== before?.command;
    if (isNewCommand) traceDecision(this.#options, input, plan.command);
    clearTimeout(state.waiting);
    delete state.waiting;
    // The sampled loads of a plan do not keep the next reading waiting.
    if (place !== "with_samples") state.plannedAtMs = performance.now();
    const isReported = place !== "before_samples" && !this.#options.devices?.isPlanning(state.site.id);
    plan.material = isReported && isMaterial(state.pushed, plan, state.site.plant.timezone);
    if (isNewCommand)
      state.decided = {
        atMs: plan.issuedAt.getTime(),
        netLoadKw: state.netLoad.mean(plan.issuedAt)?.netLoadKw,
      };
    state.decide = false;
    state.plan = plan;
    state.evLimitKw = evLimitKw(this.#options, state.site, plan.issuedAt);
    if (plan.material) state.pushed = { chargeHours: plan.chargeHours, scalars: plan.scalars };
    // A crash must not bring an earlier command back.
    const isOtherCommand = plan.command.mode !== before?.command.mode;
    if (plan.material || isOtherCommand || isSaveDue(state)) this.#save(state);
    this.#options.bus.emit("plan.updated", plan);
  }

  #save(state: SiteState): void {
    const { plan, pushed, site } = state;
    if (plan === undefined || pushed === undefined) return;
    state.savedAtMs = performance.now();
    this.#store.save(site.id, { plan, pushed });
  }

  #onTelemetry(siteId: string): void {
    const state = this.#states.get(siteId);
    if (state === undefined) return;
    const now = this.#options.clock.now();
    this.#following.observe(state, now);
    const live = this.#options.telemetry.live(siteId);
    const limitKw = evLimitKw(this.#options, state.site, now);
    if (takeReadings(state, live, { now, limits: this.#options.freshness, limitKw }))
      this.#turns.add([state], "replan");
    else this.#refresh(state, now);
  }

  #onMinute(state: SiteState, at: Date): void {
    this.#following.observe(state, at);
    const soc = this.#parts.soc(state, at);
    const wasLost = state.plan?.scalars.dischargeReason === "telemetry_lost";
    const changed = state.plan !== undefined && soc !== undefined && soc.lost !== wasLost;
    if (isNewQuarter(state, at) || changed) this.#replan(state);
    else this.#refresh(state, at);
  }

  /** Updates the values that change with time between two plans. */
  #refresh(state: SiteState, now: Date): void {
    const updated = state.plan && advanceCountdown(state.plan, this.#parts.soc(state, now), now);
    if (updated === undefined) return;
    state.plan = updated;
    this.#options.bus.emit("plan.updated", state.plan);
  }
}
