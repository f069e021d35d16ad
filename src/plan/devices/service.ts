import type { Site } from "../../config/site.js";
import type { SiteParts, SiteRuntimes } from "../../config/site-runtimes.js";
import { type Bus, subscribe } from "../../core/bus.js";
import type { Interval } from "../../core/domain/interval.js";
import { QUARTER_MS } from "../../core/domain/interval.js";
import { errorMessage } from "../../core/error-message.js";
import type { Log } from "../../core/log.js";
import { type Cancel, type Clock, onEach } from "../../core/time/clock.js";
import { assemble } from "../assemble.js";
import { knownSoc } from "../live-readings.js";
import { PlanInputError, type PlanOverrides } from "../overrides.js";
import { factsOf, type PlanFlex, type PlanSources } from "../site-facts.js";
import type { TriedOverride } from "../windows/apply-override.js";
import type { DeviceState } from "../windows/estimates.js";
import type { OverrideRequest } from "../windows/override.js";
import type { FlexService } from "../windows/service.js";
import type { SlotCosts } from "../windows/slot-costs.js";
import type { SlotPlan } from "../windows/slot-schedule.js";
import { type JointQuestion, jointQuestion, slotCostsOf } from "./joint-question.js";
import type { DevicePlan, DevicePlanInput } from "./plan-devices.js";

export interface DeviceServiceOptions extends PlanSources {
  clock: Clock;
  bus: Bus;
  sites: SiteRuntimes;
  flex: PlanFlex & Pick<FlexService, "current" | "flexLoad" | "sites">;
  estimator: { state(siteId: string, slot: number): DeviceState | undefined };
  optimizer: {
    prepareDevices(): void;
    planDevices(
      input: DevicePlanInput,
      asking: { owner: string; urgent?: boolean; signal: AbortSignal },
    ): Promise<DevicePlan>;
  };
  log: Pick<Log, "warn" | "debug">;
}

interface SiteState {
  site: Site;
  isPlanning: boolean;
  isDue: boolean;
  /** Start of the last plan, wall clock. */
  plannedAtMs: number;
  waiting: NodeJS.Timeout | undefined;
  /** Import that the battery plan keeps to where the month's peak has a price, kW. */
  importTargetKw: number | null;
  /** What was asked for last; the same question is not asked again within a quarter-hour. */
  asked: string;
  /** What tried demands cost, by demands; until the devices are planned anew. */
  tried: Map<string, ReadonlyMap<number, SlotCosts>>;
}

/**
 * Plans the devices of each site jointly with its battery, in the solver process: on a forecast, on each quarter-hour and when a
 * demand changes. While it has no answer, slots are planned by the last one, or by price.
 */
export class DeviceService {
  readonly #options: DeviceServiceOptions;
  readonly #states: SiteParts<SiteState>;
  readonly #stopping = new AbortController();
  readonly #running = new Set<Promise<void>>();
  #stops: Cancel[] = [];

  constructor(options: DeviceServiceOptions) {
    this.#options = options;
    this.#states = options.sites.parts({
      create: ({ site }) => stateOf(site),
      remove: ({ waiting }) => clearTimeout(waiting),
    });
  }

  start(): void {
    const { bus, clock } = this.#options;
    const one = ({ siteId }: { siteId: string }) => this.#plan(this.#states.get(siteId));
    const all = () => {
      for (const state of this.#states) this.#planAnew(state);
    };
    this.#stops = [
      subscribe(bus, {
        "forecast.updated": all,
        "load.learned": one,
        "pv.updated": one,
        "slots.updated": ({ siteId, powerOnly }) => {
          if (!powerOnly) one({ siteId });
        },
        "plan.updated": ({ siteId, scalars }) => {
          const state = this.#states.get(siteId);
          if (state !== undefined) state.importTargetKw = scalars.importTargetKw;
        },
        "site.changed": (site) => {
          const state = this.#states.of(site.id);
          state.site = site;
          this.#planAnew(state);
        },
      }),
      onEach(clock, QUARTER_MS, all),
    ];
    all();
  }

  async stop(): Promise<void> {
    for (const stop of this.#stops.splice(0)) stop();
    this.#stopping.abort();
    for (const state of this.#states) clearTimeout(state.waiting);
    await Promise.all(this.#running);
  }

  /** Whether the schedules of a site's devices are about to change. */
  isPlanning(siteId: string): boolean {
    return this.#states.get(siteId)?.isPlanning ?? false;
  }

  /** Somebody is about to try overrides: the process that plans them takes a second to start. */
  prepareToTry(): void {
    this.#options.optimizer.prepareDevices();
  }

  /**
   * A slot as an override would plan it jointly with battery and devices, and what that would cost. Nothing changes. Throws FlexInputError and
   * WorkError.
   */
  async tryOverride(siteId: string, slot: number, request: OverrideRequest): Promise<TriedOverride> {
    const { flex } = this.#options;
    const tried = flex.sites.of(siteId).tryOverride(slot, request);
    const state = this.#states.get(siteId);
    // A run takes full power and a pause nothing, whatever the others do.
    const isGiven = request.action === "run" || request.action === "skip";
    const question =
      isGiven || !tried.isByCost || state === undefined ? undefined : this.#question(state, tried.plan);
    if (question === undefined) return tried;
    const known = state?.tried.get(question.demands);
    const costs = (known ?? (await this.#try(siteId, question))).get(slot);
    return costs === undefined ? tried : flex.sites.of(siteId).tryOverride(slot, request, costs);
  }

  async #try(siteId: string, question: JointQuestion): Promise<ReadonlyMap<number, SlotCosts>> {
    const tried = this.#states.get(siteId)?.tried;
    const asking = { owner: `${siteId} override`, urgent: true, signal: this.#stopping.signal };
    const costs = slotCostsOf(question, await this.#options.optimizer.planDevices(question.input, asking));
    tried?.set(question.demands, costs);
    return costs;
  }

  /** Resolves when no plan is being made. */
  async settled(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running);
  }

  /** The facts have changed: what was asked and tried before says nothing any more. */
  #planAnew(state: SiteState): void {
    state.asked = "";
    state.tried = new Map();
    this.#plan(state);
  }

  #plan(state: SiteState | undefined): void {
    if (state === undefined || this.#stopping.signal.aborted || this.#useTried(state)) return;
    if (state.isPlanning || state.waiting !== undefined) {
      state.isDue = true;
      return;
    }
    const waitMs = state.plannedAtMs + LEAST_INTERVAL_MS - performance.now();
    if (waitMs > 0) {
      state.waiting = setTimeout(() => {
        state.waiting = undefined;
        this.#plan(state);
      }, waitMs);
      return;
    }
    const question = this.#question(state);
    if (question === undefined) return;
    if (question.demands === state.asked) return;
    state.asked = question.demands;
    state.tried = new Map();
    state.isPlanning = true;
    state.plannedAtMs = performance.now();
    const run = this.#answer(state, question).finally(() => {
      this.#running.delete(run);
      state.isPlanning = false;
      if (state.isDue) {
        state.isDue = false;
        this.#plan(this.#states.get(state.site.id));
      }
      if (!state.isPlanning) this.#options.bus.emit("devices.planned", { siteId: state.site.id });
    });
    this.#running.add(run);
  }

  /** Whether what is asked for was tried a moment ago: that plan is in force at once, as it was shown. */
  #useTried(state: SiteState): boolean {
    if (state.isPlanning || state.tried.size === 0) return false;
    const question = this.#question(state);
    if (question === undefined || question.demands === state.asked) return false;
    const costs = state.tried.get(question.demands);
    if (costs === undefined) return false;
    state.asked = question.demands;
    this.#options.flex.sites.get(state.site.id)?.setCosts(costs);
    this.#options.bus.emit("devices.planned", { siteId: state.site.id });
    return true;
  }

  async #answer({ site }: SiteState, question: JointQuestion): Promise<void> {
    const { flex, log, optimizer } = this.#options;
    try {
      const asking = { owner: site.id, signal: this.#stopping.signal };
      const plan = await optimizer.planDevices(question.input, asking);
      if (this.#states.get(site.id)?.site === site)
        flex.sites.get(site.id)?.setCosts(slotCostsOf(question, plan));
    } catch (error) {
      if (this.#stopping.signal.aborted) return;
      log.warn(
        { site: site.id },
        `The devices could not be planned with the battery; the last plan or prices apply: ${errorMessage(error)}`,
      );
    }
  }

  /**
   * The joint problem of a site, with one device as it is tried; undefined without a device that is planned by cost, or before the first
   * forecast.
   */
  #question({ site, importTargetKw }: SiteState, tried?: SlotPlan): JointQuestion | undefined {
    const { flex, estimator, clock } = this.#options;
    const planned = flex.sites.get(site.id)?.plannedByCost() ?? [];
    const byCost = tried === undefined || planned.includes(tried.slot) ? planned : [...planned, tried.slot];
    if (byCost.length === 0) return undefined;
    const facts = this.#siteFacts(site, clock.now(), byCost);
    if (facts === undefined) return undefined;
    return jointQuestion(facts, {
      plans: flex
        .current(site.id)
        .filter(({ slot }) => byCost.includes(slot))
        .map((plan) => (plan.slot === tried?.slot ? tried : plan)),
      stateOf: (slot) => estimator.state(site.id, slot),
      importTargetKw: importTargetKw ?? undefined,
    });
  }

  #siteFacts(site: Site, now: Date, byCost: readonly number[]) {
    const { flex, freshness: limits, telemetry } = this.#options;
    const { battery } = site.plant;
    const known = knownSoc(telemetry.live(site.id).soc_pct, { plan: undefined, now, limits });
    const soc = known ?? { pct: UNKNOWN_SOC_PCT, ageMinutes: 0, lost: false };
    // The planner needs a battery: one that stores nothing.
    const none: PlanOverrides = { capacityKwh: 1e-6, minSocPct: 0, maxSocPct: 100, socPct: 0 };
    try {
      const facts = factsOf(site, this.#options, { now, soc, measured: undefined });
      const others = {
        loadKwh: (steps: readonly Interval[]) => flex.flexLoad(site.id, steps, byCost),
        wallboxes: (steps: readonly Interval[]) => steps.map(() => ({ hours: 0, fromBatteryKwh: 0 })),
        batterySharePct: 0,
      };
      return assemble({ ...facts, flex: others }, battery === null ? none : {});
    } catch (error) {
      if (error instanceof PlanInputError) return undefined;
      throw error;
    }
  }
}

/** Least time between two plans of a site, wall clock: in a fast replay they would follow one another. */
const LEAST_INTERVAL_MS = 2000;
/** Assumed where no state of charge was ever received. */
const UNKNOWN_SOC_PCT = 50;

function stateOf(site: Site): SiteState {
  return {
    site,
    isPlanning: false,
    isDue: false,
    plannedAtMs: Number.NEGATIVE_INFINITY,
    waiting: undefined,
    importTargetKw: null,
    asked: "",
    tried: new Map(),
  };
}
