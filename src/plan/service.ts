import type { Site } from "../accounts/sites.js";
import type { Bus } from "../bus.js";
import { heldHoursBefore, quartiles } from "../decision/quartiles.js";
import type { ForecastHour } from "../forecast/forecast.js";
import { quarterPrice } from "../forecast/quarter-shape.js";
import type { Log } from "../log.js";
import type { PriceSeries } from "../market/price-series.js";
import type { Prices } from "../market/tariff.js";
import type { DocumentArchive } from "../store/archive.js";
import { type FreshnessLimits, freshness } from "../telemetry/freshness.js";
import type { LiveState, Reading } from "../telemetry/sample.js";
import { type Cancel, type Clock, onEach } from "../time/clock.js";
import { floorTo, type Interval, MINUTE_MS, QUARTER_MS } from "../time/interval.js";
import { assemble, type SiteFacts } from "./assemble.js";
import { EV_CHARGES_KW } from "./discharge-cap.js";
import type { LoadModel } from "./load-profile.js";
import { isMaterial } from "./materiality.js";
import { PlanInputError, type PlanOverrides } from "./overrides.js";
import { plansFromJson, plansToJson } from "./plan-document.js";
import { minutesUntil, planSite } from "./plan-site.js";
import type { SiteInput } from "./site-input.js";
import type { PlanScalars, SitePlan } from "./site-plan.js";
import { plannedSocPct } from "./soc-estimate.js";
import { asksOfThisHouse } from "./what-if.js";

/** Hours that a plan looks ahead. */
const HORIZON_HOURS = 168;
/** A plan is made at most once in this time, wall clock. */
const LEAST_INTERVAL_MS = 1000;
/** A plan that nobody has to act on is written to disk at most this often, wall clock. */
const KEEP_INTERVAL_MS = 60_000;
/** A reading that differs from what the plan expects by less says nothing new, percent. */
const SOC_THRESHOLD_PCT = 0.05;

export interface PlanServiceOptions {
  clock: Clock;
  bus: Bus;
  sites: readonly Site[];
  stepMinutes: 60 | 15;
  freshness: FreshnessLimits;
  forecastHours: (count: number) => ForecastHour[] | undefined;
  published: () => PriceSeries;
  tariff: (siteId: string) => Prices | undefined;
  live: (siteId: string) => LiveState;
  /** What the flexible devices take and may take from the battery; left out: there are none. */
  flex?: PlanFlex;
  /** What was learnt of the house's use; undefined, or left out: the settings tell. */
  loadModel?: (siteId: string) => LoadModel | undefined;
  /** What the PV is forecast to yield in each step, kWh; undefined, or left out: nothing is known of it. */
  pvEnergy?: (siteId: string, steps: readonly Interval[]) => number[] | undefined;
  documents: DocumentArchive;
  log: Log;
}

/** The flexible devices as the plan sees them, by site. */
export interface PlanFlex {
  flexLoad(siteId: string, steps: readonly Interval[]): number[];
  wallboxes(siteId: string, steps: readonly Interval[]): { hours: number; fromBatteryKwh: number }[];
  batterySharePct(siteId: string): number;
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
}

/**
 * Keeps the plan of each site: anew on a forecast, on telemetry that matters and on each quarter-hour, at most once a
 * second. What all edges show is `current`, the one truth, so that they never disagree.
 */
export class PlanService {
  readonly #options: PlanServiceOptions;
  readonly #states: Map<string, SiteState>;
  readonly #stops: Cancel[] = [];
  #writes: Promise<unknown> = Promise.resolve();

  constructor(options: PlanServiceOptions) {
    this.#options = options;
    this.#states = new Map(options.sites.map((site) => [site.id, stateOf(site)]));
  }

  /** Restores the last plans, then plans anew where prices and SOC are known. */
  async start(): Promise<void> {
    const { bus, clock, documents } = this.#options;
    for (const state of this.#states.values()) {
      const kept = plansFromJson(await documents.get(documentName(state.site.id)));
      if (kept !== undefined) Object.assign(state, kept);
    }
    const onForecast = () => this.#replanAll();
    const onSample = (event: { siteId: string }) => this.#onTelemetry(event.siteId);
    const onSlots = (event: { siteId: string }) => {
      const state = this.#states.get(event.siteId);
      if (state !== undefined) this.#replan(state);
    };
    bus.on("forecast.updated", onForecast);
    bus.on("telemetry.received", onSample);
    bus.on("slots.updated", onSlots);
    bus.on("load.learnt", onSlots);
    bus.on("pv.updated", onSlots);
    const onSite = (site: Site) => this.#onSite(site);
    const onRemoved = ({ siteId }: { siteId: string }) => this.#onRemoved(siteId);
    bus.on("site.changed", onSite);
    bus.on("site.removed", onRemoved);
    this.#stops.push(
      () => bus.off("site.changed", onSite),
      () => bus.off("site.removed", onRemoved),
      () => bus.off("forecast.updated", onForecast),
      () => bus.off("telemetry.received", onSample),
      () => bus.off("slots.updated", onSlots),
      () => bus.off("load.learnt", onSlots),
      () => bus.off("pv.updated", onSlots),
      onEach(clock, MINUTE_MS, (at) => this.#onMinute(at)),
    );
    this.#replanAll();
  }

  /** Stops planning and writes the last plans to disk. */
  async stop(): Promise<void> {
    for (const stop of this.#stops.splice(0)) stop();
    for (const state of this.#states.values()) {
      clearTimeout(state.waiting);
      this.#keep(state);
    }
    await this.#writes;
  }

  /** The plan that holds now; undefined before the first one. */
  current(siteId: string): SitePlan | undefined {
    return this.#states.get(siteId)?.plan;
  }

  /** What is known without a battery or its SOC: the price of the hour in progress and its quartile. */
  present(siteId: string): Pick<PlanScalars, "currentPriceCtKwh" | "currentQuartile"> | undefined {
    const { clock, forecastHours, published, stepMinutes, tariff } = this.#options;
    const site = this.#states.get(siteId)?.site;
    const hours = forecastHours(25);
    const first = hours?.[0];
    if (site === undefined || hours === undefined || first === undefined) return undefined;
    const now = clock.now();
    const hour = { eurMwh: first.p50, isPublished: first.source === "day_ahead" };
    const quarterMs = floorTo(now.getTime(), QUARTER_MS);
    const spotCtKwh = (stepMinutes === 15 ? quarterPrice(published(), hour, quarterMs) : first.p50) / 10;
    return {
      currentPriceCtKwh: tariff(siteId)?.importCtKwh(spotCtKwh, now) ?? spotCtKwh,
      currentQuartile: currentQuartile(hours, published(), site.plant.timezone),
    };
  }

  /**
   * The plan with what the caller knows laid over it; without any overrides the one that holds. Throws PlanInputError.
   */
  decide(siteId: string, overrides: PlanOverrides): SitePlan {
    const state = this.#states.get(siteId);
    if (state === undefined) throw new RangeError(`There is no plant "${siteId}".`);
    const saysSomething = Object.values(overrides).some((value) => value !== undefined);
    if (saysSomething) return this.#plan(state, overrides);
    // Whoever asks for the plan after telling a reading must find it in there: a change that waits is done now.
    if (state.plan === undefined || state.waiting !== undefined) {
      this.#publish(state, this.#plan(state, {}));
    }
    return state.plan!;
  }

  #plan(state: SiteState, overrides: PlanOverrides): SitePlan {
    const { clock, forecastHours, published, tariff, stepMinutes, flex } = this.#options;
    const { site } = state;
    const now = clock.now();
    const hours = forecastHours(HORIZON_HOURS);
    if (hours === undefined)
      throw new PlanInputError("", "No forecast is there yet; try again in a few seconds.");
    const series = published();
    const live = this.#options.live(site.id);
    const facts: SiteFacts = {
      siteId: site.id,
      now,
      plant: site.plant,
      stepMinutes,
      hours,
      quarter: ({ p50, source }, quarterStartMs) =>
        quarterPrice(series, { eurMwh: p50, isPublished: source === "day_ahead" }, quarterStartMs),
      tariff: tariff(site.id),
      soc: this.#soc(state, live, now),
      evPowerKw: this.#fresh(live, "ev_power_kw", now) ?? 0,
      housePowerKw: this.#fresh(live, "load_power_kw", now),
      currentQuartile: currentQuartile(hours, series, site.plant.timezone),
      load: this.#options.loadModel?.(site.id),
      pvKwh: (steps) => this.#options.pvEnergy?.(site.id, steps),
      ...(flex !== undefined && {
        flex: {
          loadKwh: (steps) => flex.flexLoad(site.id, steps),
          wallboxes: (steps) => flex.wallboxes(site.id, steps),
          batterySharePct: flex.batterySharePct(site.id),
        },
      }),
    };
    const input: SiteInput = assemble(facts, overrides);
    const standing = state.plan;
    const previous =
      standing !== undefined && asksOfThisHouse(standing, overrides, now) ? { previous: standing } : {};
    return planSite({ ...input, ...previous }, () => performance.now());
  }

  /** A reading that is not older than the fail-safe allows; undefined otherwise. */
  #fresh(live: LiveState, reading: Reading, now: Date): number | undefined {
    const last = live[reading];
    return last !== undefined && freshness(last.at, now, this.#options.freshness) === "fresh"
      ? last.value
      : undefined;
  }

  /** The SOC as read, or carried forward by the plan once the reading is stale (decisions.md section 9, fail-safe). */
  #soc(state: SiteState, live: LiveState, now: Date): SiteInput["soc"] | undefined {
    const last = live.soc_pct;
    if (last === undefined) return undefined;
    const age = freshness(last.at, now, this.#options.freshness);
    const ageMinutes = Math.max(0, Math.floor((now.getTime() - last.at.getTime()) / MINUTE_MS));
    const planned =
      age !== "fresh" && state.plan !== undefined && state.plan.issuedAt >= last.at
        ? plannedSocPct(state.plan, now)
        : undefined;
    return { pct: planned ?? last.value, ageMinutes, stale: age !== "fresh", lost: age === "lost" };
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
    clearTimeout(this.#states.get(siteId)?.waiting);
    this.#states.delete(siteId);
  }

  #replanAll(): void {
    for (const state of this.#states.values()) this.#replan(state);
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
    if (plan.material) state.pushed = plan;
    if (plan.material || performance.now() - state.keptAtMs > KEEP_INTERVAL_MS) this.#keep(state);
    this.#options.bus.emit("plan.updated", plan);
  }

  #keep(state: SiteState): void {
    const { plan, pushed, site } = state;
    if (plan === undefined || pushed === undefined) return;
    state.keptAtMs = performance.now();
    this.#writes = this.#writes
      .then(() => this.#options.documents.put(documentName(site.id), plansToJson({ plan, pushed })))
      .catch((error: unknown) =>
        this.#options.log.error({ site: site.id, err: error }, "The plan could not be written to disk."),
      );
  }

  #onTelemetry(siteId: string): void {
    const state = this.#states.get(siteId);
    if (state === undefined) return;
    const now = this.#options.clock.now();
    const live = this.#options.live(siteId);
    const evCharging = (this.#fresh(live, "ev_power_kw", now) ?? 0) > EV_CHARGES_KW;
    const evChanged = evCharging !== state.evCharging;
    state.evCharging = evCharging;
    if (evChanged || this.#socSaysMore(state, live, now)) this.#replan(state);
    else this.#refresh(state, now);
  }

  #socSaysMore({ plan }: SiteState, live: LiveState, now: Date): boolean {
    const last = live.soc_pct;
    if (last === undefined) return false;
    if (plan === undefined || plan.scalars.dischargeReason === "telemetry_lost") return true;
    const expected = plannedSocPct(plan, now);
    return expected === undefined || Math.abs(last.value - expected) > SOC_THRESHOLD_PCT;
  }

  #onMinute(at: Date): void {
    const onQuarter = at.getUTCMinutes() % 15 === 0;
    for (const state of this.#states.values()) {
      const soc = this.#soc(state, this.#options.live(state.site.id), at);
      const wasLost = state.plan?.scalars.dischargeReason === "telemetry_lost";
      const changed = state.plan !== undefined && soc !== undefined && soc.lost !== wasLost;
      if (onQuarter || changed || state.plan === undefined) this.#replan(state);
      else this.#refresh(state, at);
    }
  }

  /** What the mere passing of time changes between two plans. */
  #refresh(state: SiteState, now: Date): void {
    const { plan } = state;
    if (plan === undefined) return;
    const soc = this.#soc(state, this.#options.live(state.site.id), now);
    const next = plan.chargeHours.find((run) => run.start > now);
    const scalars = {
      ...plan.scalars,
      socAgeMinutes: soc?.ageMinutes ?? plan.scalars.socAgeMinutes,
      socStale: soc?.stale ?? plan.scalars.socStale,
      minutesToChargeStart:
        plan.scalars.chargeNow === 1 ? 0 : next === undefined ? -1 : minutesUntil(next.start, now),
    };
    const same =
      scalars.socAgeMinutes === plan.scalars.socAgeMinutes &&
      scalars.socStale === plan.scalars.socStale &&
      scalars.minutesToChargeStart === plan.scalars.minutesToChargeStart;
    if (same) return;
    state.plan = { ...plan, scalars, material: false };
    this.#options.bus.emit("plan.updated", state.plan);
  }
}

function stateOf(site: Site): SiteState {
  return { site, plannedAtMs: -Infinity, keptAtMs: -Infinity, evCharging: false };
}

function documentName(siteId: string): string {
  return `plan/${siteId}`;
}

/** Quartile of the hour in progress within its local day, ranked over as much of the day as is known. */
function currentQuartile(hours: readonly ForecastHour[], series: PriceSeries, zone: string): 1 | 2 | 3 | 4 {
  const first = hours[0]!;
  const past = heldHoursBefore(series, first.start, zone);
  const ahead = hours.slice(0, 25).map((hour) => ({ start: hour.start, value: hour.p50 }));
  return quartiles([...past, ...ahead], zone)[past.length]!;
}
