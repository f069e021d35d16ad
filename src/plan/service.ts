import type { Site } from "../accounts/sites.js";
import { type Bus, subscribe } from "../bus.js";
import { floorTo, HOUR_MS, MINUTE_MS, QUARTER_MS } from "../domain/interval.js";
import type { LiveState } from "../domain/sample.js";
import type { HealthRegistry } from "../health-registry.js";
import type { Log } from "../log.js";
import { SerialQueue } from "../serial-queue.js";
import type { DocumentArchive } from "../store/archive.js";
import { type Cancel, type Clock, onEach } from "../time/clock.js";
import { type AssemblyInput, assemble } from "./assemble.js";
import { advanceCountdown } from "./countdown.js";
import { EV_CHARGES_KW } from "./discharge-cap.js";
import { FollowingMonitor } from "./following.js";
import { freshValue, knownSoc } from "./live-readings.js";
import { isMaterial } from "./materiality.js";
import { NetLoadMeter } from "./net-load.js";
import { PlanInputError, type PlanOverrides } from "./overrides.js";
import { plansFromJson, plansToJson } from "./plan-document.js";
import { planSite } from "./plan-site.js";
import { canReusePreviousPlan } from "./reuse.js";
import { factsOf, type PlanSources, type Present, presentOf } from "./site-facts.js";
import type { SitePlan } from "./site-plan.js";
import { plannedSocPct } from "./soc-estimate.js";

/** A plan is made at most once in this time, wall clock. */
const LEAST_INTERVAL_MS = 1000;
/** A plan that is not material is written to disk at most this often, wall clock. */
const KEEP_INTERVAL_MS = 60_000;
/** A reading that differs from the expected SOC by less does not change the plan, percent. */
const SOC_THRESHOLD_PCT = 0.05;
/** An SOC further off the expected one calls for another decision, percent. */
const SOC_DECISION_PCT = 2;
/** Loads that are sampled for a request with values of its own. */
const REQUEST_SAMPLES = 20;
/** A change of the measured net load above this calls for another decision, kW. */
const NET_LOAD_THRESHOLD_KW = 0.5;
/** Changes of the cap while the vehicle charges are ignored below this, kW. */
const EV_LIMIT_THRESHOLD_KW = 0.1;

export interface PlanServiceOptions extends PlanSources {
  clock: Clock;
  bus: Bus;
  sites: readonly Site[];
  documents: DocumentArchive;
  components: Pick<HealthRegistry, "report">;
  log: Log;
  /** Loads that are sampled for the expectation of a plan; default 100. */
  samples?: number;
}

interface SiteState {
  site: Site;
  plan?: SitePlan;
  /** The last material plan. */
  pushed?: SitePlan;
  plannedAtMs: number;
  keptAtMs: number;
  waiting?: NodeJS.Timeout;
  evCharging: boolean;
  /** What the cap of the plan was made from. */
  evLimitKw: number;
  netLoad: NetLoadMeter;
  following: FollowingMonitor | undefined;
  /** When the command was decided last, and on which net load. */
  decided: { atMs: number; netLoadKw: number | undefined };
  /** Something has happened that calls for another decision before the next quarter-hour. */
  decide: boolean;
}

/**
 * Keeps the plan of each site: renewed on a forecast, on telemetry that matters and on each quarter-hour, at most once a
 * second. All edges show `current`. The command is decided on each quarter-hour, when the measured net load changes, and
 * when anything but a reading changes; in between it stays in force.
 */
export class PlanService {
  readonly #options: PlanServiceOptions;
  readonly #states: Map<string, SiteState>;
  readonly #stops: Cancel[] = [];
  /** Sites that wait for their turn, and for what; a new plan includes the change of the minute. */
  readonly #turns = new Map<SiteState, "replan" | "minute">();
  #nextTurn: NodeJS.Immediate | undefined;
  readonly #writes = new SerialQueue();

  constructor(options: PlanServiceOptions) {
    this.#options = options;
    this.#states = new Map(options.sites.map((site) => [site.id, stateOf(site)]));
  }

  /** Restores the last plans, then replans where prices and SOC are known. */
  async start(): Promise<void> {
    const { bus, clock, documents } = this.#options;
    for (const state of this.#states.values()) {
      // The plan of a removed battery could not be replaced.
      if (state.site.plant.battery === null) continue;
      const kept = plansFromJson(await documents.get(documentName(state.site.id)));
      if (kept !== undefined) Object.assign(state, kept);
    }
    const replan = ({ siteId }: { siteId: string }) => {
      const state = this.#states.get(siteId);
      if (state !== undefined) this.#decideAnew([state]);
    };
    this.#stops.push(
      subscribe(bus, {
        "forecast.updated": () => this.#decideAnew(),
        "telemetry.received": ({ siteId }) => this.#onTelemetry(siteId),
        "slots.updated": replan,
        "load.learned": replan,
        "pv.updated": replan,
        "site.changed": (site) => this.#onSite(site),
        "site.removed": ({ siteId }) => this.#onRemoved(siteId),
      }),
      onEach(clock, MINUTE_MS, () => this.#takeTurns("minute")),
    );
    this.#takeTurns("replan");
  }

  /** Stops planning and writes the last plans to disk. */
  async stop(): Promise<void> {
    for (const stop of this.#stops.splice(0)) stop();
    clearImmediate(this.#nextTurn);
    this.#turns.clear();
    for (const state of this.#states.values()) {
      clearTimeout(state.waiting);
      this.#keep(state);
    }
    await this.#writes.idle();
  }

  /** The plan in force; undefined before the first one. */
  current(siteId: string): SitePlan | undefined {
    return this.#states.get(siteId)?.plan;
  }

  /** Price and quartile of the current hour, which are known without a battery or its SOC. */
  present(siteId: string): Present | undefined {
    const site = this.#states.get(siteId)?.site;
    return site && presentOf(site, this.#options, this.#options.clock.now());
  }

  /**
   * The plan with the caller's values in place of what is known; without any the one in force, or the one that is due
   * where a change has not been planned yet. Changes nothing. Throws PlanInputError.
   */
  decide(siteId: string, overrides: PlanOverrides): SitePlan {
    const state = this.#states.get(siteId);
    if (state === undefined) throw new RangeError(`There is no plant "${siteId}".`);
    const isGiven = Object.values(overrides).some((value) => value !== undefined);
    const isDue = state.waiting !== undefined || this.#turns.has(state);
    return isGiven || isDue || state.plan === undefined ? this.#plan(state, overrides) : state.plan;
  }

  /** Plans and publishes now what waits for its turn. */
  settle(siteId: string): void {
    const state = this.#states.get(siteId);
    if (state === undefined) return;
    this.#takeTurnOf(state);
    if (state.waiting !== undefined || state.plan === undefined) this.#renew(state);
  }

  #plan(state: SiteState, overrides: PlanOverrides): SitePlan {
    const now = this.#options.clock.now();
    const { site, plan: current } = state;
    const facts = factsOf(site, this.#options, {
      now,
      soc: this.#soc(state, now),
      netLoadKw: state.netLoad.meanKw(now),
    });
    const input = assemble(facts, overrides);
    const isOwn = current !== undefined && canReusePreviousPlan(current, overrides, now);
    const keepCommand = isOwn && !this.#mustDecide(state, now) && Object.keys(overrides).length === 0;
    const isSampled =
      isOwn &&
      !state.decide &&
      floorTo(current.expectation.at.getTime(), HOUR_MS) === floorTo(now.getTime(), HOUR_MS);
    return planSite(
      { ...input, ...(isOwn && { previous: current }), keepCommand },
      {
        stopwatch: () => performance.now(),
        ...(isSampled && { expectationFrom: current }),
        // Requests about other values wait for their answer.
        samples: isOwn ? (this.#options.samples ?? 100) : REQUEST_SAMPLES,
      },
    );
  }

  /** Whether the command is due for a decision. */
  #mustDecide({ decide, decided, netLoad, plan, site }: SiteState, now: Date): boolean {
    if (decide || plan === undefined || plan.scalars.dischargeReason === "telemetry_lost") return true;
    if (floorTo(decided.atMs, QUARTER_MS) !== floorTo(now.getTime(), QUARTER_MS)) return true;
    const soc = this.#options.live(site.id).soc_pct;
    const expected = plannedSocPct(plan, now);
    if (soc !== undefined && expected !== undefined && Math.abs(soc.value - expected) > SOC_DECISION_PCT)
      return true;
    return netLoadMoved(decided.netLoadKw, netLoad.meanKw(now));
  }

  #soc({ site, plan }: SiteState, now: Date): AssemblyInput["soc"] {
    return knownSoc(this.#options.live(site.id).soc_pct, { plan, now, limits: this.#options.freshness });
  }

  /** A plan made for other settings is neither in force nor a previous plan. */
  #onSite(site: Site): void {
    const state = this.#states.get(site.id) ?? stateOf(site);
    this.#states.set(site.id, state);
    state.site = site;
    delete state.plan;
    state.following = undefined;
    this.#replan(state);
  }

  #onRemoved(siteId: string): void {
    const state = this.#states.get(siteId);
    if (state === undefined) return;
    clearTimeout(state.waiting);
    this.#turns.delete(state);
    this.#states.delete(siteId);
  }

  /** Replans with a new decision. */
  #decideAnew(states: Iterable<SiteState> = this.#states.values()): void {
    const all = [...states];
    for (const state of all) state.decide = true;
    this.#takeTurns("replan", all);
  }

  /**
   * Does what is due: for the first site now, for each other one in an event loop turn of its own. A plan and its
   * publication take tens of milliseconds; fifty at once would block the event loop for seconds.
   */
  #takeTurns(due: "replan" | "minute", states: Iterable<SiteState> = this.#states.values()): void {
    for (const state of states) if (this.#turns.get(state) !== "replan") this.#turns.set(state, due);
    if (this.#nextTurn === undefined) this.#takeTurn();
  }

  #takeTurn(): void {
    this.#nextTurn = undefined;
    const [first] = this.#turns.keys();
    if (first === undefined) return;
    this.#nextTurn = setImmediate(() => this.#takeTurn());
    this.#takeTurnOf(first);
  }

  /** Does now what waits for the site's turn. */
  #takeTurnOf(state: SiteState): void {
    const due = this.#turns.get(state);
    this.#turns.delete(state);
    if (due === "replan") this.#replan(state);
    else if (due === "minute") this.#onMinute(state, this.#options.clock.now());
  }

  /** Plans now, or as soon as the second since the last plan is over. */
  #replan(state: SiteState): void {
    if (state.waiting !== undefined) return;
    const wait = state.plannedAtMs + LEAST_INTERVAL_MS - performance.now();
    if (wait > 0) {
      state.waiting = setTimeout(() => {
        delete state.waiting;
        this.#replan(state);
      }, wait);
      return;
    }
    this.#renew(state);
  }

  #renew(state: SiteState): void {
    try {
      this.#publish(state, this.#plan(state, {}));
    } catch (error) {
      // The last plan remains in force. Errors are not propagated to the emitter of the event.
      const { log } = this.#options;
      if (error instanceof PlanInputError) {
        log.debug({ site: state.site.id, field: error.field }, error.message);
      } else {
        log.error(
          { site: state.site.id, err: error },
          "The plan could not be made; the last one remains in force.",
        );
      }
    }
  }

  #publish(state: SiteState, plan: SitePlan): void {
    clearTimeout(state.waiting);
    delete state.waiting;
    state.plannedAtMs = performance.now();
    plan.material = isMaterial(state.pushed, plan);
    if (plan.command !== state.plan?.command)
      state.decided = { atMs: plan.issuedAt.getTime(), netLoadKw: state.netLoad.meanKw(plan.issuedAt) };
    state.decide = false;
    state.plan = plan;
    state.evLimitKw = this.#evLimitKw(state, plan.issuedAt);
    if (plan.material) state.pushed = plan;
    if (plan.material || performance.now() - state.keptAtMs > KEEP_INTERVAL_MS) this.#keep(state);
    this.#options.bus.emit("plan.updated", plan);
  }

  #keep(state: SiteState): void {
    const { plan, pushed, site } = state;
    if (plan === undefined || pushed === undefined) return;
    state.keptAtMs = performance.now();
    this.#writes
      .run(() => this.#options.documents.put(documentName(site.id), plansToJson({ plan, pushed })))
      .catch((error: unknown) =>
        this.#options.log.error({ site: site.id, err: error }, "The plan could not be written to disk."),
      );
  }

  #onTelemetry(siteId: string): void {
    const state = this.#states.get(siteId);
    if (state === undefined) return;
    const now = this.#options.clock.now();
    const live = this.#options.live(siteId);
    const { freshness: limits } = this.#options;
    state.netLoad.add(live, now, { limits, hasPv: state.site.plant.pv.length > 0 });
    this.#observe(state, now);
    const evCharging = (freshValue(live.ev_power_kw, now, this.#options.freshness) ?? 0) > EV_CHARGES_KW;
    const evChanged = evCharging !== state.evCharging || this.#evLimitMoved(state, now);
    state.evCharging = evCharging;
    const netLoadChanged = netLoadMoved(state.decided.netLoadKw, state.netLoad.meanKw(now));
    if (evChanged || netLoadChanged || this.#socChanged(state, live, now)) this.#takeTurns("replan", [state]);
    else this.#refresh(state, now);
  }

  /** Compares the battery with its command and publishes what has changed. */
  #observe(state: SiteState, now: Date): void {
    const { plan, site } = state;
    const { battery } = site.plant;
    if (plan === undefined || battery === null || battery === undefined) return;
    const { following, followingCause, followingSince } = plan.scalars;
    state.following ??= new FollowingMonitor({
      state: following,
      cause: followingCause,
      since: followingSince,
    });
    const seen = state.following.observe({
      now,
      plan,
      live: this.#options.live(site.id),
      battery: {
        capacityKwh: battery.capacity_kwh,
        minSocPct: battery.min_soc_pct,
        maxSocPct: battery.max_soc_pct,
      },
      limits: this.#options.freshness,
    });
    if (seen.state === following && seen.cause === followingCause) return;
    const scalars = {
      ...plan.scalars,
      following: seen.state,
      followingCause: seen.cause,
      followingSince: seen.since,
    };
    state.plan = { ...plan, scalars, material: false };
    const { bus, components } = this.#options;
    const isFailing = seen.state === "no";
    components.report(`battery ${site.id}`, isFailing ? "degraded" : "ok", [
      isFailing ? { code: "battery_not_following", cause: seen.cause } : { code: "battery_following" },
    ]);
    bus.emit("following.changed", { siteId: site.id, state: seen.state, cause: seen.cause });
    bus.emit("plan.updated", state.plan);
  }

  /** Load and the battery's share of the wallbox now, kW: what the cap follows while the vehicle charges. */
  #evLimitKw({ site }: SiteState, now: Date): number {
    const { flex, freshness, live } = this.#options;
    const { ev_power_kw: ev, load_power_kw: load } = live(site.id);
    const sharePct = flex?.batterySharePct(site.id) ?? 0;
    return (freshValue(load, now, freshness) ?? 0) + ((freshValue(ev, now, freshness) ?? 0) * sharePct) / 100;
  }

  #evLimitMoved(state: SiteState, now: Date): boolean {
    return (
      state.plan?.scalars.dischargeReason === "ev_charge_limit" &&
      Math.abs(this.#evLimitKw(state, now) - state.evLimitKw) > EV_LIMIT_THRESHOLD_KW
    );
  }

  #socChanged({ plan }: SiteState, live: LiveState, now: Date): boolean {
    const last = live.soc_pct;
    if (last === undefined) return false;
    if (plan === undefined || plan.scalars.dischargeReason === "telemetry_lost") return true;
    const expected = plannedSocPct(plan, now);
    return expected === undefined || Math.abs(last.value - expected) > SOC_THRESHOLD_PCT;
  }

  #onMinute(state: SiteState, at: Date): void {
    // The plan is of another quarter-hour: also when the clock was set, or a fast replay has skipped minutes.
    const plannedAtMs = state.plan?.issuedAt.getTime() ?? Number.NaN;
    const onQuarter = floorTo(plannedAtMs, QUARTER_MS) !== floorTo(at.getTime(), QUARTER_MS);
    this.#observe(state, at);
    const soc = this.#soc(state, at);
    const wasLost = state.plan?.scalars.dischargeReason === "telemetry_lost";
    const changed = state.plan !== undefined && soc !== undefined && soc.lost !== wasLost;
    if (onQuarter || changed) this.#replan(state);
    else this.#refresh(state, at);
  }

  /** Updates what changes with time between two plans. */
  #refresh(state: SiteState, now: Date): void {
    const { plan } = state;
    if (plan === undefined) return;
    const countedOn = advanceCountdown(plan, this.#soc(state, now), now);
    if (countedOn === undefined) return;
    state.plan = countedOn;
    this.#options.bus.emit("plan.updated", state.plan);
  }
}

function stateOf(site: Site): SiteState {
  return {
    site,
    plannedAtMs: -Infinity,
    keptAtMs: -Infinity,
    evCharging: false,
    evLimitKw: 0,
    netLoad: new NetLoadMeter(),
    following: undefined,
    decided: { atMs: -Infinity, netLoadKw: undefined },
    decide: true,
  };
}

function netLoadMoved(before: number | undefined, now: number | undefined): boolean {
  return now !== undefined && Math.abs(now - (before ?? Infinity)) > NET_LOAD_THRESHOLD_KW;
}

function documentName(siteId: string): string {
  return `plan/${siteId}`;
}
