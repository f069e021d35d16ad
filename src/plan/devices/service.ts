import type { Site } from "../../config/site.js";
import type { SiteParts, SiteRuntimes } from "../../config/site-runtimes.js";
import { type Bus, subscribe } from "../../core/bus.js";
import type { Interval } from "../../core/domain/interval.js";
import { DAY_MS, QUARTER_MS } from "../../core/domain/interval.js";
import { errorMessage } from "../../core/error-message.js";
import type { Log } from "../../core/log.js";
import { type Cancel, type Clock, onEach } from "../../core/time/clock.js";
import { assemble } from "../assemble.js";
import { knownSoc } from "../live-readings.js";
import { PlanInputError, type PlanOverrides } from "../overrides.js";
import { targetAt } from "../policy/import-target.js";
import { factsOf, type PlanFlex, type PlanSources } from "../site-facts.js";
import { sitePolicyInput } from "../site-policy.js";
import type { DeviceState } from "../windows/estimates.js";
import type { SlotCosts } from "../windows/slot-costs.js";
import type { SlotPlan } from "../windows/slot-schedule.js";
import type { Device } from "./device.js";
import type { DevicePlan, DevicePlanInput } from "./plan-devices.js";
import { deviceOf } from "./site-devices.js";

export interface DeviceServiceOptions extends PlanSources {
  clock: Clock;
  bus: Bus;
  sites: SiteRuntimes;
  flex: PlanFlex & {
    current(siteId: string): SlotPlan[];
    plannedByCost(siteId: string): number[];
    flexLoad(siteId: string, steps: readonly Interval[], without: readonly number[]): number[];
    setCosts(siteId: string, costs: ReadonlyMap<number, SlotCosts>): void;
  };
  estimator: { state(siteId: string, slot: number): DeviceState | undefined };
  optimizer: {
    planDevices(input: DevicePlanInput, asking: { owner: string; signal: AbortSignal }): Promise<DevicePlan>;
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
}

/** One slot of a joint plan. */
interface PlannedSlot {
  slot: number;
  /** What is asked of it and what is known of it: another text needs another plan. */
  demand: string;
  device: Device;
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
      for (const state of this.#states) {
        state.asked = "";
        this.#plan(state);
      }
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
          state.asked = "";
          this.#plan(state);
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

  /** Resolves when no plan is being made. */
  async settled(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running);
  }

  #plan(state: SiteState | undefined): void {
    if (state === undefined || this.#stopping.signal.aborted) return;
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
    const asked = questionText(question.slots);
    if (asked === state.asked) return;
    state.asked = asked;
    state.isPlanning = true;
    state.plannedAtMs = performance.now();
    const run = this.#answer(state, question).finally(() => {
      this.#running.delete(run);
      state.isPlanning = false;
      if (!state.isDue) return;
      state.isDue = false;
      this.#plan(this.#states.get(state.site.id));
    });
    this.#running.add(run);
  }

  async #answer(
    { site }: SiteState,
    {
      input,
      slots,
      steps,
    }: { input: DevicePlanInput; slots: readonly PlannedSlot[]; steps: readonly Interval[] },
  ): Promise<void> {
    const { flex, log, optimizer } = this.#options;
    try {
      const asking = { owner: site.id, signal: this.#stopping.signal };
      const plan = await optimizer.planDevices(input, asking);
      const costs = slots.map(({ slot, device }, d): [number, SlotCosts] => [
        slot,
        {
          steps,
          ctKwh: plan.costCtKwh[d]!,
          surplusKwh: surplusLeft(input, plan, d),
          ...(device.kind === "store" && {
            kwh: plan.kwh[d]!,
            minPowerKw: device.store.minPowerKw,
            upToDemand: site.plant.slots.some((each) => each.slot === slot && each.vehicle !== null),
          }),
        },
      ]);
      if (this.#states.get(site.id)?.site === site) flex.setCosts(site.id, new Map(costs));
    } catch (error) {
      if (this.#stopping.signal.aborted) return;
      log.warn(
        { site: site.id },
        `The devices could not be planned with the battery; the last plan or prices apply: ${errorMessage(error)}`,
      );
    }
  }

  /** The joint problem of a site; undefined without a device that is planned by cost, or before the first forecast. */
  #question({
    site,
    importTargetKw,
  }: SiteState): { input: DevicePlanInput; slots: PlannedSlot[]; steps: Interval[] } | undefined {
    const { flex, estimator, clock } = this.#options;
    const byCost = flex.plannedByCost(site.id);
    if (byCost.length === 0) return undefined;
    const now = clock.now();
    const facts = this.#siteFacts(site, now, byCost);
    if (facts === undefined) return undefined;
    const problem = sitePolicyInput(facts);
    const importTarget =
      facts.peak === undefined || importTargetKw === null ? undefined : targetAt(facts.peak, importTargetKw);
    const policyInput =
      importTarget === undefined ? problem : { ...problem, grid: { ...problem.grid, importTarget } };
    const steps = facts.prices.map(({ start, end }) => ({ start, end }));
    const slots = flex
      .current(site.id)
      .filter(({ slot }) => byCost.includes(slot))
      .flatMap((plan): PlannedSlot[] => {
        const state = estimator.state(site.id, plan.slot);
        const device = deviceOf(plan, {
          now,
          zone: site.plant.timezone,
          steps,
          importCtKwh: policyInput.steps.map(({ importCtKwh }) => importCtKwh),
          surplusKwh: policyInput.steps.map(({ pvKwh, loadKwh }) => pvKwh - loadKwh),
          state,
        });
        return device === undefined ? [] : [{ slot: plan.slot, device, demand: demandText(plan, state) }];
      });
    if (slots.length === 0) return undefined;
    const socKwh = (facts.battery.capacityKwh * facts.soc.pct) / 100;
    return { input: { site: policyInput, socKwh, devices: slots.map(({ device }) => device) }, slots, steps };
  }

  #siteFacts(site: Site, now: Date, byCost: readonly number[]) {
    const { flex, freshness: limits, telemetry } = this.#options;
    const { battery } = site.plant;
    const known = knownSoc(telemetry.live(site.id).soc_pct, { plan: undefined, now, limits });
    const soc = known ?? { pct: UNKNOWN_SOC_PCT, ageMinutes: 0, lost: false };
    // The planner needs a battery: one that stores nothing.
    const none: PlanOverrides = { capacityKwh: 1e-6, minSocPct: 0, maxSocPct: 100, socPct: 0 };
    try {
      const facts = factsOf(site, this.#options, { now, soc, netLoadKw: undefined });
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

/** Expected PV surplus that the load and the other devices leave for a device in each step, kWh. */
function surplusLeft({ site }: DevicePlanInput, plan: DevicePlan, device: number): number[] {
  return site.steps.map(({ pvKwh, loadKwh }, t) =>
    plan.kwh.reduce((left, kwh, d) => (d === device ? left : left - kwh[t]!), pvKwh - loadKwh),
  );
}

function questionText(slots: readonly PlannedSlot[]): string {
  return JSON.stringify(slots.map(({ slot, demand }) => [slot, demand]));
}

/** The demand of a slot, in steps that matter: readings change all the time. */
function demandText(
  { origin, plugged, override, result, later }: SlotPlan,
  state: DeviceState | undefined,
): string {
  const { window, demandEnergyKwh, consecutive, powerKw } = result ?? {};
  return JSON.stringify([
    origin,
    plugged,
    override,
    window?.askedEnd,
    powerKw,
    consecutive,
    Math.round((demandEnergyKwh ?? 0) * 2),
    later.length,
    state?.temperatureC === undefined ? null : Math.round(state.temperatureC / 2),
    state?.hotAt === undefined ? null : Math.floor(state.hotAt.getTime() / DAY_MS),
  ]);
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
  };
}
