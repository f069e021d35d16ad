import type { Site } from "../accounts/sites.js";
import { type Bus, subscribe } from "../bus.js";
import { floorTo, MINUTE_MS, QUARTER_MS } from "../domain/interval.js";
import type { LiveState } from "../domain/sample.js";
import type { Log } from "../log.js";
import { SerialQueue } from "../serial-queue.js";
import type { DocumentArchive } from "../store/archive.js";
import { type Cancel, type Clock, onEach } from "../time/clock.js";
import { type AssemblyInput, assemble } from "./assemble.js";
import { advanceCountdown } from "./countdown.js";
import { EV_CHARGES_KW } from "./discharge-cap.js";
import { freshValue, knownSoc } from "./live-readings.js";
import { isMaterial } from "./materiality.js";
import { PlanInputError, type PlanOverrides } from "./overrides.js";
import { plansFromJson, plansToJson } from "./plan-document.js";
import { planSite } from "./plan-site.js";
import { canReusePreviousPlan } from "./reuse.js";
import { factsOf, type PlanSources, type Present, presentOf } from "./site-facts.js";
import type { SitePlan } from "./site-plan.js";
import { plannedSocPct } from "./soc-estimate.js";

/** A plan is made at most once in this time, wall clock. */
const LEAST_INTERVAL_MS = 1000;
/** A plan that nobody has to act on is written to disk at most this often, wall clock. */
const KEEP_INTERVAL_MS = 60_000;
/** A reading that differs from what the plan expects by less says nothing new, percent. */
const SOC_THRESHOLD_PCT = 0.05;
/** What house and wallbox leave to the battery while the car charges flickers by less than this, kW. */
const EV_LIMIT_THRESHOLD_KW = 0.1;

export interface PlanServiceOptions extends PlanSources {
  clock: Clock;
  bus: Bus;
  sites: readonly Site[];
  documents: DocumentArchive;
  log: Log;
}

interface SiteState {
  site: Site;
  plan?: SitePlan;
  /** The last plan that somebody had to act on. */
  pushed?: SitePlan;
  plannedAtMs: number;
  keptAtMs: number;
  waiting?: NodeJS.Timeout;
  evCharging: boolean;
  /** What the cap of the plan was made from. */
  evLimitKw: number;
}

/**
 * Keeps the plan of each site: anew on a forecast, on telemetry that matters and on each quarter-hour, at most once a
 * second. What all edges show is `current`, the one truth, so that they never disagree.
 */
export class PlanService {
  readonly #options: PlanServiceOptions;
  readonly #states: Map<string, SiteState>;
  readonly #stops: Cancel[] = [];
  /** Sites that wait for their turn, and for what; a plan anew is the minute's change, too. */
  readonly #turns = new Map<SiteState, "replan" | "minute">();
  #nextTurn: NodeJS.Immediate | undefined;
  readonly #writes = new SerialQueue();

  constructor(options: PlanServiceOptions) {
    this.#options = options;
    this.#states = new Map(options.sites.map((site) => [site.id, stateOf(site)]));
  }

  /** Restores the last plans, then plans anew where prices and SOC are known. */
  async start(): Promise<void> {
    const { bus, clock, documents } = this.#options;
    for (const state of this.#states.values()) {
      // A plan of a battery that is no longer there could not be made anew, and would stand for ever.
      if (state.site.plant.battery === null) continue;
      const kept = plansFromJson(await documents.get(documentName(state.site.id)));
      if (kept !== undefined) Object.assign(state, kept);
    }
    const replan = ({ siteId }: { siteId: string }) => {
      const state = this.#states.get(siteId);
      if (state !== undefined) this.#takeTurns("replan", [state]);
    };
    this.#stops.push(
      subscribe(bus, {
        "forecast.updated": () => this.#takeTurns("replan"),
        "telemetry.received": ({ siteId }) => this.#onTelemetry(siteId),
        "slots.updated": replan,
        "load.learnt": replan,
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

  /** The plan that holds now; undefined before the first one. */
  current(siteId: string): SitePlan | undefined {
    return this.#states.get(siteId)?.plan;
  }

  /** What is known without a battery or its SOC: the price of the hour in progress and its quartile. */
  present(siteId: string): Present | undefined {
    const site = this.#states.get(siteId)?.site;
    return site && presentOf(site, this.#options, this.#options.clock.now());
  }

  /**
   * The plan with what the caller knows laid over it; without any overrides the one that holds. Throws PlanInputError.
   */
  decide(siteId: string, overrides: PlanOverrides): SitePlan {
    const state = this.#states.get(siteId);
    if (state === undefined) throw new RangeError(`There is no plant "${siteId}".`);
    const saysSomething = Object.values(overrides).some((value) => value !== undefined);
    if (saysSomething) return this.#plan(state, overrides);
    this.#takeTurnOf(state);
    // Whoever asks for the plan after telling a reading must find it in there: a change that waits is done now.
    if (state.plan === undefined || state.waiting !== undefined) {
      this.#publish(state, this.#plan(state, {}));
    }
    return state.plan!;
  }

  #plan(state: SiteState, overrides: PlanOverrides): SitePlan {
    const now = this.#options.clock.now();
    const { site, plan: standing } = state;
    const facts = factsOf(site, this.#options, { now, soc: this.#soc(state, now) });
    const input = assemble(facts, overrides);
    const previous =
      standing !== undefined && canReusePreviousPlan(standing, overrides, now) ? { previous: standing } : {};
    return planSite({ ...input, ...previous }, () => performance.now());
  }

  #soc({ site, plan }: SiteState, now: Date): AssemblyInput["soc"] {
    return knownSoc(this.#options.live(site.id).soc_pct, { plan, now, limits: this.#options.freshness });
  }

  /** A plan made for other settings, of another battery perhaps, holds no longer: neither as it is nor as the one before. */
  #onSite(site: Site): void {
    const state = this.#states.get(site.id) ?? stateOf(site);
    this.#states.set(site.id, state);
    state.site = site;
    delete state.plan;
    this.#replan(state);
  }

  #onRemoved(siteId: string): void {
    const state = this.#states.get(siteId);
    if (state === undefined) return;
    clearTimeout(state.waiting);
    this.#turns.delete(state);
    this.#states.delete(siteId);
  }

  /**
   * Does what falls due, for many sites often at once: for the first one now, for each other one when everybody else
   * has had a turn. A plan and what is published of it take tens of milliseconds; fifty in one go would
   * keep the house waiting for seconds.
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

  /** What waits for the site's turn, now. */
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
    try {
      this.#publish(state, this.#plan(state, {}));
    } catch (error) {
      // The last plan stands; whoever sent the event that brought us here must not fall with it.
      const { log } = this.#options;
      if (error instanceof PlanInputError) {
        log.debug({ site: state.site.id, field: error.field }, error.message);
      } else {
        log.error({ site: state.site.id, err: error }, "The plan could not be made; the last one stands.");
      }
    }
  }

  #publish(state: SiteState, plan: SitePlan): void {
    clearTimeout(state.waiting);
    delete state.waiting;
    state.plannedAtMs = performance.now();
    plan.material = isMaterial(state.pushed, plan);
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
    const evCharging = (freshValue(live.ev_power_kw, now, this.#options.freshness) ?? 0) > EV_CHARGES_KW;
    const evChanged = evCharging !== state.evCharging || this.#evLimitMoved(state, now);
    state.evCharging = evCharging;
    if (evChanged || this.#socSaysMore(state, live, now)) this.#takeTurns("replan", [state]);
    else this.#refresh(state, now);
  }

  /** House and the battery's share of the wallbox now, kW: what the cap follows while the car charges. */
  #evLimitKw({ site }: SiteState, now: Date): number {
    const { flex, freshness, live } = this.#options;
    const { ev_power_kw: ev, load_power_kw: house } = live(site.id);
    const sharePct = flex?.batterySharePct(site.id) ?? 0;
    return (
      (freshValue(house, now, freshness) ?? 0) + ((freshValue(ev, now, freshness) ?? 0) * sharePct) / 100
    );
  }

  #evLimitMoved(state: SiteState, now: Date): boolean {
    return (
      state.plan?.scalars.dischargeReason === "ev_charge_limit" &&
      Math.abs(this.#evLimitKw(state, now) - state.evLimitKw) > EV_LIMIT_THRESHOLD_KW
    );
  }

  #socSaysMore({ plan }: SiteState, live: LiveState, now: Date): boolean {
    const last = live.soc_pct;
    if (last === undefined) return false;
    if (plan === undefined || plan.scalars.dischargeReason === "telemetry_lost") return true;
    const expected = plannedSocPct(plan, now);
    return expected === undefined || Math.abs(last.value - expected) > SOC_THRESHOLD_PCT;
  }

  #onMinute(state: SiteState, at: Date): void {
    // Of another quarter-hour than this: also when the clock was set, or a fast replay has skipped minutes.
    const plannedAtMs = state.plan?.issuedAt.getTime() ?? Number.NaN;
    const onQuarter = floorTo(plannedAtMs, QUARTER_MS) !== floorTo(at.getTime(), QUARTER_MS);
    const soc = this.#soc(state, at);
    const wasLost = state.plan?.scalars.dischargeReason === "telemetry_lost";
    const changed = state.plan !== undefined && soc !== undefined && soc.lost !== wasLost;
    if (onQuarter || changed) this.#replan(state);
    else this.#refresh(state, at);
  }

  /** What the mere passing of time changes between two plans. */
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
  return { site, plannedAtMs: -Infinity, keptAtMs: -Infinity, evCharging: false, evLimitKw: 0 };
}

function documentName(siteId: string): string {
  return `plan/${siteId}`;
}
